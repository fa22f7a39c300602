//! A changed file aligned with one known content: seeds → candidates → regions (`winnow_ci.matching.copies`).

use std::collections::HashSet;

use super::candidate::{span_there, Candidate};
use super::chaining::{chains, Wanted};
use super::layout::Layout;
use super::neighbourhoods::{neighbourhoods, runs_around};
use super::region::{Kind, Region};
use super::segments::segments;
use super::sums::total;
use super::trimming::{without_loose_ends, without_stray_ends};
use super::values::{Change, Content, Seed, Segment};

pub struct Alignment<'a> {
    pub change: &'a Change<'a>,
    pub content: &'a Content<'a>,
    /// All seeds, sorted.
    seeds: Vec<Seed>,
}

impl<'a> Alignment<'a> {
    pub fn new(change: &'a Change<'a>, content: &'a Content<'a>) -> Self {
        Self { change, content, seeds: content.seeds.sorted(|_| true) }
    }

    /// Chains of equal structure, in neighbourhoods that hold a promising diagonal or a shared phrase.
    pub fn structural(&self, promising: &HashSet<i64>) -> Vec<Candidate> {
        let anchors: Vec<Segment> = self.content.phrases.anchors().collect();
        if promising.is_empty() && anchors.is_empty() {
            return Vec::new();
        }
        let (here, there, seeds) = (
            &self.change.classes,
            self.change.numbers.classes(self.content.sketch),
            self.content.seeds,
        );
        let mut found = segments(
            here,
            &there,
            &seeds.sorted(|n| seeds.is_structural(n)),
            self.change.limits.k,
            self.change.numbers,
        );
        if !anchors.is_empty() {
            found.extend(anchors);
            found.sort_unstable();
        }
        let promises = |one: &Segment| one.start == one.end || promising.contains(&one.diagonal);
        (neighbourhoods(found, self.change.numbers).into_iter())
            .filter(|group| group.iter().any(promises))
            .flat_map(|group| self.chains_around(&there, &group))
            .map(|chain| self.candidate(chain, false))
            .collect()
    }

    fn chains_around(&self, there: &[u8], group: &[Segment]) -> Vec<Vec<Segment>> {
        let around = runs_around(self.change, there, group);
        let texts: Vec<f64> = around.iter().map(|part| self.text(part)).collect();
        let numbers = self.change.numbers;
        let wanted = Wanted {
            least: numbers.least_worth,
            most: numbers.most_chains,
            most_shared: numbers.most_shared,
        };
        chains(&around, self.change.cumulative, &texts, &wanted, numbers)
    }

    /// What the text that is equal on both sides says, in bits.
    fn text(&self, part: &Segment) -> f64 {
        let same = (part.here().zip(&self.content.sketch[part.there()]))
            .filter(|&(here, there)| self.change.sketch[here] == *there)
            .map(|(here, _)| self.change.new_literal_bits[here]);
        total(same)
    }

    /// Chains of equal text: from seeds with telling structure, and from all seeds.
    ///
    /// A chain has each token of the source once. So a run of which the chains have only a part, since the same text of
    /// the source was copied twice, is a chain of its own, too.
    pub fn verbatim(&self) -> Vec<Candidate> {
        let seeds = self.content.seeds;
        let telling = seeds.sorted(|n| seeds.verbatim[n] && seeds.telling[n]);
        let all = seeds.sorted(|n| seeds.verbatim[n]);
        if all.is_empty() {
            return Vec::new();
        }
        let cumulative = rising(self.change.sketch.len(), self.change.numbers.verbatim_bits);
        let mut found = self.verbatim_of(&telling, &cumulative, false);
        found.extend(self.verbatim_of(&all, &cumulative, true));
        found
    }

    fn verbatim_of(&self, seeds: &[Seed], cumulative: &[f64], by_text: bool) -> Vec<Candidate> {
        let mut runs = segments(
            self.change.sketch,
            self.content.sketch,
            seeds,
            self.change.limits.k,
            self.change.numbers,
        );
        // Ordinary changes have a few.
        let wanted =
            Wanted { least: 0.0, most: self.change.numbers.most_verbatim, most_shared: 1.0 };
        let texts = vec![0.0; runs.len()];
        let mut found = chains(&runs, cumulative, &texts, &wanted, self.change.numbers);
        runs.sort_by_key(|run| std::cmp::Reverse(run.len()));
        found.extend(runs.into_iter().take(wanted.most).map(|run| vec![run]));
        let mut covered = vec![false; self.change.sketch.len()];
        found.retain(|chain| {
            let tokens = || chain.iter().flat_map(Segment::here);
            let is_new = !tokens().all(|token| covered[token]);
            tokens().for_each(|token| covered[token] = true);
            is_new
        });
        found.into_iter().map(|chain| self.candidate(chain, by_text)).collect()
    }

