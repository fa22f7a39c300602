//! What matching works on: a change, a known content, and stretches that both have.

use super::numbers::Numbers;

/// A changed file (`winnow_ci.matching.hits`): slices with one element a token, unless it says otherwise.
pub struct Change<'a> {
    pub sketch: &'a [u8],
    pub classes: Vec<u8>,
    pub first_lines: &'a [i32],
    pub last_lines: &'a [i32],
    pub verbatim: &'a [u64],
    /// One for each 4-gram.
    pub grams: &'a [u64],
    pub added: &'a [bool],
    pub token_bits: &'a [f64],
    pub literal_bits: &'a [f64],
    pub new_literal_bits: &'a [f64],
    pub further_rows: &'a [bool],
    /// One for each k-gram.
    pub telling: &'a [bool],
    /// Bits of the tokens before each, and of all.
    pub cumulative: &'a [f64],
    pub limits: Limits,
    pub numbers: &'a Numbers,
}

impl Change<'_> {
    /// How many k-grams it has.
    pub fn kgrams(&self) -> usize {
        (self.sketch.len() + 1).saturating_sub(self.limits.k)
    }
}

/// Length of a k-gram, the guarantee threshold t, and the least length of a region.
#[derive(Clone, Copy)]
pub struct Limits {
    pub k: usize,
    pub t: usize,
    pub verbatim: usize,
    /// None if only equal text is evidence.
    pub renamed: Option<usize>,
}

/// A known content: its tokens, and what it has in common with the change.
pub struct Content<'a> {
    pub number: i64,
    pub first_lines: &'a [i32],
    pub last_lines: &'a [i32],
    pub sketch: &'a [u8],
    pub seeds: Seeds<'a>,
    pub phrases: SharedPhrases<'a>,
}

/// K-grams that both have: slices with one element a seed.
#[derive(Clone, Copy)]
pub struct Seeds<'a> {
    pub positions: &'a [i64],
    pub diagonals: &'a [i64],
    pub informative: &'a [bool],
    pub telling: &'a [bool],
    pub verbatim: &'a [bool],
}

/// A seed on its diagonal; the order is that of a search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seed {
    pub diagonal: i64,
    pub position: usize,
}

impl Seeds<'_> {
    /// Those of some numbers, by diagonal and position.
    pub fn sorted(&self, is_wanted: impl Fn(usize) -> bool) -> Vec<Seed> {
        let mut found: Vec<Seed> = (0..self.positions.len())
            .filter(|&n| is_wanted(n))
            .map(|n| Seed { diagonal: self.diagonals[n], position: self.positions[n] as usize })
            .collect();
        found.sort_unstable();
        found
    }

    /// Whether a seed may lead to a changed copy.
    pub fn is_structural(&self, seed: usize) -> bool {
        self.informative[seed] || self.verbatim[seed]
    }
}

/// Phrases that both have: slices with one element a pair of places.
#[derive(Clone, Copy, Default)]
pub struct SharedPhrases<'a> {
    pub hashes: &'a [u64],
    pub names: &'a [bool],
    pub positions: &'a [i64],
    pub diagonals: &'a [i64],
    pub bits: &'a [f64],
    pub opens: &'a [bool],
}

/// Tokens `start..end` of the change stand at `start + diagonal..end + diagonal` of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    pub start: usize,
    pub end: usize,
    pub diagonal: i64,
    pub seeds: usize,
}

impl Segment {
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    pub fn here(&self) -> std::ops::Range<usize> {
        self.start..self.end
    }

    pub fn there(&self) -> std::ops::Range<usize> {
        self.place_there(self.start)..self.place_there(self.end)
    }

    fn place_there(&self, place: usize) -> usize {
        (place as i64 + self.diagonal) as usize
    }
}
