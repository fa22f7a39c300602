//! What can be told of a match without the machine: by its first bytes, and the byte that ends a run of a set.
//!
//! Most tokens are such a run (names, white space), a byte or two, or a run between two marks (strings). For these a few
//! tables say where the match ends. They are made when a text has the bytes that need them, since a commit hook would
//! wait for all of them. Whatever is not certain is left to the machine.

use super::byte_set::ByteSet;
use super::certainty::{beyond, Certainty, Outcome, NEXT};
use super::machine::Match;
use super::node::UNBOUNDED;
use super::program::{Address, Op, Program};

/// How matches that begin alike end.
#[derive(Debug, PartialEq, Eq)]
struct Shortcut {
    /// The alternative.
    number: u32,
    /// Bytes before the run or, if there is none, all of them.
    skipped: usize,
    run: Option<Run>,
}

/// A run of bytes of a set, and what follows it.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    /// What ends it.
    scan: u32,
    /// By the byte that does.
    ends: [Outcome; NEXT],
    /// After these bytes that is not certain.
    unless_after: Option<ByteSet>,
}

/// What the first bytes of a match lead to: a shortcut by its number from `FIRST` on, or one of these.
type Code = u16;
const UNKNOWN: Code = 0;
const MACHINE: Code = 1;
/// The byte after it tells.
const PAIR: Code = 2;
const FIRST: Code = 3;

/// The shortcuts of some alternatives.
pub struct Shortcuts {
    /// The number of their table in the program.
    pub table: u32,
    firsts: [Code; 256],
    pairs: [Option<Box<[Code; 256]>>; 256],
    /// By the alternatives that a first byte leaves.
    known: Vec<(Vec<Address>, Code)>,
    made: Vec<Shortcut>,
}

impl Shortcuts {
    pub fn new(table: u32) -> Shortcuts {
        Shortcuts {
            table,
            firsts: [UNKNOWN; 256],
            pairs: [const { None }; 256],
            known: Vec::new(),
            made: Vec::new(),
        }
    }

    /// The match at a place, if it is certain; none does not say that there is none.
    #[inline]
    pub fn taken(&mut self, program: &Program, text: &[u8], at: usize) -> Option<Match> {
        let first = *text.get(at)?;
        let mut code = self.firsts[usize::from(first)];
        if code == PAIR {
            let next = *text.get(at + 1)?;
            let codes = self.pairs[usize::from(first)].as_deref();
            code = codes.map_or(UNKNOWN, |codes| codes[usize::from(next)]);
        }
        if code == UNKNOWN {
            code = self.new_code(program, first, text.get(at + 1).copied());
        }
        let place = usize::from(code.checked_sub(FIRST)?);
        self.made.get(place)?.taken(program, text, at)
    }

    #[cold]
    fn new_code(&mut self, program: &Program, first: u8, next: Option<u8>) -> Code {
        if self.firsts[usize::from(first)] == UNKNOWN {
            self.firsts[usize::from(first)] = self.code_of_byte(program, first);
        }
        match (self.firsts[usize::from(first)], next) {
            (PAIR, Some(next)) => self.code_of_pair(program, first, next),
            (PAIR, None) => MACHINE,
            (code, _) => code,
        }
    }

    fn code_of_byte(&mut self, program: &Program, first: u8) -> Code {
        let left = begun_with(program, self.table, first);
        if let Some((_, code)) = self.known.iter().find(|(known, _)| *known == left) {
            return *code;
        }
        let code = match of_byte(program, &left, first) {
            Some(shortcut) => self.number_of(shortcut),
            None => PAIR,
        };
        self.known.push((left, code));
        code
    }

    fn code_of_pair(&mut self, program: &Program, first: u8, next: u8) -> Code {
        let codes = self.pairs[usize::from(first)].get_or_insert_with(|| Box::new([UNKNOWN; 256]));
        let mut code = codes[usize::from(next)];
        if code == UNKNOWN {
            let left = begun_with(program, self.table, first);
            code = match of_pair(program, &left, [first, next]) {
                Some(shortcut) => self.number_of(shortcut),
                None => MACHINE,
            };
            if let Some(codes) = &mut self.pairs[usize::from(first)] {
                codes[usize::from(next)] = code;
            }
        }
        code
    }

    fn number_of(&mut self, shortcut: Shortcut) -> Code {
        let known = self.made.iter().position(|made| *made == shortcut);
        let place = known.unwrap_or_else(|| {
            self.made.push(shortcut);
            self.made.len() - 1
        });
        place as Code + FIRST
    }
}

/// The alternatives that a byte leaves; of one that begins with a choice that the byte decides, where it leads.
fn begun_with(program: &Program, table: u32, first: u8) -> Vec<Address> {
    let decided = |&start: &Address| match program.ops[start as usize] {
        Op::Choose { table } => match *program.left(table, usize::from(first)) {
            [one] => one,
            _ => start,
        },
        _ => start,
    };
    let left = program.left(table, usize::from(first));
    left.iter().map(decided).collect()
}

