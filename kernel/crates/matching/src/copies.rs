//! Seeds → regions of one change (`winnow_ci.matching.copies`).

use std::collections::HashSet;
use std::ops::Range;

use super::alignment::Alignment;
use super::candidate::Candidate;
use super::overlaps::Overlaps;
use super::region::{Kind, Region};
use super::reordering::joined;
use super::signs::{counted, Evidence, Signs};
use super::ungapped::promising;
use super::values::{Change, Content, Segment};

/// What would be reported, and what it is made of.
struct Found {
    region: Region,
    candidate: Candidate,
}

/// A region with what speaks for it, and whether it holds a guaranteed run.
pub struct Counted {
    pub region: Region,
    pub evidence: Evidence,
    pub signs: Signs,
    pub is_run: bool,
}

/// The regions that a change has in common with a content.
pub fn find_regions(change: &Change, content: &Content) -> Vec<Counted> {
    let diagonals = promising(change, content);
    let alignment = Alignment::new(change, content);
    let mut found = renamed(&alignment, &diagonals);
    found.extend(verbatim(&alignment));
    let (left, hidden) = without_worse(found, &alignment);
    let runs = runs_of(hidden, &alignment);
    let counted = left.into_iter().map(|found| found.counted(&alignment));
    counted.map(|one| holding(one, &runs)).collect()
}

impl Found {
    fn counted(self, alignment: &Alignment) -> Counted {
        let (evidence, signs, is_run) = counted(&self.candidate, alignment);
        Counted { region: self.region, evidence, signs, is_run }
    }
}

fn renamed(alignment: &Alignment, diagonals: &HashSet<i64>) -> Vec<Found> {
    let change = alignment.change;
    if change.limits.renamed.is_none() {
        return Vec::new();
    }
    let chains = joined(
        alignment.structural(diagonals),
        |one| change.score(one),
        |parts| alignment.candidate(parts, false),
        change.numbers,
    );
    (chains.into_iter())
        .filter_map(|(candidate, bits)| structural(alignment, candidate, bits))
        .collect()
}

/// The verbatim region of all tokens of a change, which a content has, too, with what speaks for it.
pub fn whole_file(change: &Change, content: &Content) -> Counted {
    let alignment = Alignment::new(change, content);
    let whole = Segment {
        start: 0,
        end: change.sketch.len(),
        diagonal: 0,
        seeds: content.seeds.positions.len(),
    };
    let candidate = alignment.candidate(vec![whole], false);
    let region = alignment.region(&candidate, Kind::Verbatim, change.score(&candidate), 0);
    Found { region, candidate }.counted(&alignment)
}

/// A structural candidate as it would be reported, if it may be a copy.
fn structural(alignment: &Alignment, candidate: Candidate, bits: f64) -> Option<Found> {
    if bits < alignment.change.numbers.least_score {
        return None;
    }
    let region = alignment.region(&candidate, Kind::Renamed, bits, 0);
    (alignment.change.is_enough(&candidate, &region)).then_some(Found { region, candidate })
}

fn verbatim(alignment: &Alignment) -> Vec<Found> {
    let (change, kind) = (alignment.change, Kind::Verbatim);
    let mut found = Vec::new();
    for candidate in alignment.verbatim() {
        let bits = change.score(&candidate);
        let region = alignment.region(&candidate, kind, bits, change.limits.verbatim);
        if change.is_verbatim_copy(&candidate, &region) {
            found.push(Found { region, candidate });
        }
    }
    found
}

/// The tokens of the copies that hold a guaranteed run.
fn runs_of(copies: Vec<Found>, alignment: &Alignment) -> Vec<Range<usize>> {
    (copies.into_iter().map(|found| found.counted(alignment)))
        .filter(|one| one.is_run)
        .map(|one| one.region.span())
        .collect()
}

/// A region that holds a guaranteed run, too, if it hides one.
fn holding(one: Counted, runs: &[Range<usize>]) -> Counted {
    let own = one.region.span();
    let hides = (runs.iter()).any(|run| run.start < own.end && own.start < run.end);
    let is_run = one.is_run || hides;
    Counted { is_run, ..one }
}