    /// Make a candidate of segments, which are ordered by start.
    pub fn candidate(&self, parts: Vec<Segment>, by_text: bool) -> Candidate {
        let (here, there) = self.pairs(&parts);
        let pairs = here.iter().zip(&there);
        let same: Vec<u32> =
            pairs.filter(|&(&one, &other)| self.is_same(one, other)).map(|(&one, _)| one).collect();
        Candidate {
            said: self.content.phrases.said(&parts, &same, self.change.numbers),
            layout: Layout::of(self.change, self.content, &parts),
            segments: parts,
            here,
            there,
            by_text,
        }
    }

    /// The region to report for a candidate: without the chance tokens at its ends, though these count as evidence.
    ///
    /// `kind` is that of the view that found it; its ends stay if fewer than `least` tokens would be left.
    pub fn region(&self, candidate: &Candidate, kind: Kind, bits: f64, least: usize) -> Region {
        let firm = self.without_ends(&candidate.segments);
        let left: usize = firm.iter().map(Segment::len).sum();
        let parts = if left < least { candidate.segments.clone() } else { firm };
        let (here, there) = self.pairs(&parts);
        let same: Vec<bool> =
            here.iter().zip(&there).map(|(&one, &other)| self.is_same(one, other)).collect();
        let matched_verbatim = same.iter().filter(|&&same| same).count();
        let is_verbatim =
            matched_verbatim as f64 >= self.change.numbers.same_text * here.len() as f64;
        Region {
            content: self.content.number,
            source: span_there(&parts),
            matched: here.len(),
            matched_verbatim,
            fingerprints: parts.iter().map(|part| self.seeds_inside(part)).sum(),
            kind: if is_verbatim { Kind::Verbatim } else { kind },
            parts,
            bits,
            same,
        }
    }

    fn without_ends(&self, parts: &[Segment]) -> Vec<Segment> {
        let lines = self.change.first_lines;
        let (lines_there, numbers) = (self.content.first_lines, self.change.numbers);
        let worth = |part: &Segment| self.worth(part);
        let firm = without_loose_ends(parts, lines, lines_there, worth, numbers);
        without_stray_ends(&firm, lines, self.change.limits.k, numbers.most_stray)
    }

    /// What a segment says by its structure and its text, in bits; a k-gram of equal text is no chance.
    fn worth(&self, part: &Segment) -> f64 {
        let is_same = self.change.sketch[part.here()] == self.content.sketch[part.there()];
        if part.len() >= self.change.limits.k && is_same {
            return f64::INFINITY;
        }
        let cumulative = self.change.cumulative;
        cumulative[part.end] - cumulative[part.end.min(part.start + self.change.numbers.context)]
            + self.text(part)
    }

    /// The matched tokens, and the sketches of the content's tokens that they match.
    fn pairs(&self, parts: &[Segment]) -> (Vec<u32>, Vec<u8>) {
        let here = parts.iter().flat_map(Segment::here).map(|token| token as u32).collect();
        (here, parts.iter().flat_map(|part| &self.content.sketch[part.there()]).copied().collect())
    }

    fn is_same(&self, here: u32, there: u8) -> bool {
        self.change.sketch[here as usize] == there
    }

    /// Number of seeds in a segment.
    fn seeds_inside(&self, part: &Segment) -> usize {
        let Some(last) = part.end.checked_sub(self.change.limits.k) else {
            return 0;
        };
        let place = |position: usize| Seed { diagonal: part.diagonal, position };
        let first = self.seeds.partition_point(|seed| *seed < place(part.start));
        self.seeds.partition_point(|seed| *seed <= place(last)).saturating_sub(first)
    }
}

/// Bits of the tokens before each of `tokens`, and of all, if each is worth the same.
fn rising(tokens: usize, bits: f64) -> Vec<f64> {
    let before = 0..=tokens;
    before.map(|token| token as f64 * bits).collect()
}
