//! Follows a program: matches as Python's `re` does, the first alternative that leads to a match before the others.
//!
//! What it has to come back to lies on a stack of its own, whose height is bounded, so no text can exhaust the memory
//! or the thread's stack. Only parts that look around call the machine anew, as deep as they are nested in the pattern.

use super::backtracking::{next_of, Machine, Record, TooMuch, NOWHERE};
use super::node::Place;
use super::program::{Address, Op, Program};

/// The number of the alternative that matched, and where its match ends.
pub type Match = (u32, usize);

impl Machine {
    /// Match at a place of a text, which is shorter than 4 GiB, from an address on.
    ///
    /// # Errors
    /// `TooMuch`, if that takes too much memory.
    #[inline]
    pub fn run(
        &mut self,
        program: &Program,
        text: &[u8],
        address: Address,
        at: usize,
    ) -> Result<Option<Match>, TooMuch> {
        let bottom = self.records.len();
        let found = self.follow(program, text, address, at, bottom);
        self.records.truncate(bottom);
        found
    }

    /// The same from a choice on, of which a table is given.
    #[inline]
    pub fn choose(
        &mut self,
        program: &Program,
        text: &[u8],
        table: u32,
        at: usize,
    ) -> Result<Option<Match>, TooMuch> {
        let place = choice(program, table, text, at);
        let bottom = self.records.len();
        let Some(address) = self.first_of(program, place, at)? else {
            return Ok(None);
        };
        let found = self.follow(program, text, address, at, bottom);
        self.records.truncate(bottom);
        found
    }

    fn follow(
        &mut self,
        program: &Program,
        text: &[u8],
        mut address: Address,
        mut at: usize,
        bottom: usize,
    ) -> Result<Option<Match>, TooMuch> {
        loop {
            let goes_on = match program.ops[address as usize] {
                Op::Byte(byte) => {
                    let fits = text.get(at) == Some(&byte);
                    at += 1;
                    fits
                }
                Op::Set(set) => {
                    let fits = text
                        .get(at)
                        .is_some_and(|&byte| program.sets[set as usize][usize::from(byte)]);
                    at += 1;
                    fits
                }
                Op::Run { scan, least, most } => {
                    let length = program.scans[scan as usize].before(within(text, at, most));
                    at += length;
                    length >= least as usize
                }
                Op::Greedy { scan, least, most, then } => {
                    let length = program.scans[scan as usize].before(within(text, at, most));
                    let floor = at + least as usize;
                    at += length;
                    length >= least as usize && {
                        match self.given_back(program, text, (address, then), floor, at + 1)? {
                            Some(place) => {
                                at = place;
                                true
                            }
                            None => false,
                        }
                    }
                }
                Op::Lazy { set, stop, least, most, then } => {
                    let limit = at.saturating_add(most as usize).min(text.len());
                    let first = at + least as usize;
                    let own = &program.sets[set as usize];
                    first <= limit
                        && text[at..first].iter().all(|&byte| own[usize::from(byte)])
                        && {
                            match self.gone_on(
                                program,
                                text,
                                (address, set, stop, then),
                                first,
                                limit,
                            )? {
                                Some(place) => {
                                    at = place;
                                    true
                                }
                                None => false,
                            }
                        }
                }
                Op::Choose { table } => {
                    let place = choice(program, table, text, at);
                    match self.first_of(program, place, at)? {
                        Some(chosen) => {
                            address = chosen;
                            continue;
                        }
                        None => false,
                    }
                }
                Op::Jump(target) => {
                    address = target;
                    continue;
                }
                Op::Count { counter } => {
                    self.set_counter(counter, 0, bottom)?;
                    true
                }
                Op::Again { counter, least, most, greedy, body, then, exit } => {
                    let count = self.counters[counter as usize];
                    let next = next_of(text, at);
                    let may_go_on = count < most && program.peeks[body as usize][next];
                    let may_end = count >= least && program.peeks[then as usize][next];
                    let goes_on = may_go_on && (greedy || !may_end);
                    if may_go_on && may_end {
                        let at = at as u32;
                        let exit = Record::Exit { address: exit, at };
                        self.remember(if goes_on {
                            exit
                        } else {
                            Record::Round { head: address, at }
                        })?;
                    }
                    if goes_on {
                        self.set_counter(counter, count + 1, bottom)?;
                    } else if may_end {
                        address = exit;
                        continue;
                    }
                    goes_on
                }
                Op::Forget { first, count } => {
                    self.groups[first as usize..(first + count) as usize].fill((NOWHERE, NOWHERE));
                    true
                }
                Op::Open(group) => {
                    self.opened[group as usize] = at as u32;
                    true
                }
                Op::Close(group) => {
                    let (start, end) = self.groups[group as usize];
                    if self.records.len() > bottom {
                        self.remember(Record::Group { group, start, end })?;
                    }
                    self.groups[group as usize] = (self.opened[group as usize], at as u32);
                    true
                }
                Op::Same(group) => {
                    let (start, end) = self.groups[group as usize];
                    start != NOWHERE && {
                        let same = &text[start as usize..end as usize];
                        let fits = text[at.min(text.len())..].starts_with(same);
                        at += same.len();
                        fits
                    }
                }
                Op::Ahead(peek) => program.peeks[peek as usize][next_of(text, at)],
                Op::Behind(peek) => {
                    let before = if at > 0 { usize::from(text[at - 1]) } else { 256 };
                    program.peeks[peek as usize][before]
                }
                Op::Look { wanted, back, exit } => {
                    let seen = match at.checked_sub(back as usize) {
                        Some(start) => self.run(program, text, address + 1, start)?.is_some(),
                        None => false,
                    };
                    address = exit;
                    if seen == wanted {
                        continue;
                    }
                    false
                }
                Op::At(place) => is_at(text, at, place),
                Op::Seen => return Ok(Some((0, at))),
                Op::Matched(number) => return Ok(Some((number, at))),
            };
            if goes_on {
                address += 1;
            } else {
                match self.back(program, text, bottom)? {
                    Some(place) => (address, at) = place,
                    None => return Ok(None),
                }
            }
        }
    }
}

#[inline]
fn choice(program: &Program, table: u32, text: &[u8], at: usize) -> u32 {
    program.tables[table as usize][next_of(text, at)]
}

/// The rest of the text, or its first bytes.
#[inline]
fn within(text: &[u8], at: usize, most: u32) -> &[u8] {
    &text[at..text.len().min(at.saturating_add(most as usize))]
}

fn is_at(text: &[u8], at: usize, place: Place) -> bool {
    match place {
        Place::TextStart => at == 0,
        Place::LineStart => at == 0 || text[at - 1] == b'\n',
        Place::TextEnd => at == text.len(),
        Place::WordEdge => {
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            (at > 0 && is_word(&text[at - 1])) != text.get(at).is_some_and(is_word)
        }
    }
}
