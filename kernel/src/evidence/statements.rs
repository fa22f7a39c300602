//! What the statements of a document are made of (`winnow_ci.languages.statements` and `idle_statements`).

use std::ops::Range;

use hashbrown::HashMap;

/// A document, all of whose columns have the same length.
pub struct Document<'a> {
    pub structural: &'a [u64],
    pub verbatim: &'a [u64],
    pub sketch: &'a [u8],
    pub first_lines: &'a [i32],
    pub last_lines: &'a [i32],
}

impl Document<'_> {
    /// Whether the next token stands on a later line, or there is none before `end`.
    pub fn ends_line(&self, at: usize, end: usize) -> bool {
        at + 1 >= end || self.first_lines[at + 1] > self.last_lines[at]
    }
}

/// The sketch bytes of names, numbers and strings.
#[derive(Clone)]
pub struct Sketches {
    pub names: Range<u16>,
    pub numbers: Range<u16>,
    pub strings: Range<u16>,
}

impl Sketches {
    pub fn is_name(&self, sketch: u8) -> bool {
        self.names.contains(&u16::from(sketch))
    }

    pub fn is_number(&self, sketch: u8) -> bool {
        self.numbers.contains(&u16::from(sketch))
    }

    pub fn is_string(&self, sketch: u8) -> bool {
        self.strings.contains(&u16::from(sketch))
    }
}

/// What tokens are, as bits, by their ids.
pub struct Known(HashMap<u64, u8>);

impl Known {
    pub fn new(known: impl IntoIterator<Item = (u64, u8)>) -> Self {
        Self(known.into_iter().collect())
    }

    /// The bits of an id; none of one that is nothing.
    pub fn bits(&self, id: u64) -> u8 {
        self.0.get(&id).copied().unwrap_or(0)
    }
}
