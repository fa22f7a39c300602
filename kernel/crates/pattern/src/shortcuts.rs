//! What can be told of a match without the machine: by its first bytes, and the byte that ends a run of a set.
//!
//! Most tokens are such a run (names, white space), a byte or two, or a run between two marks (strings). For these a few
//! tables say where the match ends. They are made when a text has the bytes that need them, since a commit hook would
//! wait for all of them. Whatever is not certain is left to the machine.

use super::machine::Match;
use super::program::{Address, Op, Program};
use super::shortcut::{of_byte, of_pair, Endings, Shortcut};

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
    made: Vec<Shortcut>,
    endings: Endings,
}

impl Shortcuts {
    pub fn new(table: u32) -> Shortcuts {
        Shortcuts {
            table,
            firsts: [UNKNOWN; 256],
            pairs: [const { None }; 256],
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
        match of_byte(program, &mut self.endings, &left, first) {
            Some(shortcut) => self.number_of(shortcut),
            None if left.is_empty() => NEVER,
            None => MACHINE,
        }
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
