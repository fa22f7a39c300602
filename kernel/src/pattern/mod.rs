//! A matcher for the part of Python's regular expressions that the tables use, with the very matches of `re`.

mod byte_set;
mod expression;
mod machine;
mod program;
mod scan;
mod syntax;

use pyo3::prelude::*;

use byte_set::ByteSet;
use machine::Machine;
use program::{Address, Program};
use scan::Scan;

pub use machine::{Match, TooMuch};
pub use syntax::Unserved;

/// Some patterns of which the first that matches counts, as if joined by `|`.
pub struct Pattern {
    program: Program,
    machine: Machine,
    all: Choice,
    /// Finds where a match may begin; none if it may be empty.
    begins: Option<Scan>,
}

/// Some alternatives of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice(u32);

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
        let mut program = Program::new(alternatives)?;
        let machine = Machine::for_program(&program);
        let all = table_of(&mut program, |_| true);
        let mut begins = Some(ByteSet::NONE);
        for firsts in &program.firsts {
            begins = begins
                .filter(|_| !firsts.end)
                .map(|set| set.or(&firsts.bytes));
        }
        Ok(Pattern {
            program,
            machine,
            all,
            begins: begins.map(|set| Scan::new(&set)),
        })
    }

    /// Only those alternatives whose number is chosen.
    pub fn only(&mut self, is_chosen: impl Fn(usize) -> bool) -> Choice {
        table_of(&mut self.program, is_chosen)
    }

    /// Match at a place.
    ///
    /// # Errors
    /// `TooMuch`, if that takes too much memory.
    pub fn at(&mut self, text: &[u8], at: usize) -> Result<Option<Match>, TooMuch> {
        self.one_at(self.all, text, at)
    }

    /// The same with some of the alternatives.
    #[inline]
    pub fn one_at(
        &mut self,
        choice: Choice,
        text: &[u8],
        at: usize,
    ) -> Result<Option<Match>, TooMuch> {
        self.machine.choose(&self.program, text, choice.0, at)
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
            start += self
                .begins
                .as_ref()
                .map_or(0, |scan| scan.before(&text[start..]));
            if let Some((alternative, end)) = self.at(text, start)? {
                return Ok(Some(Found {
                    alternative,
                    start,
                    end,
                }));
            }
            start += 1;
        }
        Ok(None)
    }
}

fn table_of(program: &mut Program, is_chosen: impl Fn(usize) -> bool) -> Choice {
    let all = program
        .starts
        .iter()
        .copied()
        .zip(program.firsts.iter().copied());
    let chosen: Vec<(Address, _)> = all
        .enumerate()
        .filter(|(number, _)| is_chosen(*number))
        .map(|(_, one)| one)
        .collect();
    Choice(program.table(&chosen))
}

/// Add what tests need to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<expression::Expression>()
}
