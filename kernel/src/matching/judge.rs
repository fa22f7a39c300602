//! How much likeness is evidence of a copy (`winnow_ci.matching.judge`).

use std::ops::Range;

use super::candidate::Candidate;
use super::kept_lines::kept_lines;
use super::layout::SHORTEST_LINE;
use super::region::{Kind, Region};
use super::sums::{firsts, sum};
use super::values::{is_identifier, is_number, is_string, Change, NUMBERS, STRINGS};
use super::CONTEXT;

/// Verbatim runs shorter than t are evidence if together they have this many times t tokens.
const SHORT_RUNS: usize = 2;
/// Text without informative structure is evidence from this many times t tokens on.
const PLAIN_TEXT: usize = 3;
/// Worth in bits.
pub const SAME: f64 = 1.2;
const WHOLE_LINE: f64 = 6.0;
pub const SHORT_LINE: f64 = 3.0;
const OTHER_GAP: f64 = -8.0;
const DISAGREES: f64 = -6.0;
const BREAK: f64 = -4.2;
const SHIFT: f64 = -2.8;
const JUMP: f64 = -1.4;
pub const LEAST_SCORE: f64 = 65.0;
const LEAST_VERBATIM_SCORE: f64 = 69.0;
/// With at least this share of equal text, a match is a verbatim copy with a few edits.
pub const SAME_TEXT: f64 = 0.95;
/// Whole lines that say much: less is enough then, for a copy that has kept nearly all of its text, or is long and has
/// names of which each meets the same one wherever it recurs.
const MUCH_OF_LINES: f64 = 20.0;
const LONG: usize = 30;
const LEAST_LONG_SCORE: f64 = 57.0;
/// Names and strings that say much: so is it for a copy that has kept nearly all of its text.
const MUCH_OF_TEXT: f64 = 15.0;
const LEAST_KEPT_SCORE: f64 = 48.0;
/// What each whole line of equal text makes less enough, in bits, up to a few of them.
const KEPT_LINE: f64 = 6.0;
const MOST_KEPT_LINES: usize = 3;
/// With so many whole lines of equal text, a copy need not be consistent in its names.
const ENOUGH_LINES: usize = 2;
/// At least this share of recurring names correspond in a copy, unless phrases are worth `MUCH` bits.
const LEAST_CONSISTENCY: f64 = 0.7;
const MUCH: f64 = 20.0;
/// A candidate that only names led to must have kept this share of its text.
const LEAST_LIKENESS: f64 = 0.75;
/// The share of pairs of different numbers that say nothing, as they look equal by chance.
const CHANCE_NUMBERS: f64 = 2.0 / NUMBERS;
/// How many strings look equal by chance and say nothing, for each that differs.
const CHANCE_STRINGS: f64 = 2.0 / (STRINGS - 1.0);

/// Tokens, and the bits of each.
type Worth = Vec<(usize, f64)>;

