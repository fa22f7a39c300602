//! A pattern, compiled: instructions that a machine (`machine.rs`) follows, and what it may know beforehand.
//!
//! Where a pattern has a choice, the next byte of the text mostly decides it. So each choice has a table from that byte
//! to the alternatives that can begin with it (`Firsts` of all that follows up to the end of the pattern), and only
//! where two are left does the machine remember to come back. A run of bytes of a set that cannot begin what follows
//! is never given back. All that this leaves out would fail: what matches remains what Python's `re` matches.

use super::byte_set::{ByteSet, Firsts};
use super::node::Place;
use super::scan::Scan;

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

/// The instructions of some alternatives, and their tables.
#[derive(Debug, Default)]
pub struct Program {
    pub ops: Vec<Op>,
    pub sets: Vec<[bool; 256]>,
    pub scans: Vec<Scan>,
    /// What each of them finds.
    pub scanned: Vec<ByteSet>,
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
    /// The alternatives that a byte, or the end of the text (256), leaves, given their table.
    pub fn left(&self, table: u32, next: usize) -> &[Address] {
        let list = &self.choices[self.tables[table as usize][next] as usize..];
        let end = list.iter().position(|&address| address == NO_MORE);
        &list[..end.unwrap_or(0)]
    }

    /// All alternatives of a table, some of them several times.
    pub fn all_of(&self, table: u32) -> impl Iterator<Item = Address> + '_ {
        let mut places = self.tables[table as usize].to_vec();
        places.dedup();
        let lists = places.into_iter().map(|place| &self.choices[place as usize..]);
        lists.flat_map(|list| list.iter().copied().take_while(|&address| address != NO_MORE))
    }

    /// The bytes that a run consists of, given what ends it.
    pub fn run(&self, scan: u32) -> ByteSet {
        self.scanned[scan as usize].not()
    }

    pub fn set(&self, set: u32) -> ByteSet {
        ByteSet::whose(|byte| self.sets[set as usize][usize::from(byte)])
    }

    /// The number of the alternative that an instruction belongs to.
    pub fn number_at(&self, at: Address) -> u32 {
        self.starts.partition_point(|&start| start <= at) as u32 - 1
    }

    /// A table for a choice of alternatives, each of which can begin with its own bytes.
    pub fn table(&mut self, alternatives: &[(Address, Firsts)]) -> u32 {
        let (groups, count) = grouped(alternatives);
        let mut places = vec![None; count];
        let table = std::array::from_fn(|next| {
            *places[groups[next]].get_or_insert_with(|| {
                let place = self.choices.len() as u32;
                let list = alternatives.iter().filter(|(_, firsts)| firsts.has(next));
                self.choices.extend(list.map(|(start, _)| *start));
                self.choices.push(NO_MORE);
                place
            })
        });
        self.tables.push(table);
        self.tables.len() as u32 - 1
    }
}

/// The group of each byte, and of the end of the text, and how many groups there may be: those of one group can begin the
/// same alternatives. Each alternative divides the groups; a hook would wait for lists to be made and compared.
fn grouped(alternatives: &[(Address, Firsts)]) -> ([usize; 257], usize) {
    let mut groups = [0; 257];
    // By group: the alternative that divided it last, and the group that this made.
    let mut divided = vec![(usize::MAX, 0)];
    for (number, (_, firsts)) in alternatives.iter().enumerate() {
        for (next, group) in groups.iter_mut().enumerate() {
            if firsts.has(next) {
                if divided[*group].0 != number {
                    divided[*group] = (number, divided.len());
                    divided.push((usize::MAX, 0));
                }
                *group = divided[*group].1;
            }
        }
    }
    (groups, divided.len())
}
