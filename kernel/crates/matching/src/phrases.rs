//! Phrases that a change and a content have in common (`winnow_ci.matching.judge`).

use super::numbers::Numbers;
use super::sums::{firsts, total};
use super::values::{Segment, SharedPhrases};

/// The phrases that both sides of a candidate have: worth of all, of all but names, and how many there are but names.
#[derive(Clone, Copy, Default)]
pub struct PhraseBits {
    pub bits: f64,
    pub texts: f64,
    pub number: usize,
}

impl SharedPhrases<'_> {
    /// Segments without tokens at phrases that are reason enough to search.
    pub fn anchors(&self) -> impl Iterator<Item = Segment> + '_ {
        (0..self.positions.len()).filter(|&n| self.opens[n]).map(|n| {
            let place = self.positions[n] as usize;
            Segment { start: place, end: place, diagonal: self.diagonals[n], seeds: 0 }
        })
    }

    /// The worth of the phrases in or beside segments, or in tokens that are the `same`, which are rising, each once.
    pub fn said(&self, parts: &[Segment], same: &[u32], numbers: &Numbers) -> PhraseBits {
        if self.positions.is_empty() {
            return PhraseBits::default();
        }
        let start =
            parts.iter().map(|part| part.start).min().unwrap_or(0).saturating_sub(numbers.beside);
        let end = parts.iter().map(|part| part.end).max().unwrap_or(0) + numbers.beside;
        let mut diagonals: Vec<i64> = parts.iter().map(|part| part.diagonal).collect();
        diagonals.sort_unstable();
        let counts = |&n: &usize| {
            let place = self.positions[n] as usize;
            (start..end).contains(&place)
                && is_near(self.diagonals[n], &diagonals, numbers.phrase_band)
                || same.binary_search(&(place as u32)).is_ok()
        };
        let here = firsts((0..self.positions.len()).filter(counts), |n| self.hashes[n]);
        let texts: Vec<usize> = here.iter().copied().filter(|&n| !self.names[n]).collect();
        PhraseBits {
            bits: self.worth(&here, numbers),
            texts: self.worth(&texts, numbers),
            number: texts.len(),
        }
    }

    fn worth(&self, which: &[usize], numbers: &Numbers) -> f64 {
        total(which.iter().map(|&n| self.bits[n])).min(numbers.most_of_all)
    }
}

/// Whether a diagonal is near one of `others`, which are rising.
fn is_near(diagonal: i64, others: &[i64], band: i64) -> bool {
    let after = others.partition_point(|&other| other < diagonal - band);
    others.get(after).is_some_and(|&other| other <= diagonal + band)
}
