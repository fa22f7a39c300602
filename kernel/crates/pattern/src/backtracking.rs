//! What a machine remembers, and comes back to where a way leads to no match: the last way that it did not take.

use super::program::{Address, Op, Program, NO_MORE};

/// A text that would take more memory to match than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMuch;

/// No place of a text: it is shorter.
pub const NOWHERE: u32 = u32::MAX;

/// Records that the machine may keep, of 16 bytes each.
const MOST_RECORDS: usize = 1 << 20;

/// What to come back to, or to undo on the way.
pub enum Record {
    /// The alternatives from this place of `choices` on.
    Choices {
        place: u32,
        at: u32,
    },
    /// A run that may be given back, one byte at least, down to a place.
    Shorter {
        run: Address,
        floor: u32,
        at: u32,
    },
    /// A run that may go on from a place, up to another.
    Longer {
        run: Address,
        at: u32,
        limit: u32,
    },
    /// What follows a repetition.
    Exit {
        address: Address,
        at: u32,
    },
    /// One more round of the repetition with this head.
    Round {
        head: Address,
        at: u32,
    },
    Counter {
        counter: u32,
        value: u32,
    },
    Group {
        group: u32,
        start: u32,
        end: u32,
    },
}

/// What a machine remembers; made once for many texts.
#[derive(Default)]
pub struct Machine {
    pub records: Vec<Record>,
    pub counters: Vec<u32>,
    pub groups: Vec<(u32, u32)>,
    pub opened: Vec<u32>,
}

impl Machine {
    pub fn for_program(program: &Program) -> Machine {
        Machine {
            records: Vec::new(),
            counters: vec![0; program.counters],
            groups: vec![(NOWHERE, NOWHERE); program.groups],
            opened: vec![0; program.groups],
        }
    }

    /// Where a group stands; none if nothing has matched it.
    pub fn group(&self, number: usize) -> Option<(usize, usize)> {
        let (start, end) = self.groups[number];
        (start != NOWHERE).then_some((start as usize, end as usize))
    }

    #[inline]
    pub fn remember(&mut self, record: Record) -> Result<(), TooMuch> {
        if self.records.len() >= MOST_RECORDS {
            return Err(TooMuch);
        }
        self.records.push(record);
        Ok(())
    }

    /// The last way that was not taken.
    pub fn back(
        &mut self,
        program: &Program,
        text: &[u8],
        bottom: usize,
    ) -> Result<Option<(Address, usize)>, TooMuch> {
        while self.records.len() > bottom {
            let Some(record) = self.records.pop() else {
                return Ok(None);
            };
            match record {
                Record::Choices { place, at } => {
                    if let Some(address) = self.first_of(program, place, at as usize)? {
                        return Ok(Some((address, at as usize)));
                    }
                }
                Record::Shorter { run, floor, at } => {
                    if let Op::Greedy { then, .. } = program.ops[run as usize] {
                        if let Some(at) = self.given_back(
                            program,
                            text,
                            (run, then),
                            floor as usize,
                            at as usize,
                        )? {
                            return Ok(Some((run + 1, at)));
                        }
                    }
                }
                Record::Longer { run, at, limit } => {
                    if let Op::Lazy { set, stop, then, .. } = program.ops[run as usize] {
                        let rest = (run, set, stop, then);
                        if let Some(at) =
                            self.gone_on(program, text, rest, at as usize, limit as usize)?
                        {
                            return Ok(Some((run + 1, at)));
                        }
                    }
                }
                Record::Exit { address, at } => return Ok(Some((address, at as usize))),
                Record::Round { head, at } => {
                    if let Op::Again { counter, .. } = program.ops[head as usize] {
                        let count = self.counters[counter as usize];
                        self.set_counter(counter, count + 1, bottom)?;
                        return Ok(Some((head + 1, at as usize)));
                    }
                }
                Record::Counter { counter, value } => self.counters[counter as usize] = value,
                Record::Group { group, start, end } => self.groups[group as usize] = (start, end),
            }
        }
        Ok(None)
    }

    /// The first of some alternatives; the others are remembered.
    #[inline]
    pub fn first_of(
        &mut self,
        program: &Program,
        place: u32,
        at: usize,
    ) -> Result<Option<Address>, TooMuch> {
        let first = program.choices[place as usize];
        if first == NO_MORE {
            return Ok(None);
        }
        if program.choices[place as usize + 1] != NO_MORE {
            self.remember(Record::Choices { place: place + 1, at: at as u32 })?;
        }
        Ok(Some(first))
    }

    #[inline]
    pub fn set_counter(&mut self, counter: u32, value: u32, bottom: usize) -> Result<(), TooMuch> {
        let old = std::mem::replace(&mut self.counters[counter as usize], value);
        if self.records.len() > bottom {
            self.remember(Record::Counter { counter, value: old })?;
        }
        Ok(())
    }

    /// The last place before another one, not below the floor, where what follows a greedy run can begin.
    pub fn given_back(
        &mut self,
        program: &Program,
        text: &[u8],
        (run, then): (Address, u32),
        floor: usize,
        before: usize,
    ) -> Result<Option<usize>, TooMuch> {
        let can_follow = &program.peeks[then as usize];
        let found = (floor..before).rev().find(|&place| can_follow[next_of(text, place)]);
        if let Some(place) = found.filter(|&place| place > floor) {
            self.remember(Record::Shorter { run, floor: floor as u32, at: place as u32 })?;
        }
        Ok(found)
    }

    /// The first place from another one on, not beyond the limit, where what follows a lazy run can begin.
    pub fn gone_on(
        &mut self,
        program: &Program,
        text: &[u8],
        (run, set, stop, then): (Address, u32, u32, u32),
        from: usize,
        limit: usize,
    ) -> Result<Option<usize>, TooMuch> {
        let place = from + program.scans[stop as usize].before(&text[from..limit]);
        let next = next_of(text, place);
        if place < limit && program.sets[set as usize][next] {
            self.remember(Record::Longer { run, at: place as u32 + 1, limit: limit as u32 })?;
        }
        Ok(program.peeks[then as usize][next].then_some(place))
    }
}

/// The next byte, or 256 for the end of the text.
#[inline]
pub fn next_of(text: &[u8], at: usize) -> usize {
    text.get(at).map_or(256, |&byte| usize::from(byte))
}