impl Change<'_> {
    /// Whether a verbatim candidate, to be reported as that region, is evidence of a copy.
    pub fn is_verbatim_copy(&self, candidate: &Candidate, region: &Region) -> bool {
        let (t, least, added) = (
            self.limits.t,
            self.limits.verbatim,
            self.added_of(candidate, region),
        );
        if candidate.by_text {
            return added >= least.max(PLAIN_TEXT * t);
        }
        (candidate.longest() >= t || candidate.here.len() >= SHORT_RUNS * t) && added >= least
    }

    /// Whether a structural candidate has the score and the length that its kind needs.
    pub fn is_enough(&self, candidate: &Candidate, region: &Region) -> bool {
        let added = self.added_of(candidate, region);
        match region.kind {
            Kind::Verbatim => {
                added >= self.limits.verbatim
                    && (region.bits >= LEAST_VERBATIM_SCORE
                        || self.least_score(candidate) < LEAST_SCORE)
            }
            Kind::Renamed => self.limits.renamed.is_some_and(|least| added >= least),
        }
    }

    /// Whether a structural candidate with this score is evidence of a copy, unless it is an idiom.
    pub fn is_evidence(&self, candidate: &Candidate, score: f64) -> bool {
        if score < LEAST_KEPT_SCORE
            || (score < LEAST_SCORE && score < self.least_score_with_lines(candidate))
        {
            return false;
        }
        let led_by_names = !candidate.has_seed && candidate.said.texts == 0.0;
        if led_by_names && self.likeness(candidate) < LEAST_LIKENESS {
            return false;
        }
        let (count, agreeing) = self.recurrences(candidate);
        agreeing as f64 >= LEAST_CONSISTENCY * count as f64
            || candidate.said.bits >= MUCH
            || kept_lines(candidate, self).equal >= ENOUGH_LINES
    }

    /// The worth of a structural candidate as evidence, in bits.
    pub fn score(&self, candidate: &Candidate) -> f64 {
        let worth = self.worth(candidate);
        sum_of(&worth)
            + lines(&worth, candidate, WHOLE_LINE)
            + candidate.said.bits
            + self.names(candidate)
            + breaks(candidate)
    }

    /// The worth of lines that are whole on both sides, in bits; a short one is worth `short` at most.
    pub fn lines(&self, candidate: &Candidate, short: f64) -> f64 {
        lines(&self.worth(candidate), candidate, short)
    }

    /// The score from which a structural candidate is evidence, whatever lines of equal text it has.
    fn least_score(&self, candidate: &Candidate) -> f64 {
        let has_lines = self.lines(candidate, WHOLE_LINE) >= MUCH_OF_LINES;
        let has_text = || self.kept_text(candidate) >= MUCH_OF_TEXT;
        if self.likeness(candidate) >= SAME_TEXT && (has_lines || has_text()) {
            LEAST_KEPT_SCORE
        } else if has_lines && candidate.here.len() >= LONG && self.names(candidate) == 0.0 {
            LEAST_LONG_SCORE
        } else {
            LEAST_SCORE
        }
    }

    /// The score from which a structural candidate is evidence.
    fn least_score_with_lines(&self, candidate: &Candidate) -> f64 {
        (LEAST_SCORE - self.credit(candidate)).min(self.least_score(candidate))
    }

    /// How much less is enough, in bits, for a candidate with whole lines of equal text.
    pub fn credit(&self, candidate: &Candidate) -> f64 {
        KEPT_LINE * kept_lines(candidate, self).equal.min(MOST_KEPT_LINES) as f64
    }

    fn worth(&self, candidate: &Candidate) -> Worth {
        let mut worth = self.structure(candidate);
        worth.extend(self.same_once(candidate));
        worth
    }

    /// The share of matched tokens whose text is the same.
    pub fn likeness(&self, candidate: &Candidate) -> f64 {
        self.same(candidate).count() as f64 / candidate.here.len() as f64
    }

    /// The matched tokens whose text is the same.
    pub fn same<'a>(&'a self, candidate: &'a Candidate) -> impl Iterator<Item = usize> + 'a {
        candidate
            .pairs()
            .filter(|&(here, there)| self.sketch[here] == there)
            .map(|(here, _)| here)
    }

    /// Number of matched tokens on added lines, at most the number that would be reported.
    fn added_of(&self, candidate: &Candidate, region: &Region) -> usize {
        candidate
            .here
            .iter()
            .filter(|&&here| self.added[here as usize])
            .count()
            .min(region.matched)
    }

    /// The distinct 4-grams that lie inside segments and on added lines: their last tokens and bits.
    pub fn structure(&self, candidate: &Candidate) -> Worth {
        let inside = candidate
            .segments
            .iter()
            .flat_map(|part| part.start + CONTEXT..part.end);
        let distinct = firsts(inside.filter(|&token| self.added[token]), |token| {
            self.grams[token - CONTEXT]
        });
        distinct
            .into_iter()
            .map(|token| (token, self.token_bits[token]))
            .collect()
    }

    /// Bits against a copy, for recurring names that do not meet the same name as before.
    fn names(&self, candidate: &Candidate) -> f64 {
        let (count, agreeing) = self.recurrences(candidate);
        DISAGREES * (count - agreeing) as f64
    }

    /// How often names recur, and how often they then meet the name that they meet most (`matching.renaming`).
    fn recurrences(&self, candidate: &Candidate) -> (usize, usize) {
        let mut pairs: Vec<(u64, u8)> = (candidate.pairs())
            .filter(|&(_, there)| is_identifier(there))
            .map(|(here, there)| (self.verbatim[here], there))
            .collect();
        pairs.sort_unstable();
        let (mut names, mut agreeing) = (0, 0);
        for name in pairs.chunk_by(|one, other| one.0 == other.0) {
            names += 1;
            agreeing += name
                .chunk_by(|one, other| one.1 == other.1)
                .map(<[_]>::len)
                .max()
                .unwrap_or(0);
        }
        (pairs.len() - names, agreeing - names)
    }

    /// Names and literals that are the same on both sides, each once: tokens and bits.
    pub fn same_once(&self, candidate: &Candidate) -> Worth {
        let in_tables = candidate
            .here
            .iter()
            .any(|&here| self.further_rows[here as usize]);
        let rows = if in_tables {
            self.equal_rows(candidate)
        } else {
            Vec::new()
        };
        let counts = |&(number, here): &(usize, usize)| {
            self.sketch[here] == candidate.there[number]
                && self.added[here]
                && (!in_tables || !self.further_rows[here] || rows[number])
        };
        let pairs = candidate.here.iter().map(|&here| here as usize).enumerate();
        let distinct = firsts(pairs.filter(counts).map(|(_, here)| here), |here| {
            self.verbatim[here]
        });
        let numbers = self.share_of_numbers(candidate);
        let strings = self.share_of_strings(candidate);
        let share = |sketch: u8| match sketch {
            own if is_number(own) => numbers,
            own if is_string(own) => strings,
            _ => 1.0,
        };
        let bits = |here: usize| SAME * self.literal_bits[here] * share(self.sketch[here]);
        distinct
            .into_iter()
            .map(|here| (here, bits(here)))
            .collect()
    }

    /// Bits of the same names and strings; tables that nobody copied have the same numbers, too.
    fn kept_text(&self, candidate: &Candidate) -> f64 {
        let mut same = self.same_once(candidate);
        same.retain(|&(here, _)| !is_number(self.sketch[here]));
        sum_of(&same)
    }

    /// Which matched tokens stand on one of two lines in succession that are wholly the same (`matching.equal_rows`).
    fn equal_rows(&self, candidate: &Candidate) -> Vec<bool> {
        let lines = self.whole_lines(candidate.span());
        let rows: Vec<&[i32]> = self.first_lines[lines.clone()]
            .chunk_by(|one, other| one == other)
            .collect();
        let mut same = vec![0; rows.len()];
        let mut row_of = Vec::with_capacity(candidate.here.len());
        let (mut row, mut end) = (0, lines.start + rows[0].len());
        for (here, there) in candidate.pairs() {
            while here >= end {
                row += 1;
                end += rows[row].len();
            }
            row_of.push(row);
            same[row] += usize::from(self.sketch[here] == there);
        }
        let whole = |row: usize| rows.get(row).is_some_and(|own| own.len() == same[row]);
        let is_equal =
            |row: usize| whole(row) && (whole(row + 1) || row.checked_sub(1).is_some_and(whole));
        row_of.into_iter().map(is_equal).collect()
    }

    /// The tokens of all lines that some tokens begin on.
    fn whole_lines(&self, tokens: Range<usize>) -> Range<usize> {
        let (first, last) = (
            self.first_lines[tokens.start],
            self.first_lines[tokens.end - 1],
        );
        let before = self.first_lines[..tokens.start]
            .iter()
            .rev()
            .take_while(|&&line| line == first)
            .count();
        let after = self.first_lines[tokens.end..]
            .iter()
            .take_while(|&&line| line == last)
            .count();
        tokens.start - before..tokens.end + after
    }

    /// The share of the equal strings that count: of those that differ, others look equal by chance.
    fn share_of_strings(&self, candidate: &Candidate) -> f64 {
        let (strings, equal) = self.pairs(candidate, is_string);
        (1.0 - CHANCE_STRINGS * (strings - equal) / equal.max(1.0)).max(0.0)
    }

    /// The share of the equal numbers that count: two rows of numbers have some that look equal by chance.
    fn share_of_numbers(&self, candidate: &Candidate) -> f64 {
        let (numbers, equal) = self.pairs(candidate, is_number);
        (1.0 - CHANCE_NUMBERS * numbers / equal.max(1.0)).max(0.0)
    }

    /// How many tokens are of a class on both sides, and how many of these look equal.
    fn pairs(&self, candidate: &Candidate, is_of_class: impl Fn(u8) -> bool) -> (f64, f64) {
        let (mut pairs, mut equal) = (0_u32, 0_u32);
        for (here, there) in candidate.pairs() {
            if is_of_class(self.sketch[here]) && is_of_class(there) {
                pairs += 1;
                equal += u32::from(self.sketch[here] == there);
            }
        }
        (f64::from(pairs), f64::from(equal))
    }
}

