//! Ungapped extension: which diagonals promise a copy (`winnow_ci.matching.extension`).

use std::collections::HashSet;
use std::ops::Range;

use super::sums::total;
use super::values::{Change, Content};

/// The diagonals of a content that promise a copy.
pub fn promising(change: &Change, content: &Content) -> HashSet<i64> {
    let sides =
        Sides { change, there: content.sketch, classes: &change.numbers.classes(content.sketch) };
    (best_of_each(change, content).into_iter())
        .filter(|one| one.said + sides.gain(one) >= change.numbers.least_promise)
        .map(|one| one.diagonal)
        .collect()
}

/// A seed: its diagonal, where it stands in the change, and what it says.
struct Best {
    diagonal: i64,
    position: usize,
    said: f64,
}

/// The seed that says most on each diagonal. One beyond the content is of a damaged index.
fn best_of_each(change: &Change, content: &Content) -> Vec<Best> {
    let (k, seeds, cumulative) = (change.limits.k, content.seeds, change.cumulative);
    let mut numbers: Vec<usize> = (0..seeds.positions.len())
        .filter(|&n| seeds.is_structural(n))
        .filter(|&n| (seeds.positions[n] + seeds.diagonals[n]) as usize + k <= content.sketch.len())
        .collect();
    numbers.sort_by_key(|&n| seeds.diagonals[n]);
    let mut best: Vec<Best> = Vec::new();
    for n in numbers {
        let (diagonal, position) = (seeds.diagonals[n], seeds.positions[n] as usize);
        let one = Best {
            diagonal,
            position,
            said: cumulative[position + k] - cumulative[position + change.numbers.context],
        };
        match best.last_mut().filter(|known| known.diagonal == diagonal) {
            Some(known) if one.said > known.said => *known = one,
            Some(_) => (),
            None => best.push(one),
        }
    }
    best
}

/// The change, and a content with its structural classes.
struct Sides<'a> {
    change: &'a Change<'a>,
    there: &'a [u8],
    classes: &'a [u8],
}

impl Sides<'_> {
    /// What a seed gains in both directions, and by equal text inside it.
    fn gain(&self, seed: &Best) -> f64 {
        let (k, here) = (self.change.limits.k, seed.position);
        let there = (here as i64 + seed.diagonal) as usize;
        let reach = self.change.numbers.reach;
        let left = (self.change.sketch.len() - here).min(self.there.len() - there) - k;
        let (before, after) = (reach.min(here).min(there), reach.min(left));
        let forward = most(self.gains(here + k..here + k + after, there + k));
        let backward = most(self.gains(here - before..here, there - before).rev());
        forward + backward + total(self.texts(here..here + k, there))
    }

    /// What each pair of tokens gains, from two places on.
    fn gains(
        &self,
        here: Range<usize>,
        there: usize,
    ) -> impl DoubleEndedIterator<Item = f64> + use<'_> {
        let those = there..there + here.len();
        let classes = self.change.classes[here.clone()].iter().zip(&self.classes[those]);
        let bits = &self.change.token_bits[here.clone()];
        let mismatch = self.change.numbers.mismatch;
        (classes.zip(bits).zip(self.texts(here, there))).map(move |(((one, other), bits), text)| {
            let structure = if one == other { *bits } else { -mismatch };
            structure + text
        })
    }

    /// What the equal text of each pair of tokens says.
    fn texts(
        &self,
        here: Range<usize>,
        there: usize,
    ) -> impl ExactSizeIterator<Item = f64> + DoubleEndedIterator + use<'_> {
        let those = there..there + here.len();
        let pairs = self.change.sketch[here.clone()].iter().zip(&self.there[those]);
        pairs
            .zip(&self.change.new_literal_bits[here])
            .map(|((one, other), bits)| if one == other { *bits } else { 0.0 })
    }
}

/// The most that is gained on a way, at least 0.
fn most(way: impl Iterator<Item = f64>) -> f64 {
    let (mut so_far, mut most) = (0.0, 0.0_f64);
    for gain in way {
        so_far += gain;
        most = most.max(so_far);
    }
    most
}
