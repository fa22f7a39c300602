//! How strong the evidence of a copy is, and what it consists of (`winnow_ci.matching.strength`).

use std::ops::Range;

use super::candidate::Candidate;
use super::judge::{breaks, sum_of, LEAST_SCORE, SHORT_LINE};
use super::kept_lines::kept_lines;
use super::region::{Kind, Region};
use super::sums::firsts;
use super::values::{is_identifier, Change};

/// The least weight of a strong renamed region, in bits.
const LEAST_WEIGHT: f64 = 34.0;
/// The least score of a strong verbatim region: without a whole line or a phrase, with one, and how much less is enough
/// for each further line, down to a least one.
const LEAST_BARE_SCORE: f64 = 90.0;
const LEAST_LINE_SCORE: f64 = 75.0;
const EACH_LINE: f64 = 12.0;
const LEAST_LINES_SCORE: f64 = 50.0;
/// The shares of the structure's bits and of the breaks' that count.
const STRUCTURE: f64 = 0.3;
const BREAKS: f64 = 0.5;
/// And of what names and literals say on lines of equal text, two and more in a row.
const TEXT_IN_ROW: f64 = 0.6;
/// From this share of equal text on, fewer whole lines of equal text or names than this mean that only a library's names
/// are the same.
const MOSTLY: f64 = 0.78;
const FEW_LINES: usize = 2;
const NAMES_ALONE: f64 = -15.0;
/// A region of so many matched tokens at most, of which no rare text, no whole line and no phrase is the same.
const SHORT: usize = 30;
const ONLY_STRUCTURE: f64 = -10.0;
/// A name or literal that says fewer bits is not counted.
const RARE: f64 = 3.0;

/// What speaks for a copy.
pub struct Strength {
    pub weight: f64,
    pub is_strong: bool,
    pub lines: usize,
    pub names: usize,
    pub literals: usize,
    pub phrases: usize,
}

/// The evidence of a region, given the candidate that it was made of.
pub fn strength(region: &Region, candidate: &Candidate, change: &Change) -> Strength {
    let same: Vec<usize> = change.same(candidate).collect();
    let kept = kept_lines(candidate, change);
    let names_alone = change.likeness(candidate) > MOSTLY && kept.equal_or_named < FEW_LINES;
    let weight = change.lines(candidate, SHORT_LINE)
        + candidate.said.texts
        + STRUCTURE * sum_of(&change.structure(candidate))
        + BREAKS * breaks(candidate)
        + TEXT_IN_ROW * text_in_row(candidate, change, &kept.rows)
        + if names_alone { NAMES_ALONE } else { 0.0 };
    let rare = same
        .into_iter()
        .filter(|&here| change.literal_bits[here] >= RARE && change.added[here]);
    let texts = firsts(rare, |here| change.verbatim[here]);
    let names = texts
        .iter()
        .filter(|&&here| is_identifier(change.sketch[here]))
        .count();
    let kept_nothing = texts.is_empty() && kept.equal == 0 && candidate.said.number == 0;
    let weight = weight
        + if region.matched <= SHORT && kept_nothing {
            ONLY_STRUCTURE
        } else {
            0.0
        };
    let is_strong = match region.kind {
        Kind::Verbatim => region.bits >= least_verbatim_score(kept.equal, candidate.said.number),
        Kind::Renamed => region.bits >= LEAST_SCORE && weight >= LEAST_WEIGHT,
    };
    Strength {
        weight,
        is_strong,
        lines: kept.equal,
        names,
        literals: texts.len() - names,
        phrases: candidate.said.number,
    }
}

fn least_verbatim_score(lines: usize, phrases: usize) -> f64 {
    if lines == 0 && phrases == 0 {
        return LEAST_BARE_SCORE;
    }
    LEAST_LINES_SCORE.max(LEAST_LINE_SCORE - EACH_LINE * lines.saturating_sub(1) as f64)
}

/// Bits of the names and literals on lines of equal text in a row.
fn text_in_row(candidate: &Candidate, change: &Change, rows: &[Range<usize>]) -> f64 {
    if rows.is_empty() {
        return 0.0;
    }
    let mut said = change.same_once(candidate);
    said.retain(|(token, _)| rows.iter().any(|row| row.contains(token)));
    sum_of(&said)
}