/// All bits of tokens.
pub fn sum_of(worth: &[(usize, f64)]) -> f64 {
    let bits: Vec<f64> = worth.iter().map(|&(_, bits)| bits).collect();
    sum(&bits)
}

/// Bits against a copy, for what lies between its segments.
pub fn breaks(candidate: &Candidate) -> f64 {
    let (mut pairs, mut shifts, mut jumps) = (0_u32, 0_u32, 0_u32);
    for pair in candidate.segments.windows(2) {
        pairs += 1;
        shifts += u32::from(pair[1].diagonal != pair[0].diagonal);
        jumps += u32::from(pair[1].there().start < pair[0].there().start);
    }
    BREAK * f64::from(pairs) + SHIFT * f64::from(shifts) + JUMP * f64::from(jumps)
}

/// Bits of lines that are whole on both sides, given tokens and their bits; never less than 0.
fn lines(worth: &[(usize, f64)], candidate: &Candidate, short: f64) -> f64 {
    let whole = &candidate.layout.whole;
    if whole.is_empty() {
        return 0.0;
    }
    let mut said = vec![0.0; whole.len()];
    for &(token, bits) in worth {
        let after = whole.partition_point(|line| line.start <= token);
        if let Some(line) = after.checked_sub(1).filter(|&line| token < whole[line].end) {
            said[line] += bits;
        }
    }
    let most = |line: &Range<usize>| {
        if line.len() < SHORTEST_LINE {
            short
        } else {
            WHOLE_LINE
        }
    };
    let bounded: Vec<f64> = (whole.iter().zip(&said))
        .map(|(line, &bits)| most(line).min(bits))
        .collect();
    (sum(&bounded) + OTHER_GAP * candidate.layout.other_gaps as f64).max(0.0)
}
