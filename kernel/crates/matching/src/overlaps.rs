//! Spans of a file, found by what they overlap (`winnow_ci.matching.overlaps`).

use std::collections::HashMap;
use std::ops::Range;

/// Tokens.
const BLOCK: usize = 256;

/// Spans of tokens, numbered from 0 in the order in which they are added.
#[derive(Default)]
pub struct Overlaps {
    spans: Vec<Range<usize>>,
    blocks: HashMap<usize, Vec<usize>>,
}

impl Overlaps {
    pub fn add(&mut self, span: Range<usize>) {
        for block in blocks(&span) {
            self.blocks.entry(block).or_default().push(self.spans.len());
        }
        self.spans.push(span);
    }

    /// The numbers of the spans that overlap another one, rising.
    pub fn over(&self, span: &Range<usize>) -> Vec<usize> {
        let near = blocks(span).filter_map(|block| self.blocks.get(&block));
        let overlaps = |number: &usize| {
            let other = &self.spans[*number];
            other.start < span.end && span.start < other.end
        };
        let mut found: Vec<usize> = near.flatten().copied().filter(overlaps).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn blocks(span: &Range<usize>) -> Range<usize> {
    span.start / BLOCK..span.end.div_ceil(BLOCK)
}
