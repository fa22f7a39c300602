//! What the statements of a document are made of (`winnow_ci.languages.statements` and `idle_statements`).

use std::ops::Range;

use hashbrown::HashMap;

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
