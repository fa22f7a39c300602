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

/// What the first byte of a match, or its first two, lead to: a shortcut by its number from `FIRST` on, or one of these.
type Code = u16;
const UNKNOWN: Code = 0;
const MACHINE: Code = 1;
/// Nothing begins so.
const NEVER: Code = 2;
const FIRST: usize = 3;

/// The shortcuts of some alternatives.
pub struct Shortcuts {
    /// The number of their table in the program.
    pub table: u32,
    firsts: [Code; 256],
    pairs: [Option<Box<[Code; 256]>>; 256],
    /// By the alternatives that a first byte leaves.
    known: Vec<(Vec<Address>, Code)>,
    made: Vec<Shortcut>,
    endings: Endings,
}

/// What the next byte says after runs, by where these go on: the bytes after which that is not certain come last.
type Endings = Vec<(Address, [Outcome; NEXT], ByteSet)>;

impl Shortcuts {
    pub fn new(table: u32) -> Shortcuts {
        Shortcuts {
            table,
            firsts: [UNKNOWN; 256],
            pairs: [const { None }; 256],
            known: Vec::new(),
            made: Vec::new(),
            endings: Vec::new(),
        }
    }

    /// The match at a place, if a known shortcut leads to it.
    #[inline]
    pub fn taken(&self, program: &Program, text: &[u8], at: usize) -> Option<Match> {
        let first = usize::from(*text.get(at)?);
        let mut code = self.firsts[first];
        if code == MACHINE {
            let next = usize::from(*text.get(at + 1)?);
            code = self.pairs[first].as_ref()?[next];
        }
        let shortcut = self.made.get(usize::from(code).wrapping_sub(FIRST))?;
        shortcut.taken(program, text, at)
    }

    /// The same where that is not known yet, or another shortcut may lead to it; or that nothing matches.
    #[inline(never)]
    pub fn found(&mut self, program: &Program, text: &[u8], at: usize) -> Option<Option<Match>> {
        let first = *text.get(at)?;
        if self.firsts[usize::from(first)] == UNKNOWN {
            self.firsts[usize::from(first)] = self.code_of_byte(program, first);
            return self.found_anew(program, text, at);
        }
        if self.firsts[usize::from(first)] == NEVER {
            return Some(None);
        }
        let next = *text.get(at + 1)?;
        let codes = self.pairs[usize::from(first)].as_deref();
        let code = match codes.map_or(UNKNOWN, |codes| codes[usize::from(next)]) {
            UNKNOWN => self.new_code_of_pair(program, first, next),
            known => known,
        };
        let shortcut = self.made.get(usize::from(code).wrapping_sub(FIRST))?;
        shortcut.taken(program, text, at).map(Some)
    }

    #[cold]
    fn found_anew(&mut self, program: &Program, text: &[u8], at: usize) -> Option<Option<Match>> {
        match self.taken(program, text, at) {
            Some(found) => Some(Some(found)),
            None => self.found(program, text, at),
        }
    }

    #[cold]
    fn code_of_byte(&mut self, program: &Program, first: u8) -> Code {
        let left = begun_with(program, self.table, first);
        if let Some((_, code)) = self.known.iter().find(|(known, _)| *known == left) {
            return *code;
        }
        let code = match of_byte(program, &mut self.endings, &left, first) {
            Some(shortcut) => self.number_of(shortcut),
            None if left.is_empty() => NEVER,
            None => MACHINE,
        };
        self.known.push((left, code));
        code
    }

    #[cold]
    fn new_code_of_pair(&mut self, program: &Program, first: u8, next: u8) -> Code {
        let left = begun_with(program, self.table, first);
        let code = match of_pair(program, &mut self.endings, &left, [first, next]) {
            Some(shortcut) => self.number_of(shortcut),
            None => MACHINE,
        };
        // That of the first byte has been tried.
        let is_new = code != self.firsts[usize::from(first)];
        let code = if is_new { code } else { MACHINE };
        let codes = self.pairs[usize::from(first)].get_or_insert_with(|| Box::new([UNKNOWN; 256]));
        codes[usize::from(next)] = code;
        code
    }

    fn number_of(&mut self, shortcut: Shortcut) -> Code {
        let known = self.made.iter().position(|made| *made == shortcut);
        let place = known.unwrap_or_else(|| {
            self.made.push(shortcut);
            self.made.len() - 1
        });
        (place + FIRST) as Code
    }
}

/// Where the alternatives that a byte leaves go on, if they begin with choices.
fn begun_with(program: &Program, table: u32, first: u8) -> Vec<Address> {
    let (mut seen, mut found) = (Vec::new(), Vec::new());
    let mut to_see: Vec<Address> = program.left(table, usize::from(first)).to_vec();
    to_see.reverse();
    while let Some(at) = to_see.pop() {
        if seen.contains(&at) {
            continue;
        }
        seen.push(at);
        match program.ops[at as usize] {
            Op::Choose { table } => {
                to_see.extend(program.left(table, usize::from(first)).iter().rev());
            }
            _ => found.push(at),
        }
    }
    found
}

fn of_byte(
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

fn of_pair(
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
            Op::Run {
                scan,
                least: 0,
                most: 1,
            } => is_in(program.run(scan)),
            Op::Run { scan, least, most }
            | Op::Greedy {
                scan, least, most, ..
            } => {
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
