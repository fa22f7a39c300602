//! A pattern, compiled: instructions that a machine (`machine.rs`) follows, and what it may know beforehand.
//!
//! Where a pattern has a choice, the next byte of the text mostly decides it. So each choice has a table from that byte
//! to the alternatives that can begin with it (`Firsts` of all that follows up to the end of the pattern), and only
//! where two are left does the machine remember to come back. A run of bytes of a set that cannot begin what follows
//! is never given back. All that this leaves out would fail: what matches remains what Python's `re` matches.

use std::collections::HashMap;

use super::byte_set::Firsts;
use super::maker::Maker;
use super::node::{Place, Unserved, UNBOUNDED};
use super::scan::Scan;
use super::syntax::parse;

pub type Address = u32;
/// Ends a list of alternatives.
pub const NO_MORE: Address = u32::MAX;

/// Instructions; each but the last ones goes on with the one after it.
#[derive(Debug)]
pub enum Op {
    Byte(u8),
    Set(u32),
    /// As many bytes of a set as there are, which are never given back.
    Run {
        scan: u32,
        least: u32,
        most: u32,
    },
    /// The same, but given back one by one as far as what follows can begin.
    Greedy {
        scan: u32,
        least: u32,
        most: u32,
        then: u32,
    },
    /// As few bytes of a set as possible: up to what stops them, or what can follow.
    Lazy {
        set: u32,
        stop: u32,
        least: u32,
        most: u32,
        then: u32,
    },
    /// The alternatives that the next byte leaves.
    Choose {
        table: u32,
    },
    Jump(Address),
    /// Begins a counted repetition.
    Count {
        counter: u32,
    },
    /// The head of a counted repetition, whose body follows at once; it goes on at `exit`.
    Again {
        counter: u32,
        least: u32,
        most: u32,
        greedy: bool,
        body: u32,
        then: u32,
        exit: Address,
    },
    /// No text has matched these groups yet.
    Forget {
        first: u32,
        count: u32,
    },
    Open(u32),
    Close(u32),
    Same(u32),
    /// Whether the next byte, or the end of the text, is one of these.
    Ahead(u32),
    /// Whether the byte before, or the beginning of the text, is one of these.
    Behind(u32),
    /// A part that looks around and begins at the next instruction; all goes on at `exit`.
    Look {
        wanted: bool,
        back: u32,
        exit: Address,
    },
    At(Place),
    /// The end of the part that looks around.
    Seen,
    /// The end of the alternative of this number.
    Matched(u32),
}

/// An alternative of this number that needs no machine.
#[derive(Debug, Clone, Copy)]
pub enum Simple {
    Byte {
        number: u32,
    },
    /// A byte, and after it as many of a set as there are.
    Run {
        number: u32,
        scan: u32,
    },
}

/// Whether an alternative matches, as far as its first two bytes tell.
enum Begun {
    Never,
    Perhaps,
    Surely(Simple),
}

/// The instructions of some alternatives, and their tables.
#[derive(Debug, Default)]
pub struct Program {
    pub ops: Vec<Op>,
    pub sets: Vec<[bool; 256]>,
    pub scans: Vec<Scan>,
    /// For each byte, and for the end of the text, a place in `choices`.
    pub tables: Vec<[u32; 257]>,
    /// Lists of addresses, each ended by `NO_MORE`.
    pub choices: Vec<Address>,
    /// For each byte, and for the end of the text.
    pub peeks: Vec<[bool; 257]>,
    pub counters: usize,
    pub groups: usize,
    /// Where the alternatives begin.
    pub starts: Vec<Address>,
    /// What each alternative can begin with.
    pub firsts: Vec<Firsts>,
}