fn of_byte(program: &Program, left: &[Address], first: u8) -> Option<Shortcut> {
    let bytes = [first];
    for (number, &start) in left.iter().enumerate() {
        if let Some(shortcut) = Shortcut::with_run(program, start, &bytes, &left[..number]) {
            return Some(shortcut);
        }
    }
    let start = *left.first()?;
    let is_all = matches!(program.ops[start as usize], Op::Byte(_) | Op::Set(_))
        && matches!(program.ops[start as usize + 1], Op::Matched(_));
    is_all.then(|| Shortcut::of_length(program, start, 1))
}

fn of_pair(program: &Program, left: &[Address], bytes: [u8; 2]) -> Option<Shortcut> {
    let mut doubted = Vec::new();
    for &start in left {
        let outcome = Certainty::new(program).of_begun(start, bytes[0], usize::from(bytes[1]));
        let shortcut = match outcome {
            Outcome::Never => continue,
            Outcome::Perhaps => Shortcut::with_run(program, start, &bytes, &doubted),
            _ if !doubted.is_empty() => return None,
            Outcome::Here => Some(Shortcut::of_length(program, start, 1)),
            Outcome::After => Some(Shortcut::of_length(program, start, 2)),
        };
        if shortcut.is_some() {
            return shortcut;
        }
        doubted.push(start);
    }
    None
}

impl Shortcut {
    fn of_length(program: &Program, start: Address, length: usize) -> Shortcut {
        Shortcut {
            number: program.number_at(start),
            skipped: length,
            run: None,
        }
    }

    /// Of an alternative that has a run after some of these bytes, with which it begins. Those that come before it must
    /// not match; what follows the run tells that, if the bytes are of its set, too.
    fn with_run(
        program: &Program,
        start: Address,
        bytes: &[u8],
        before: &[Address],
    ) -> Option<Shortcut> {
        let (skipped, scan) = run_after(program, start, bytes)?;
        let then = start + skipped as Address + 1;
        let mut certainty = Certainty::new(program);
        let mut ends = std::array::from_fn(|next| certainty.at(then, next));
        let run = program.run(scan);
        let is_all_run = bytes.iter().all(|&byte| run.has(byte));
        for &other in before {
            let others = Some(beyond(program, other, &run)?).filter(|_| is_all_run)?;
            for byte in others.bytes() {
                ends[usize::from(byte)] = Outcome::Perhaps;
            }
        }
        let unless_after = Some(certainty.unless_after).filter(|set| *set != ByteSet::NONE);
        let run = Run {
            scan,
            ends,
            unless_after,
        };
        Some(Shortcut {
            number: program.number_at(start),
            skipped,
            run: Some(run),
        })
    }

    #[inline]
    fn taken(&self, program: &Program, text: &[u8], at: usize) -> Option<Match> {
        let begun = at + self.skipped;
        match &self.run {
            None => Some((self.number, begun)),
            Some(run) => run.end(program, text, begun).map(|end| (self.number, end)),
        }
    }
}

impl Run {
    /// Where a match ends that has this run at a place.
    #[inline]
    fn end(&self, program: &Program, text: &[u8], at: usize) -> Option<usize> {
        let end = at + program.scans[self.scan as usize].before(&text[at..]);
        let next = text.get(end).map_or(256, |&byte| usize::from(byte));
        if self.unless_after.is_some_and(|set| set.has(text[end - 1])) {
            return None;
        }
        match self.ends[next] {
            Outcome::Here => Some(end),
            Outcome::After => Some(end + 1),
            Outcome::Never | Outcome::Perhaps => None,
        }
    }
}

/// After how many of some bytes, which an alternative begins with, it has a run, which takes them if they are none; and
/// what ends the run.
fn run_after(program: &Program, start: Address, bytes: &[u8]) -> Option<(usize, u32)> {
    for skipped in 0..=bytes.len() {
        let fits = match program.ops[start as usize + skipped] {
            Op::Run { scan, least, most }
            | Op::Greedy {
                scan, least, most, ..
            } => {
                let goes_on = || {
                    bytes
                        .get(skipped)
                        .is_some_and(|&byte| program.run(scan).has(byte))
                };
                let is_begun = least == 0 && skipped > 0 || least == 1 && goes_on();
                return (is_begun && most == UNBOUNDED).then_some((skipped, scan));
            }
            Op::Byte(byte) => bytes.get(skipped) == Some(&byte),
            Op::Set(set) => bytes
                .get(skipped)
                .is_some_and(|&byte| program.set(set).has(byte)),
            _ => false,
        };
        if !fits {
            return None;
        }
    }
    None
}
