//! What speaks for a copy, counted (`winnow_ci.matching.judge`).

use std::ops::Range;

use super::alignment::Alignment;
use super::candidate::Candidate;
use super::sums::firsts;
use super::values::{Change, Segment};

/// The evidence of a region: whole equal lines, rare names, rare literals and phrases.
pub type Evidence = (usize, usize, usize, usize);
/// Bits of phrases, tokens on whole lines, recurrences of names that go astray and that agree, tokens in further rows,
/// and the longest run of equal text.
pub type Signs = (f64, f64, f64, f64, f64, usize);

/// The evidence and the signs of a region, and whether it holds a guaranteed run, given the candidate that it was made of.
pub fn counted(candidate: &Candidate, alignment: &Alignment) -> (Evidence, Signs, bool) {
    let change = alignment.change;
    let rare = change
        .same(candidate)
        .filter(|&here| change.literal_bits[here] >= change.numbers.rare && change.added[here]);
    let texts = firsts(rare, |here| change.verbatim[here]);
    let names =
        texts.iter().filter(|&&here| change.numbers.is_identifier(change.sketch[here])).count();
    let whole = &candidate.layout.whole;
    let lines = whole
        .iter()
        .filter(|line| {
            line.len() >= change.numbers.shortest_line && is_equal(line, candidate, change)
        })
        .count();
    let tokens: usize = whole.iter().map(Range::len).sum();
    let (recurring, agreeing) = change.recurrences(candidate);
    let (run, is_run) = runs(candidate, alignment);
    (
        (lines, names, texts.len() - names, candidate.said.number),
        (
            candidate.said.texts,
            tokens as f64,
            (recurring - agreeing) as f64,
            agreeing as f64,
            change.in_rows(candidate) as f64,
            run,
        ),
        is_run,
    )
}

/// Measure the runs of equal text: the informative tokens of the longest, and whether one is guaranteed.
///
/// A guaranteed run has t tokens with w telling k-grams in a row. The candidate may have only a part of them.
fn runs(candidate: &Candidate, alignment: &Alignment) -> (usize, bool) {
    let change = alignment.change;
    let (k, t) = (change.limits.k, change.limits.t);
    let says = |here: &usize| change.token_bits[*here] > 0.0 || change.literal_bits[*here] > 0.0;
    let are_telling = |kgrams: &[bool]| !kgrams.contains(&false);
    let (mut most, mut is_run) = (0, false);
    for part in &candidate.segments {
        for run in equal_runs(part, change.sketch, alignment.content.sketch, t) {
            let own = run.start.max(part.start)..run.end.min(part.end);
            most = most.max(own.filter(says).count());
            is_run |= run.len() >= t
                && change.telling[run.start..=run.end - k].windows(t + 1 - k).any(are_telling);
        }
    }
    (most, is_run)
}

/// Each run of equal text that meets a segment; a run may reach `around` tokens beyond it.
fn equal_runs(part: &Segment, here: &[u8], there: &[u8], around: usize) -> Vec<Range<usize>> {
    let before = around.min(part.start).min(part.there().start);
    let behind = around.min(here.len() - part.end).min(there.len() - part.there().end);
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, at) = (part.start - before, part.there().start - before);
    let pairs = here[start..part.end + behind].iter().zip(&there[at..]);
    let low = start;
    for (number, (one, other)) in pairs.enumerate() {
        if one != other {
            found.push(start..low + number);
            start = low + number + 1;
        }
    }
    found.push(start..part.end + behind);
    found.retain(|run| !run.is_empty() && run.end > part.start && run.start < part.end);
    found
}

/// Whether all tokens of a line are added, and the same on both sides.
fn is_equal(line: &Range<usize>, candidate: &Candidate, change: &Change) -> bool {
    let place = |token: usize| candidate.here.partition_point(|&here| (here as usize) < token);
    let mut numbers = place(line.start)..place(line.end);
    numbers.len() == line.len()
        && numbers.all(|number| {
            let here = candidate.here[number] as usize;
            change.added[here] && change.sketch[here] == candidate.there[number]
        })
}
