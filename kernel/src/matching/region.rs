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

/// How many tokens a matched token counts for beside itself if its text is the same.
const SAME_GAIN: usize = 3;
/// A region that is verbatim throughout ranks as if its score were this many times as high.
const VERBATIM_GAIN: f64 = 1.15;

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
        let score = (self.matched + SAME_GAIN * self.matched_verbatim) as f64;
        if self.matched == self.matched_verbatim {
            VERBATIM_GAIN * score
        } else {
            score
        }
    }

    /// The share of it that lies in another.
    pub fn overlap(&self, other: &Self) -> f64 {
        let (start, end) = (self.start() as f64, self.end() as f64);
        (end.min(other.end() as f64) - start.max(other.start() as f64)) / (end - start)
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