/// The copies of one content to keep, best first, and those that better copies hide.
///
/// A copy that is verbatim throughout stays if it has text that better verbatim ones do not have, more than stray tokens
/// on their lines. Of any other, what overlaps better ones is no evidence: the rest has to be enough.
fn without_worse(mut copies: Vec<Found>, alignment: &Alignment) -> (Vec<Found>, Vec<Found>) {
    let gain = alignment.change.numbers.verbatim_gain;
    let place = |found: &Found| (found.region.start(), found.region.source.start);
    copies.sort_by(|one, other| {
        other
            .region
            .rank(gain)
            .total_cmp(&one.region.rank(gain))
            .then_with(|| place(one).cmp(&place(other)))
    });
    let mut kept = Kept::default();
    let mut text = Text::default();
    let mut hidden = Vec::new();
    for found in copies {
        let overlaps = || kept.over(&found.region.span()).next().is_some();
        let left = if found.region.is_verbatim_throughout() {
            if text.is_new(&found.region, alignment.change) {
                Some(found)
            } else {
                hidden.push(found);
                None
            }
        } else if overlaps() {
            rest(&found.candidate, &kept, alignment)
        } else {
            Some(found)
        };
        if let Some(found) = left {
            if found.region.kind == Kind::Verbatim {
                text.add(&found.region, alignment.change.first_lines);
            }
            kept.add(found);
        }
    }
    (kept.copies, hidden)
}

/// Copies, found by the tokens that they overlap.
#[derive(Default)]
struct Kept {
    copies: Vec<Found>,
    places: Overlaps,
}

impl Kept {
    fn add(&mut self, found: Found) {
        self.places.add(found.region.span());
        self.copies.push(found);
    }

    fn over(&self, span: &Range<usize>) -> impl Iterator<Item = &Region> {
        let near = self.places.over(span);
        near.into_iter().map(|copy| &self.copies[copy].region)
    }
}

/// Tokens that verbatim copies have, and the lines that these begin on.
#[derive(Default)]
struct Text {
    tokens: HashSet<usize>,
    lines: HashSet<i32>,
}

impl Text {
    fn is_new(&self, region: &Region, change: &Change) -> bool {
        let lines = change.first_lines;
        let new: Vec<usize> =
            region.same_tokens().filter(|token| !self.tokens.contains(token)).collect();
        new.len() > change.numbers.most_stray
            || new.iter().any(|&token| !self.lines.contains(&lines[token]))
    }

    fn add(&mut self, region: &Region, lines: &[i32]) {
        self.tokens.extend(region.same_tokens());
        self.lines.extend(region.same_tokens().map(|token| lines[token]));
    }
}

/// The part of a candidate beside better regions, if it is evidence of a copy by itself.
fn rest(candidate: &Candidate, kept: &Kept, alignment: &Alignment) -> Option<Found> {
    let parts: Vec<Segment> = candidate
        .segments
        .iter()
        .flat_map(|part| beside(*part, kept, alignment.change.numbers.shortest))
        .collect();
    if parts.is_empty() {
        return None;
    }
    let rest = alignment.candidate(parts, false);
    let bits = alignment.change.score(&rest);
    structural(alignment, rest, bits)
}

/// The parts of a segment outside of regions, in the change.
fn beside(segment: Segment, kept: &Kept, shortest: usize) -> Vec<Segment> {
    let mut parts = vec![segment];
    parts.retain(|part| part.len() >= shortest);
    for region in kept.over(&segment.here()) {
        let before =
            parts.iter().map(|part| Segment { end: part.end.min(region.start()), ..*part });
        let after =
            parts.iter().map(|part| Segment { start: part.start.max(region.end()), ..*part });
        parts = before.chain(after).filter(|part| part.end >= part.start + shortest).collect();
    }
    parts.sort_unstable();
    parts
}
