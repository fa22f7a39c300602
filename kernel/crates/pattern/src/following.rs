//! What may follow each instruction, and the instructions that depend on it: tables of choices, runs that are never
//! given back.

use super::byte_set::{ByteSet, Firsts};
use super::maker::Maker;
use super::node::Place;
use super::program::{Address, Op, Program};

impl Maker {
    /// Fill in what depends on what may follow.
    pub fn finished(mut self) -> Program {
        self.find_firsts();
        for at in 0..self.here() {
            match self.program.ops[at as usize] {
                Op::Choose { .. } => self.finish_choice(at),
                Op::Run { least, most, .. } => self.finish_run(at, least, most),
                Op::Lazy { least, most, .. } => self.finish_lazy(at, least, most),
                Op::Again { counter, least, most, greedy, exit, .. } => {
                    let (body, then) = (self.firsts(at + 1), self.firsts(exit));
                    let (body, then) = (self.peek(&body), self.peek(&then));
                    self.program.ops[at as usize] =
                        Op::Again { counter, least, most, greedy, body, then, exit };
                }
                _ => (),
            }
        }
        self.program.firsts = self.program.starts.iter().map(|&start| self.firsts(start)).collect();
        self.program
    }

    fn finish_choice(&mut self, at: Address) {
        let alternatives: Vec<_> =
            self.alternatives[&at].iter().map(|&start| (start, self.firsts(start))).collect();
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
                Op::Greedy { scan, least, most, then: self.peek(&follows) }
            };
    }

    fn finish_lazy(&mut self, at: Address, least: u32, most: u32) {
        let (set, follows) = (self.run_sets[&at], self.firsts(at + 1));
        let stop = self.scan(&follows.bytes.or(&set.not()));
        self.program.ops[at as usize] =
            Op::Lazy { set: self.set(&set), stop, least, most, then: self.peek(&follows) };
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
            Op::Look { wanted: true, back: 0, exit } => self.firsts(next).and(&self.firsts(exit)),
            Op::Look { exit, .. } => self.firsts(exit),
            Op::At(Place::TextEnd) => {
                Firsts { bytes: ByteSet::NONE, end: true }.and(&self.firsts(next))
            }
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
