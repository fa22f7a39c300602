//! A pattern, compiled: instructions that a machine (`machine.rs`) follows, and what it may know beforehand.
//!
//! Where a pattern has a choice, the next byte of the text mostly decides it. So each choice has a table from that byte
//! to the alternatives that can begin with it (`Firsts` of all that follows up to the end of the pattern), and only
//! where two are left does the machine remember to come back. A run of bytes of a set that cannot begin what follows
//! is never given back. All that this leaves out would fail: what matches remains what Python's `re` matches.

use std::collections::HashMap;

use super::byte_set::{ByteSet, Firsts};
use super::scan::Scan;
use super::syntax::{parse, Node, Place, Unserved};

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

    /// The number of the only alternative of a table that a byte leaves, if that is nothing but a set of bytes.
    pub fn single(&self, table: u32, byte: usize) -> Option<u32> {
        let place = self.tables[table as usize][byte] as usize;
        match self.choices[place..] {
            [start, NO_MORE, ..] if start != NO_MORE => {
                let at = start as usize;
                match (&self.ops[at], &self.ops[at + 1]) {
                    (Op::Byte(_) | Op::Set(_), Op::Matched(number)) => Some(*number),
                    _ => None,
                }
            }
            _ => None,
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

fn has(firsts: &Firsts, next: usize) -> bool {
    u8::try_from(next).map_or(firsts.end, |byte| firsts.bytes.has(byte))
}

#[derive(Default)]
struct Maker {
    program: Program,
    byte_sets: Vec<ByteSet>,
    peeked: Vec<Firsts>,
    scanned: Vec<ByteSet>,
    /// Of runs, by their address.
    run_sets: HashMap<Address, ByteSet>,
    /// Of choices, by their address.
    alternatives: HashMap<Address, Vec<Address>>,
    groups_before: usize,
    /// What can come next if the machine goes on at an address: never less than is true.
    firsts: Vec<Firsts>,
}

impl Maker {
    fn emit(&mut self, op: Op) -> Address {
        self.program.ops.push(op);
        self.program.ops.len() as Address - 1
    }

    fn here(&self) -> Address {
        self.program.ops.len() as Address
    }

    fn begin_groups(&mut self, count: usize) {
        self.groups_before = self.program.groups;
        self.program.groups += count;
        if count > 0 {
            self.emit(Op::Forget {
                first: self.groups_before as u32,
                count: count as u32,
            });
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Set(set) => self.set_op(set),
            Node::Sequence(parts) => parts.iter().for_each(|part| self.node(part)),
            Node::Either(parts) => self.either(parts),
            Node::Repeat {
                part,
                least,
                most,
                greedy,
            } => self.repeat(part, *least, *most, *greedy),
            Node::Group { number, part } => {
                let number = (self.groups_before + number - 1) as u32;
                self.emit(Op::Open(number));
                self.node(part);
                self.emit(Op::Close(number));
            }
            Node::Same { number } => {
                let number = (self.groups_before + number - 1) as u32;
                self.emit(Op::Same(number));
            }
            Node::Look {
                part,
                wanted,
                behind,
            } => self.look(part, *wanted, *behind),
            Node::At(place) => {
                self.emit(Op::At(*place));
            }
        }
    }

    fn set_op(&mut self, set: &ByteSet) {
        let op = match set.bytes().as_slice() {
            &[byte] => Op::Byte(byte),
            _ => Op::Set(self.set(set)),
        };
        self.emit(op);
    }

    fn either(&mut self, parts: &[Node]) {
        let (choose, mut jumps, mut alternatives) =
            (self.emit(Op::Choose { table: 0 }), vec![], vec![]);
        for part in parts {
            alternatives.push(self.here());
            self.node(part);
            jumps.push(self.emit(Op::Jump(0)));
        }
        let end = self.here();
        for jump in jumps {
            self.program.ops[jump as usize] = Op::Jump(end);
        }
        self.alternatives.insert(choose, alternatives);
    }

    fn repeat(&mut self, part: &Node, least: u32, most: u32, greedy: bool) {
        if most == 0 {
            return;
        }
        match part {
            _ if (least, most) == (1, 1) => self.node(part),
            Node::Set(set) if greedy => {
                let at = self.emit(Op::Run {
                    scan: 0,
                    least,
                    most,
                });
                self.run_sets.insert(at, *set);
            }
            Node::Set(set) => {
                let at = self.emit(Op::Lazy {
                    set: 0,
                    stop: 0,
                    least,
                    most,
                    then: 0,
                });
                self.run_sets.insert(at, *set);
            }
            _ if (least, most) == (0, 1) => self.optional(part, greedy),
            _ => self.counted(part, (least, most), greedy),
        }
    }

    fn optional(&mut self, part: &Node, greedy: bool) {
        let at = self.emit(Op::Choose { table: 0 });
        let body = self.here();
        self.node(part);
        let exit = self.here();
        let alternatives = if greedy {
            vec![body, exit]
        } else {
            vec![exit, body]
        };
        self.alternatives.insert(at, alternatives);
    }

    fn counted(&mut self, part: &Node, (least, most): (u32, u32), greedy: bool) {
        let counter = self.program.counters as u32;
        self.program.counters += 1;
        self.emit(Op::Count { counter });
        let head = self.emit(Op::Seen);
        self.node(part);
        self.emit(Op::Jump(head));
        let exit = self.here();
        self.program.ops[head as usize] = Op::Again {
            counter,
            least,
            most,
            greedy,
            body: 0,
            then: 0,
            exit,
        };
    }

    fn look(&mut self, part: &Node, wanted: bool, behind: Option<usize>) {
        if let (Node::Set(set), back) = (part, behind) {
            let mut firsts = Firsts::bytes(*set);
            firsts = if wanted { firsts } else { firsts.not() };
            let peek = self.peek(&firsts);
            self.emit(if back.is_some() {
                Op::Behind(peek)
            } else {
                Op::Ahead(peek)
            });
            return;
        }
        let at = self.emit(Op::Seen) as usize;
        self.node(part);
        self.emit(Op::Seen);
        let (back, exit) = (behind.unwrap_or(0) as u32, self.here());
        self.program.ops[at] = Op::Look { wanted, back, exit };
    }

    fn set(&mut self, set: &ByteSet) -> u32 {
        let place = self
            .byte_sets
            .iter()
            .position(|known| known == set)
            .unwrap_or_else(|| {
                self.program
                    .sets
                    .push(std::array::from_fn(|byte| set.has(byte as u8)));
                self.byte_sets.push(*set);
                self.byte_sets.len() - 1
            });
        place as u32
    }

    fn peek(&mut self, firsts: &Firsts) -> u32 {
        let place = self
            .peeked
            .iter()
            .position(|known| known == firsts)
            .unwrap_or_else(|| {
                self.program
                    .peeks
                    .push(std::array::from_fn(|next| has(firsts, next)));
                self.peeked.push(*firsts);
                self.peeked.len() - 1
            });
        place as u32
    }

    /// What finds the first byte of a set.
    fn scan(&mut self, wanted: &ByteSet) -> u32 {
        let place = self
            .scanned
            .iter()
            .position(|known| known == wanted)
            .unwrap_or_else(|| {
                self.program.scans.push(Scan::new(wanted));
                self.scanned.push(*wanted);
                self.scanned.len() - 1
            });
        place as u32
    }

    // ---- what may follow ---------------------------------------------------------------------------------------

    /// Fill in what depends on what may follow.
    fn finished(mut self) -> Program {
        self.find_firsts();
        for at in 0..self.here() {
            match self.program.ops[at as usize] {
                Op::Choose { .. } => self.finish_choice(at),
                Op::Run { least, most, .. } => self.finish_run(at, least, most),
                Op::Lazy { least, most, .. } => self.finish_lazy(at, least, most),
                Op::Again {
                    counter,
                    least,
                    most,
                    greedy,
                    exit,
                    ..
                } => {
                    let (body, then) = (self.firsts(at + 1), self.firsts(exit));
                    let (body, then) = (self.peek(&body), self.peek(&then));
                    self.program.ops[at as usize] = Op::Again {
                        counter,
                        least,
                        most,
                        greedy,
                        body,
                        then,
                        exit,
                    };
                }
                _ => (),
            }
        }
        self.program.firsts = self
            .program
            .starts
            .iter()
            .map(|&start| self.firsts(start))
            .collect();
        self.program
    }

    fn finish_choice(&mut self, at: Address) {
        let alternatives: Vec<_> = self.alternatives[&at]
            .iter()
            .map(|&start| (start, self.firsts(start)))
            .collect();
        let table = self.program.table(&alternatives);
        self.program.ops[at as usize] = Op::Choose { table };
    }

    fn finish_run(&mut self, at: Address, least: u32, most: u32) {
        let (set, follows) = (self.run_sets[&at], self.firsts(at + 1));
        let is_last = matches!(self.program.ops[at as usize + 1], Op::Matched(_));
        let scan = self.scan(&set.not());
        self.program.ops[at as usize] =
            if is_last || least == most || follows.bytes.and(&set) == ByteSet::NONE {
                Op::Run { scan, least, most }
            } else {
                Op::Greedy {
                    scan,
                    least,
                    most,
                    then: self.peek(&follows),
                }
            };
    }

    fn finish_lazy(&mut self, at: Address, least: u32, most: u32) {
        let (set, follows) = (self.run_sets[&at], self.firsts(at + 1));
        let stop = self.scan(&follows.bytes.or(&set.not()));
        self.program.ops[at as usize] = Op::Lazy {
            set: self.set(&set),
            stop,
            least,
            most,
            then: self.peek(&follows),
        };
    }

    fn firsts(&self, at: Address) -> Firsts {
        self.firsts[at as usize]
    }

    /// Repetitions lead back, so that this takes more than one round.
    fn find_firsts(&mut self) {
        self.firsts = vec![Firsts::NONE; self.program.ops.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..self.here()).rev() {
                let found = self.firsts_of(at);
                changed |= found != self.firsts(at);
                self.firsts[at as usize] = found;
            }
        }
    }

    fn firsts_of(&self, at: Address) -> Firsts {
        let next = at + 1;
        match self.program.ops[at as usize] {
            Op::Byte(byte) => Firsts::bytes(ByteSet::of(&[byte])),
            Op::Set(set) => Firsts::bytes(self.byte_sets[set as usize]),
            Op::Run { least, .. } | Op::Greedy { least, .. } | Op::Lazy { least, .. } => {
                let own = Firsts::bytes(self.run_sets[&at]);
                if least > 0 {
                    own
                } else {
                    own.or(&self.firsts(next))
                }
            }
            Op::Choose { .. } => self.alternatives[&at]
                .iter()
                .fold(Firsts::NONE, |all, &start| all.or(&self.firsts(start))),
            Op::Jump(target) => self.firsts(target),
            Op::Again { exit, .. } => self.firsts(next).or(&self.firsts(exit)),
            Op::Ahead(peek) => self.firsts(next).and(&self.peeked[peek as usize]),
            Op::Look {
                wanted: true,
                back: 0,
                exit,
            } => self.firsts(next).and(&self.firsts(exit)),
            Op::Look { exit, .. } => self.firsts(exit),
            Op::At(Place::TextEnd) => Firsts {
                bytes: ByteSet::NONE,
                end: true,
            }
            .and(&self.firsts(next)),
            Op::Count { .. }
            | Op::Forget { .. }
            | Op::Open(_)
            | Op::Close(_)
            | Op::Behind(_)
            | Op::At(_) => self.firsts(next),
            Op::Same(_) | Op::Seen | Op::Matched(_) => Firsts::ALL,
        }
    }
}