impl Program {
    /// Compile patterns, of which the first that matches counts.
    ///
    /// # Errors
    /// `Unserved`, if one of them holds anything that the kernel does not know.
    pub fn new<P: AsRef<[u8]>>(patterns: &[P]) -> Result<Program, Unserved> {
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

    /// What a byte begins for sure, given a table of alternatives, if that is simple and the only one that it leaves.
    pub fn simple(&self, table: u32, byte: u8) -> Option<Simple> {
        match *self.left(table, byte) {
            [start] => self.simple_from(start),
            _ => None,
        }
    }

    /// What a byte and the one after it begin for sure, if that is simple.
    pub fn simple_pair(&self, table: u32, byte: u8, next: u8) -> Option<Simple> {
        let left = self.left(table, byte).iter();
        let mut begun = left.map(|&start| match self.simple_from(start) {
            Some(simple) => Begun::Surely(simple),
            None => self.begun(start, next),
        });
        match begun.find(|one| !matches!(one, Begun::Never)) {
            Some(Begun::Surely(simple)) => Some(simple),
            _ => None,
        }
    }

    /// The alternatives that a byte leaves, given their table.
    fn left(&self, table: u32, byte: u8) -> &[Address] {
        let list = &self.choices[self.tables[table as usize][usize::from(byte)] as usize..];
        let end = list.iter().position(|&address| address == NO_MORE);
        &list[..end.unwrap_or(0)]
    }

    fn simple_from(&self, start: Address) -> Option<Simple> {
        match *self.ops.get(start as usize..)? {
            [Op::Byte(_) | Op::Set(_), Op::Matched(number), ..] => Some(Simple::Byte { number }),
            [Op::Byte(_) | Op::Set(_), Op::Run {
                scan,
                least: 0,
                most: UNBOUNDED,
            }, Op::Matched(number), ..]
            | [Op::Run {
                scan,
                least: 1,
                most: UNBOUNDED,
            }, Op::Matched(number), ..] => Some(Simple::Run { number, scan }),
            _ => None,
        }
    }

    /// What becomes of an alternative after a byte that it begins with; one that may be empty may not have taken it.
    fn begun(&self, start: Address, next: u8) -> Begun {
        match self.ops[start as usize] {
            Op::Byte(_) | Op::Set(_) => self.goes_on(start + 1, next),
            Op::Run { scan, least, .. } | Op::Greedy { scan, least, .. } if least > 0 => {
                self.runs_on(start, scan, least > 1, next)
            }
            _ => Begun::Perhaps,
        }
    }

    /// What becomes of it at an instruction, before a byte.
    fn goes_on(&self, at: Address, next: u8) -> Begun {
        let perhaps = |fits| if fits { Begun::Perhaps } else { Begun::Never };
        match self.ops[at as usize] {
            Op::Byte(byte) => perhaps(byte == next),
            Op::Set(set) => perhaps(self.sets[set as usize][usize::from(next)]),
            Op::Run { scan, least, .. } | Op::Greedy { scan, least, .. } => {
                self.runs_on(at, scan, least > 0, next)
            }
            Op::Choose { table } => match *self.left(table, next) {
                [] => Begun::Never,
                [one] => self.goes_on(one, next),
                _ => Begun::Perhaps,
            },
            // One that leads back belongs to a repetition.
            Op::Jump(target) if target > at => self.goes_on(target, next),
            Op::Matched(number) => Begun::Surely(Simple::Byte { number }),
            _ => Begun::Perhaps,
        }
    }

    fn runs_on(&self, at: Address, scan: u32, lacks: bool, next: u8) -> Begun {
        match (self.scans[scan as usize].before(&[next]), lacks) {
            (0, true) => Begun::Never,
            (0, false) => self.goes_on(at + 1, next),
            _ => Begun::Perhaps,
        }
    }

    /// A table for a choice of alternatives, each of which can begin with its own bytes.
    pub fn table(&mut self, alternatives: &[(Address, Firsts)]) -> u32 {
        let mut known: HashMap<Vec<Address>, u32> = HashMap::new();
        let table = std::array::from_fn(|next| {
            let list = alternatives
                .iter()
                .filter(|(_, firsts)| has(firsts, next))
                .map(|(start, _)| *start);
            let list: Vec<Address> = list.collect();
            let choices = &mut self.choices;
            *known.entry(list).or_insert_with_key(|list| {
                let place = choices.len() as u32;
                choices.extend(list);
                choices.push(NO_MORE);
                place
            })
        });
        self.tables.push(table);
        self.tables.len() as u32 - 1
    }
}

/// Whether a byte, or the end of the text (256), is among those.
pub fn has(firsts: &Firsts, next: usize) -> bool {
    u8::try_from(next).map_or(firsts.end, |byte| firsts.bytes.has(byte))
}
