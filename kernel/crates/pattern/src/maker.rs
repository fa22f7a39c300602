//! The nodes of a pattern → instructions, but for what depends on what may follow (`following.rs`).

use std::collections::HashMap;

use super::byte_set::{ByteSet, Firsts};
use super::node::Node;
use super::program::{Address, Op, Program};
use super::scan::Scan;

#[derive(Default)]
pub struct Maker {
    pub(super) program: Program,
    pub(super) byte_sets: Vec<ByteSet>,
    pub(super) peeked: Vec<Firsts>,
    /// Of runs, by their address.
    pub(super) run_sets: HashMap<Address, ByteSet>,
    /// Of choices, by their address.
    pub(super) alternatives: HashMap<Address, Vec<Address>>,
    groups_before: usize,
    /// What can come next if the machine goes on at an address: never less than is true.
    pub(super) firsts: Vec<Firsts>,
}

impl Maker {
    pub fn emit(&mut self, op: Op) -> Address {
        self.program.ops.push(op);
        self.program.ops.len() as Address - 1
    }

    pub fn here(&self) -> Address {
        self.program.ops.len() as Address
    }

    pub fn begin_groups(&mut self, count: usize) {
        self.groups_before = self.program.groups;
        self.program.groups += count;
        if count > 0 {
            self.emit(Op::Forget { first: self.groups_before as u32, count: count as u32 });
        }
    }

    pub fn node(&mut self, node: &Node) {
        match node {
            Node::Set(set) => self.set_op(set),
            Node::Sequence(parts) => parts.iter().for_each(|part| self.node(part)),
            Node::Either(parts) => self.either(parts),
            Node::Repeat { part, least, most, greedy } => self.repeat(part, *least, *most, *greedy),
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
            Node::Look { part, wanted, behind } => self.look(part, *wanted, *behind),
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
                let at = self.emit(Op::Run { scan: 0, least, most });
                self.run_sets.insert(at, *set);
            }
            Node::Set(set) => {
                let at = self.emit(Op::Lazy { set: 0, stop: 0, least, most, then: 0 });
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
        let alternatives = if greedy { vec![body, exit] } else { vec![exit, body] };
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
        self.program.ops[head as usize] =
            Op::Again { counter, least, most, greedy, body: 0, then: 0, exit };
    }

    fn look(&mut self, part: &Node, wanted: bool, behind: Option<usize>) {
        if let (Node::Set(set), back) = (part, behind) {
            let mut firsts = Firsts::bytes(*set);
            firsts = if wanted { firsts } else { firsts.not() };
            let peek = self.peek(&firsts);
            self.emit(if back.is_some() { Op::Behind(peek) } else { Op::Ahead(peek) });
            return;
        }
        let at = self.emit(Op::Seen) as usize;
        self.node(part);
        self.emit(Op::Seen);
        let (back, exit) = (behind.unwrap_or(0) as u32, self.here());
        self.program.ops[at] = Op::Look { wanted, back, exit };
    }

    pub fn set(&mut self, set: &ByteSet) -> u32 {
        let made = || std::array::from_fn(|byte| set.has(byte as u8));
        number_of(&mut self.byte_sets, *set, &mut self.program.sets, made)
    }

    pub fn peek(&mut self, firsts: &Firsts) -> u32 {
        let made = || std::array::from_fn(|next| firsts.has(next));
        number_of(&mut self.peeked, *firsts, &mut self.program.peeks, made)
    }

    /// What finds the first byte of a set.
    pub fn scan(&mut self, wanted: &ByteSet) -> u32 {
        let made = || Scan::new(wanted);
        number_of(&mut self.program.scanned, *wanted, &mut self.program.scans, made)
    }
}

/// The number of what was made of a key, which is made now if it was not yet.
fn number_of<K: PartialEq, V>(
    keys: &mut Vec<K>,
    key: K,
    values: &mut Vec<V>,
    made: impl FnOnce() -> V,
) -> u32 {
    let known = keys.iter().position(|known| *known == key);
    let place = known.unwrap_or_else(|| {
        keys.push(key);
        values.push(made());
        values.len() - 1
    });
    place as u32
}
