//! How much likeness is evidence of a copy (`winnow_ci.matching.judge`).

use std::ops::Range;

use super::candidate::Candidate;
use super::numbers::Numbers;
use super::region::{Kind, Region};
use super::sums::{firsts, total};
use super::values::Change;
use winnow_evidence::in_steps;

/// Tokens, and the bits of each.
type Worth = Vec<(usize, f64)>;

impl Change<'_> {
    /// Whether a verbatim candidate, to be reported as that region, is evidence of a copy.
    pub fn is_verbatim_copy(&self, candidate: &Candidate, region: &Region) -> bool {
        let (t, least, added) =
            (self.limits.t, self.limits.verbatim, self.added_of(candidate, region));
        if candidate.by_text {
            return added >= least.max(self.numbers.plain_text * t);
        }
        (candidate.longest() >= t || candidate.here.len() >= self.numbers.short_runs * t)
            && added >= least
    }

    /// Whether a structural candidate is long enough, as its kind needs.
    pub fn is_enough(&self, candidate: &Candidate, region: &Region) -> bool {
        let least = match region.kind {
            Kind::Verbatim => Some(self.limits.verbatim),
            Kind::Renamed => self.limits.renamed,
        };
        least.is_some_and(|least| self.added_of(candidate, region) >= least)
    }

    /// The worth of a structural candidate as evidence, in bits.
    pub fn score(&self, candidate: &Candidate) -> f64 {
        let worth = self.worth(candidate);
        total(worth.iter().map(|&(_, bits)| bits))
            + lines(&worth, candidate, self.numbers)
            + candidate.said.bits
            + self.names(candidate)
            + breaks(candidate, self.numbers)
    }

    fn worth(&self, candidate: &Candidate) -> Worth {
        let mut worth = self.structure(candidate);
        worth.extend(self.same_once(candidate));
        worth
    }

    /// The matched tokens whose text is the same.
    pub fn same<'a>(&'a self, candidate: &'a Candidate) -> impl Iterator<Item = usize> + 'a {
        candidate.pairs().filter(|&(here, there)| self.sketch[here] == there).map(|(here, _)| here)
    }

    /// Number of matched tokens on added lines, at most the number that would be reported.
    fn added_of(&self, candidate: &Candidate, region: &Region) -> usize {
        candidate.here.iter().filter(|&&here| self.added[here as usize]).count().min(region.matched)
    }

    /// The distinct 4-grams that lie inside segments and on added lines: their last tokens and bits.
    fn structure(&self, candidate: &Candidate) -> Worth {
        let inside =
            candidate.segments.iter().flat_map(|part| part.start + self.numbers.context..part.end);
        let distinct = firsts(inside.filter(|&token| self.added[token]), |token| {
            self.grams[token - self.numbers.context]
        });
        distinct.into_iter().map(|token| (token, self.token_bits[token])).collect()
    }

    /// Bits against a copy, for recurring names that do not meet the same name as before.
    fn names(&self, candidate: &Candidate) -> f64 {
        let (count, agreeing) = self.recurrences(candidate);
        self.numbers.disagrees * (count - agreeing) as f64
    }

    /// How often names recur, and how often they then meet the name that they meet most (`matching.judge`).
    pub fn recurrences(&self, candidate: &Candidate) -> (usize, usize) {
        let mut pairs: Vec<(u64, u8)> = (candidate.pairs())
            .filter(|&(_, there)| self.numbers.is_identifier(there))
            .map(|(here, there)| (self.verbatim[here], there))
            .collect();
        pairs.sort_unstable();
        let (mut names, mut agreeing) = (0, 0);
        for name in pairs.chunk_by(|one, other| one.0 == other.0) {
            names += 1;
            agreeing +=
                name.chunk_by(|one, other| one.1 == other.1).map(<[_]>::len).max().unwrap_or(0);
        }
        (pairs.len() - names, agreeing - names)
    }

    /// How many matched tokens stand in one of many rows of a shape, and not in rows that are the same.
    pub fn in_rows(&self, candidate: &Candidate) -> usize {
        self.chance_rows(candidate).iter().filter(|&&row| row).count()
    }

    /// Which matched tokens stand in one of many rows of a shape, and not in rows that are the same.
    fn chance_rows(&self, candidate: &Candidate) -> Vec<bool> {
        let in_row = |&here: &u32| self.further_rows[here as usize];
        if !candidate.here.iter().any(in_row) {
            return vec![false; candidate.here.len()];
        }
        let equal = self.equal_rows(candidate);
        let rows = candidate.here.iter().zip(equal);
        rows.map(|(here, equal)| in_row(here) && !equal).collect()
    }

    /// Names and literals that are the same on both sides, each once: tokens and bits.
    fn same_once(&self, candidate: &Candidate) -> Worth {
        let rows = self.chance_rows(candidate);
        let counts = |&(number, here): &(usize, usize)| {
            self.sketch[here] == candidate.there[number] && self.added[here] && !rows[number]
        };
        let pairs = candidate.here.iter().map(|&here| here as usize).enumerate();
        let distinct =
            firsts(pairs.filter(counts).map(|(_, here)| here), |here| self.verbatim[here]);
        let numbers = self.share_of_numbers(candidate);
        let strings = self.share_of_strings(candidate);
        let share = |sketch: u8| match sketch {
            own if self.numbers.is_number(own) => numbers,
            own if self.numbers.is_string(own) => strings,
            _ => 1.0,
        };
        let Numbers { same, steps, .. } = *self.numbers;
        let bits = |here: usize| {
            in_steps(same * self.literal_bits[here] * share(self.sketch[here]), steps)
        };
        distinct.into_iter().map(|here| (here, bits(here))).collect()
    }

    /// Which matched tokens stand on one of two lines in succession that are wholly the same (`matching.judge`).
    fn equal_rows(&self, candidate: &Candidate) -> Vec<bool> {
        let lines = self.whole_lines(candidate.span());
        let rows: Vec<&[i32]> =
            self.first_lines[lines.clone()].chunk_by(|one, other| one == other).collect();
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
        let (first, last) = (self.first_lines[tokens.start], self.first_lines[tokens.end - 1]);
        let before = self.first_lines[..tokens.start]
            .iter()
            .rev()
            .take_while(|&&line| line == first)
            .count();
        let after = self.first_lines[tokens.end..].iter().take_while(|&&line| line == last).count();
        tokens.start - before..tokens.end + after
    }

    /// The share of the equal strings that count: of those that differ, others look equal by chance.
    fn share_of_strings(&self, candidate: &Candidate) -> f64 {
        let (strings, equal) = self.pairs(candidate, |sketch| self.numbers.is_string(sketch));
        (1.0 - self.numbers.chance_strings * (strings - equal) / equal.max(1.0)).max(0.0)
    }

    /// The share of the equal numbers that count: two rows of numbers have some that look equal by chance.
    fn share_of_numbers(&self, candidate: &Candidate) -> f64 {
        let (numbers, equal) = self.pairs(candidate, |sketch| self.numbers.is_number(sketch));
        (1.0 - self.numbers.chance_numbers * numbers / equal.max(1.0)).max(0.0)
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

/// Bits against a copy, for what lies between its segments.
fn breaks(candidate: &Candidate, numbers: &Numbers) -> f64 {
    let (mut pairs, mut shifts, mut jumps) = (0_u32, 0_u32, 0_u32);
    for pair in candidate.segments.windows(2) {
        pairs += 1;
        shifts += u32::from(pair[1].diagonal != pair[0].diagonal);
        jumps += u32::from(pair[1].there().start < pair[0].there().start);
    }
    numbers.segment_break * f64::from(pairs)
        + numbers.shift * f64::from(shifts)
        + numbers.jump * f64::from(jumps)
}

/// Bits of lines that are whole on both sides, given tokens and their bits; never less than 0.
fn lines(worth: &[(usize, f64)], candidate: &Candidate, numbers: &Numbers) -> f64 {
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
    let bounded = said.into_iter().map(|bits| numbers.whole_line.min(bits));
    (total(bounded) + numbers.other_gap * candidate.layout.other_gaps as f64).max(0.0)
}
