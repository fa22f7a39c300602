//! Finding the first byte of a set: with the processor's vectors where the set is small, with a table where it is not.

use memchr::{memchr, memchr2, memchr3};

use super::byte_set::ByteSet;

/// Finds bytes of one set.
#[derive(Debug)]
pub enum Scan {
    Nothing,
    One(u8),
    Two(u8, u8),
    Three(u8, u8, u8),
    Any(Box<[bool; 256]>),
}

impl Scan {
    pub fn new(wanted: &ByteSet) -> Scan {
        match *wanted.bytes().as_slice() {
            [] => Scan::Nothing,
            [one] => Scan::One(one),
            [one, two] => Scan::Two(one, two),
            [one, two, three] => Scan::Three(one, two, three),
            _ => Scan::Any(Box::new(std::array::from_fn(|byte| wanted.has(byte as u8)))),
        }
    }

    /// How many bytes stand before the first one of the set; all, if there is none.
    #[inline]
    pub fn before(&self, text: &[u8]) -> usize {
        let found = match self {
            Scan::Any(table) => text.iter().position(|&byte| table[usize::from(byte)]),
            Scan::Nothing => None,
            Scan::One(one) => memchr(*one, text),
            Scan::Two(one, two) => memchr2(*one, *two, text),
            Scan::Three(one, two, three) => memchr3(*one, *two, *three, text),
        };
        found.unwrap_or(text.len())
    }
}
