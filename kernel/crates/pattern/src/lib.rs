//! A matcher for a part of Python's regular expressions over bytes, with the very matches of `re`.
//!
//! ```
//! use winnow_pattern::Pattern;
//!
//! let mut pattern = Pattern::new(&["[a-z]+", r"\d+(?!\d|\.)"])?;
//! assert_eq!(pattern.at(b"x = 12.5", 0), Ok(Some((0, 1))));
//! assert_eq!(pattern.at(b"x = 12.5", 4), Ok(None));
//! let found = pattern.search(b"x = 12.5", 1).unwrap().unwrap();
//! assert_eq!((found.alternative, found.start, found.end), (1, 7, 8));
//! assert!(Pattern::new(&["a$"]).is_err());
//! # Ok::<(), winnow_pattern::Unserved>(())
//! ```
//!
//! `Unserved` says what of `re` it does not know; it never reads a pattern in another way. A match takes a bounded stack.
#![forbid(unsafe_code)]

mod backtracking;
mod byte_set;
mod certainty;
mod cursor;
mod escapes;
mod following;
mod machine;
mod maker;
mod node;
mod program;
mod scan;
mod shortcut;
mod shortcuts;
mod syntax;

use backtracking::Machine;
use byte_set::ByteSet;
use maker::Maker;
use program::{Op, Program};
use scan::Scan;
use shortcuts::Shortcuts;
use syntax::parse;

pub use backtracking::TooMuch;
pub use machine::Match;
pub use node::Unserved;

/// Some patterns of which the first that matches counts, as if joined by `|`.
pub struct Pattern {
    program: Program,
    machine: Machine,
    /// All alternatives, then those of each `Choice` that was asked for.
    chosen: Vec<Shortcuts>,
    /// Finds where a match may begin; none if it may be empty.
    begins: Option<Scan>,
}

/// Some alternatives of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice(usize);

const ALL: Choice = Choice(0);

/// A match somewhere in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub alternative: u32,
    pub start: usize,
    pub end: usize,
}

impl Pattern {
    /// # Errors
    /// `Unserved`, if a pattern holds anything that the kernel does not know.
    pub fn new<P: AsRef<[u8]>>(alternatives: &[P]) -> Result<Pattern, Unserved> {
        let program = compiled(alternatives)?;
        let machine = Machine::for_program(&program);
        let mut begins = Some(ByteSet::NONE);
        for firsts in &program.firsts {
            begins = begins.filter(|_| !firsts.end).map(|set| set.or(&firsts.bytes));
        }
        let mut pattern = Pattern {
            program,
            machine,
            chosen: Vec::new(),
            begins: begins.map(|set| Scan::new(&set)),
        };
        pattern.only(|_| true);
        Ok(pattern)
    }

    /// Only those alternatives whose number is chosen.
    pub fn only(&mut self, is_chosen: impl Fn(usize) -> bool) -> Choice {
        let all = self.program.starts.iter().zip(&self.program.firsts);
        let chosen: Vec<_> = all
            .enumerate()
            .filter(|(number, _)| is_chosen(*number))
            .map(|(_, (start, firsts))| (*start, *firsts))
            .collect();
        let table = self.program.table(&chosen);
        self.chosen.push(Shortcuts::new(table));
        Choice(self.chosen.len() - 1)
    }

    /// Match at a place.
    ///
    /// # Errors
    /// `TooMuch`, if that takes too much memory.
    pub fn at(&mut self, text: &[u8], at: usize) -> Result<Option<Match>, TooMuch> {
        self.one_at(ALL, text, at)
    }

    /// The same with some of the alternatives.
    #[inline]
    pub fn one_at(
        &mut self,
        choice: Choice,
        text: &[u8],
        at: usize,
    ) -> Result<Option<Match>, TooMuch> {
        match self.chosen[choice.0].taken(&self.program, text, at) {
            Some(taken) => Ok(Some(taken)),
            None => self.found(choice, text, at),
        }
    }

    #[inline(never)]
    fn found(&mut self, choice: Choice, text: &[u8], at: usize) -> Result<Option<Match>, TooMuch> {
        let shortcuts = &mut self.chosen[choice.0];
        match shortcuts.found(&self.program, text, at) {
            Some(found) => Ok(found),
            None => self.machine.choose(&self.program, text, shortcuts.table, at),
        }
    }

    /// Where a group of the last match stands, counted from 0; none if it matched nothing.
    pub fn group(&self, number: usize) -> Option<(usize, usize)> {
        self.machine.group(number)
    }

    /// Find the first match from a place on.
    ///
    /// # Errors
    /// `TooMuch`, if that takes too much memory.
    pub fn search(&mut self, text: &[u8], from: usize) -> Result<Option<Found>, TooMuch> {
        let mut start = from;
        while start <= text.len() {
            start += self.begins.as_ref().map_or(0, |scan| scan.before(&text[start..]));
            if start == text.len() && self.begins.is_some() {
                break;
            }
            if let Some((alternative, end)) = self.at(text, start)? {
                return Ok(Some(Found { alternative, start, end }));
            }
            start += 1;
        }
        Ok(None)
    }
}

/// Compile patterns, of which the first that matches counts.
fn compiled<P: AsRef<[u8]>>(patterns: &[P]) -> Result<Program, Unserved> {
    let mut maker = Maker::default();
    for (number, pattern) in patterns.iter().enumerate() {
        let (node, groups) = parse(pattern.as_ref())?;
        let start = maker.here();
        maker.program.starts.push(start);
        maker.begin_groups(groups);
        maker.node(&node);
        maker.emit(Op::Matched(number as u32));
    }
    Ok(maker.finished())
}
