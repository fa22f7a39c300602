//! One way to tell where matches that begin alike end (`shortcuts.rs`).

use super::byte_set::ByteSet;
use super::certainty::{beyond, Certainty, Outcome, NEXT};
use super::machine::Match;
use super::node::UNBOUNDED;
use super::program::{Address, Op, Program};

/// How matches that begin alike end.
#[derive(Debug, PartialEq, Eq)]
pub struct Shortcut {
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

/// What the next byte says after runs, by where these go on: the bytes after which that is not certain come last.
pub type Endings = Vec<(Address, [Outcome; NEXT], ByteSet)>;

/// The shortcut of what a byte begins, given the alternatives that it leaves.
pub fn of_byte(
    program: &Program,
    endings: &mut Endings,
    left: &[Address],
    first: u8,
) -> Option<Shortcut> {
    let bytes = [first];
    for (number, &start) in left.iter().enumerate() {
        if let Some(shortcut) = Shortcut::with_run(program, endings, start, &bytes, &left[..number])
        {
            return Some(shortcut);
        }
    }
    let start = *left.first()?;
    let is_all = matches!(program.ops[start as usize], Op::Byte(_) | Op::Set(_))
        && matches!(program.ops[start as usize + 1], Op::Matched(_));
    is_all.then(|| Shortcut::of_length(program, start, 1))
}

/// The same of two bytes.
pub fn of_pair(
    program: &Program,
    endings: &mut Endings,
    left: &[Address],
    bytes: [u8; 2],
) -> Option<Shortcut> {
    let mut doubted = Vec::new();
    for &start in left {
        let outcome = Certainty::new(program).of_begun(start, bytes[0], usize::from(bytes[1]));
        let shortcut = match outcome {
            Outcome::Never => continue,
            Outcome::Perhaps => Shortcut::with_run(program, endings, start, &bytes, &doubted),
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
        Shortcut { number: program.number_at(start), skipped: length, run: None }
    }

    /// Of an alternative that has a run after some of these bytes, with which it begins. Those that come before it must
    /// not match; what follows the run tells that, if the bytes are of its set, too.
    fn with_run(
        program: &Program,
        endings: &mut Endings,
        start: Address,
        bytes: &[u8],
        before: &[Address],
    ) -> Option<Shortcut> {
        let (skipped, scan, then) = run_after(program, start, bytes)?;
        let (mut ends, unless_after) = ending(program, endings, then);
        let run = program.run(scan);
        let is_all_run = bytes.iter().all(|&byte| run.has(byte));
        for &other in before {
            let others = Some(beyond(program, other, &run)?).filter(|_| is_all_run)?;
            for byte in others.bytes() {
                ends[usize::from(byte)] = Outcome::Perhaps;
            }
        }
        let unless_after = Some(unless_after).filter(|set| *set != ByteSet::NONE);
        let run = Run { scan, ends, unless_after };
        Some(Shortcut { number: program.number_at(start), skipped, run: Some(run) })
    }

    #[inline]
    pub fn taken(&self, program: &Program, text: &[u8], at: usize) -> Option<Match> {
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

fn ending(program: &Program, endings: &mut Endings, then: Address) -> ([Outcome; NEXT], ByteSet) {
    if let Some((_, ends, unless_after)) = endings.iter().find(|known| known.0 == then) {
        return (*ends, *unless_after);
    }
    let mut certainty = Certainty::new(program);
    let ends = std::array::from_fn(|next| certainty.at(then, next));
    endings.push((then, ends, certainty.unless_after));
    (ends, certainty.unless_after)
}

/// After how many of some bytes, which an alternative begins with, it has a run, which takes them if they are none; what
/// ends the run, and where it goes on.
fn run_after(program: &Program, start: Address, bytes: &[u8]) -> Option<(usize, u32, Address)> {
    let (mut at, mut skipped) = (start, 0);
    loop {
        let next = bytes.get(skipped);
        let is_in = |set: ByteSet| next.is_some_and(|&byte| set.has(byte));
        let takes = match program.ops[at as usize] {
            Op::Run { scan, least: 0, most: 1 } => is_in(program.run(scan)),
            Op::Run { scan, least, most } | Op::Greedy { scan, least, most, .. } => {
                let is_begun = match least {
                    0 => skipped > 0,
                    _ => least == 1 && is_in(program.run(scan)),
                };
                return (is_begun && most == UNBOUNDED).then_some((skipped, scan, at + 1));
            }
            Op::Byte(byte) if next == Some(&byte) => true,
            Op::Set(set) if is_in(program.set(set)) => true,
            _ => return None,
        };
        skipped += usize::from(takes);
        at += 1;
    }
}
