//! Sets of bytes, and sets of what may come next: a byte, or the end of the text.

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    pub const NONE: ByteSet = ByteSet([0; 4]);
    pub const ALL: ByteSet = ByteSet([u64::MAX; 4]);

    pub fn of(bytes: &[u8]) -> ByteSet {
        let mut set = ByteSet::NONE;
        bytes.iter().for_each(|&byte| set.add(byte));
        set
    }

    pub fn range(first: u8, last: u8) -> ByteSet {
        let mut set = ByteSet::NONE;
        (first..=last).for_each(|byte| set.add(byte));
        set
    }

    pub fn whose(is_in: impl Fn(u8) -> bool) -> ByteSet {
        let mut set = ByteSet::NONE;
        (0..=255).filter(|&byte| is_in(byte)).for_each(|byte| set.add(byte));
        set
    }

    pub fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    pub fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    pub fn or(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|part| self.0[part] | other.0[part]))
    }

    pub fn and(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|part| self.0[part] & other.0[part]))
    }

    pub fn not(&self) -> ByteSet {
        ByteSet(self.0.map(|part| !part))
    }

    pub fn bytes(&self) -> Vec<u8> {
        (0..=255).filter(|&byte| self.has(byte)).collect()
    }
}

/// What may come next; `end` is the end of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Firsts {
    pub bytes: ByteSet,
    pub end: bool,
}

impl Firsts {
    pub const NONE: Firsts = Firsts { bytes: ByteSet::NONE, end: false };
    pub const ALL: Firsts = Firsts { bytes: ByteSet::ALL, end: true };

    /// Whether a byte, or the end of the text (256), is among them.
    pub fn has(&self, next: usize) -> bool {
        u8::try_from(next).map_or(self.end, |byte| self.bytes.has(byte))
    }

    pub fn bytes(bytes: ByteSet) -> Firsts {
        Firsts { bytes, end: false }
    }

    pub fn or(&self, other: &Firsts) -> Firsts {
        Firsts { bytes: self.bytes.or(&other.bytes), end: self.end || other.end }
    }

    pub fn and(&self, other: &Firsts) -> Firsts {
        Firsts { bytes: self.bytes.and(&other.bytes), end: self.end && other.end }
    }

    pub fn not(&self) -> Firsts {
        Firsts { bytes: self.bytes.not(), end: !self.end }
    }
}
