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

    /// How good it is among the regions of its content; one that is verbatim throughout as if it said so many times as
    /// much.
    pub fn rank(&self, verbatim_gain: f64) -> f64 {
        if self.is_verbatim_throughout() {
            verbatim_gain * self.bits
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
