//! What the next byte says of the rest of a pattern, without the machine.

use super::byte_set::ByteSet;
use super::program::{Address, Op, Program};

/// The next byte, or 256 for the end of the text, is one of so many.
pub const NEXT: usize = 257;

/// Where a match ends, as far as the next byte tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Never,
    Perhaps,
    /// Before the next byte.
    Here,
    /// After it.
    After,
}

/// Tells what becomes of a match that the machine would go on with.
pub struct Certainty<'p> {
    program: &'p Program,
    /// What it tells holds unless one of these bytes stands before: what looks back for them is taken to fail.
    pub unless_after: ByteSet,
}

impl Certainty<'_> {
    pub fn new(program: &Program) -> Certainty<'_> {
        Certainty { program, unless_after: ByteSet::NONE }
    }

    /// What becomes of an alternative that a byte may begin, with another one after it; one that may be empty may not have
    /// taken it.
    pub fn of_begun(&mut self, start: Address, first: u8, next: usize) -> Outcome {
        let outcome = self.begun(start, first, next);
        if self.unless_after == ByteSet::NONE {
            outcome
        } else {
            Outcome::Perhaps
        }
    }

    fn begun(&mut self, start: Address, first: u8, next: usize) -> Outcome {
        match self.program.ops[start as usize] {
            Op::Byte(_) | Op::Set(_) => self.at(start + 1, next),
            Op::Run { scan, least: 0, most: 1 } if self.program.run(scan).has(first) => {
                self.at(start + 1, next)
            }
            Op::Run { least: 0, most: 1, .. } => self.begun(start + 1, first, next),
            Op::Run { scan, least, .. } | Op::Greedy { scan, least, .. } if least > 0 => {
                self.in_run(start, scan, least > 1, next)
            }
            Op::Choose { table } => {
                let left = self.program.left(table, usize::from(first));
                let outcomes = left.iter().map(|&start| self.begun(start, first, next));
                first_possible(outcomes)
            }
            _ => Outcome::Perhaps,
        }
    }

    /// What becomes of it at an instruction.
    pub fn at(&mut self, at: Address, next: usize) -> Outcome {
        match self.program.ops[at as usize] {
            Op::Byte(byte) => self.taking(at, usize::from(byte) == next),
            Op::Set(set) => {
                let own = &self.program.sets[set as usize];
                self.taking(at, own.get(next) == Some(&true))
            }
            Op::Run { scan, least, .. } | Op::Greedy { scan, least, .. } => {
                self.in_run(at, scan, least > 0, next)
            }
            Op::Choose { table } => self.chosen(table, next),
            // One that leads back belongs to a repetition.
            Op::Jump(target) if target > at => self.at(target, next),
            Op::Count { .. } => self.first_round(at + 1, next),
            Op::Ahead(peek) if self.program.peeks[peek as usize][next] => self.at(at + 1, next),
            Op::Ahead(_) => Outcome::Never,
            Op::Behind(peek) => {
                let wanted = &self.program.peeks[peek as usize];
                let wanted = ByteSet::whose(|byte| wanted[usize::from(byte)]);
                self.unless_after = self.unless_after.or(&wanted);
                Outcome::Never
            }
            Op::Matched(_) => Outcome::Here,
            _ => Outcome::Perhaps,
        }
    }

    /// The first alternative that the next byte leaves decides, if it is certain.
    fn chosen(&mut self, table: u32, next: usize) -> Outcome {
        let left = self.program.left(table, next);
        first_possible(left.iter().map(|&start| self.at(start, next)))
    }

    fn taking(&self, at: Address, fits: bool) -> Outcome {
        match fits {
            false => Outcome::Never,
            true if self.ends(at + 1) => Outcome::After,
            true => Outcome::Perhaps,
        }
    }

    fn ends(&self, at: Address) -> bool {
        match self.program.ops[at as usize] {
            Op::Matched(_) => true,
            Op::Jump(target) if target > at => self.ends(target),
            _ => false,
        }
    }

    fn in_run(&mut self, at: Address, scan: u32, lacks: bool, next: usize) -> Outcome {
        let runs_on = u8::try_from(next).is_ok_and(|next| self.program.run(scan).has(next));
        match (runs_on, lacks) {
            (true, _) => Outcome::Perhaps,
            (false, true) => Outcome::Never,
            (false, false) => self.at(at + 1, next),
        }
    }

    fn first_round(&mut self, head: Address, next: usize) -> Outcome {
        let Op::Again { least, most, greedy, body, exit, .. } = self.program.ops[head as usize]
        else {
            return Outcome::Perhaps;
        };
        let begins = most > 0 && self.program.peeks[body as usize][next];
        match (begins, least) {
            (true, _) if !greedy || self.at(head + 1, next) != Outcome::Never => Outcome::Perhaps,
            (_, 0) => self.at(exit, next),
            _ => Outcome::Never,
        }
    }
}

/// What becomes of alternatives: that of the first one that does not fail.
fn first_possible(mut outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let found = outcomes.find(|outcome| *outcome != Outcome::Never);
    found.unwrap_or(Outcome::Never)
}

/// The bytes that can follow a run of bytes of a set with which an alternative begins; none, if it may match within it, or
/// that is not known. It may have fewer bytes: then it cannot match if another one follows.
pub fn beyond(program: &Program, start: Address, run: &ByteSet) -> Option<ByteSet> {
    let (mut seen, mut to_see) = (vec![false; program.ops.len()], vec![start]);
    let mut found = ByteSet::NONE;
    while let Some(at) = to_see.pop() {
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        let mut take = |set: ByteSet, may_be_empty: bool| {
            found = found.or(&set.and(&run.not()));
            may_be_empty || set.and(run) != ByteSet::NONE
        };
        let goes_on = match program.ops[at as usize] {
            Op::Byte(byte) => take(ByteSet::of(&[byte]), false),
            Op::Set(set) => take(program.set(set), false),
            Op::Run { scan, least, .. } | Op::Greedy { scan, least, .. } => {
                take(program.run(scan), least == 0)
            }
            Op::Lazy { set, least, .. } => take(program.set(set), least == 0),
            Op::Choose { table } => {
                to_see.extend(program.all_of(table));
                false
            }
            Op::Jump(exit) | Op::Look { exit, .. } => {
                to_see.push(exit);
                false
            }
            Op::Again { exit, .. } => {
                to_see.push(exit);
                true
            }
            Op::Same(_) | Op::Seen | Op::Matched(_) => return None,
            Op::Count { .. } | Op::Forget { .. } | Op::Open(_) | Op::Close(_) => true,
            Op::Ahead(_) | Op::Behind(_) | Op::At(_) => true,
        };
        if goes_on {
            to_see.push(at + 1);
        }
    }
    Some(found)
}
