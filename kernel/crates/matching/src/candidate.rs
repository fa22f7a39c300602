//! Segments that may be a copy (`Candidate` of `winnow_ci.matching.judge`).

use std::ops::Range;

use super::layout::Layout;
use super::phrases::PhraseBits;
use super::values::Segment;

pub struct Candidate {
    /// What matches, ordered by start.
    pub segments: Vec<Segment>,
    /// The matched tokens of the change, rising, and the sketches of the tokens of the source that they match.
    pub here: Vec<u32>,
    pub there: Vec<u8>,
    pub layout: Layout,
    /// Whether its seeds carry information only as text.
    pub by_text: bool,
    /// The worth of the phrases that both sides have there.
    pub said: PhraseBits,
}

impl Candidate {
    /// The tokens of the change, from the first to the last.
    pub fn span(&self) -> Range<usize> {
        self.here[0] as usize..self.here[self.here.len() - 1] as usize + 1
    }

    /// The tokens of the content, from the first to the last.
    pub fn span_there(&self) -> Range<usize> {
        span_there(&self.segments)
    }

    /// Length of the longest segment.
    pub fn longest(&self) -> usize {
        self.segments.iter().map(Segment::len).max().unwrap_or(0)
    }

    /// The matched tokens and what they match.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        self.here.iter().map(|&here| here as usize).zip(self.there.iter().copied())
    }
}

/// The tokens of the content in segments, from the first to the last.
pub fn span_there(parts: &[Segment]) -> Range<usize> {
    let start = parts.iter().map(|part| part.there().start).min().unwrap_or(0);
    start..parts.iter().map(|part| part.there().end).max().unwrap_or(0)
}
