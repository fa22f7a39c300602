//! Regions, as `winnow_ci.model.regions` describes them.

use super::values::Segment;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Verbatim,
    Renamed,
}

pub struct Region {
    pub content: i64,
    pub source: std::ops::Range<usize>,
    pub matched: usize,
    pub matched_verbatim: usize,
    pub fingerprints: usize,
    pub kind: Kind,
    /// The segments that it is made of, ordered by start.
    pub parts: Vec<Segment>,
    pub bits: f64,
    /// Whether the text of each matched token is the same.
    pub same: Vec<bool>,
}

/// A region that is verbatim throughout ranks as if it said this many times as much.
const VERBATIM_GAIN: f64 = 1.05;

impl Region {
    pub fn start(&self) -> usize {
        self.parts[0].start
    }

    pub fn end(&self) -> usize {
        self.parts[self.parts.len() - 1].end
    }

    /// The tokens of the change, from the first to the last.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.start()..self.end()
    }

    /// How good it is among the regions of its content.
    pub fn rank(&self) -> f64 {
        if self.is_verbatim_throughout() {
            VERBATIM_GAIN * self.bits
        } else {
            self.bits
        }
    }

    pub fn is_verbatim_throughout(&self) -> bool {
        self.matched == self.matched_verbatim
    }

    /// The matched tokens whose text is the same.
    pub fn same_tokens(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts
            .iter()
            .flat_map(Segment::here)
            .zip(&self.same)
            .filter(|&(_, &same)| same)
            .map(|(here, _)| here)
    }
}
