//! Ungapped extension: which diagonals promise a copy (`winnow_ci.matching.ungapped`).

use std::collections::HashSet;
use std::ops::Range;

use super::sums::sum;
use super::values::{classes, Change, Content};
use super::CONTEXT;

/// The least gain of a promising diagonal, and the cost of a mismatch, in bits.
const LEAST_PROMISE: f64 = 32.0;
const MISMATCH: f64 = 2.5;
/// Most tokens that a seed is extended by, in each direction.
const REACH: usize = 120;
/// What stands beside the contents.
const BESIDE: u8 = 255;

/// For each content the diagonals that promise a copy.
pub fn promising(change: &Change, contents: &[Content]) -> Vec<HashSet<i64>> {
    // The first tokens before the contents are for a place that is not in its content, as its index is damaged.
    let mut there = vec![BESIDE; change.limits.k + REACH];
    let mut firsts = Vec::with_capacity(contents.len());
    for content in contents {
        firsts.push(there.len() as i64);
        there.extend_from_slice(content.sketch);
        there.resize(there.len() + REACH, BESIDE);
    }
    let joined = Joined {
        change,
        there: &there,
        classes: &classes(&there),
    };
    (contents.iter().zip(firsts))
        .map(|(content, first)| joined.promising(content, first))
        .collect()
}

/// The change, and the contents one after the other with tokens between them that match nothing.
struct Joined<'a> {
    change: &'a Change<'a>,
    there: &'a [u8],
    /// Their structural classes.
    classes: &'a [u8],
}

/// A seed: its diagonal, where it stands in the change, and what it says.
struct Best {
    diagonal: i64,
    position: usize,
    said: f64,
}

impl Joined<'_> {
    fn promising(&self, content: &Content, first: i64) -> HashSet<i64> {
        (self.best_of_each(content).into_iter())
            .filter(|one| {
                one.said + self.gain(one.position, self.place(one, first)) >= LEAST_PROMISE
            })
            .map(|one| one.diagonal)
            .collect()
    }

    /// The seed that says most on each diagonal.
    fn best_of_each(&self, content: &Content) -> Vec<Best> {
        let (k, seeds, cumulative) = (self.change.limits.k, content.seeds, self.change.cumulative);
        let mut numbers: Vec<usize> = (0..seeds.positions.len())
            .filter(|&n| seeds.is_structural(n))
            .collect();
        numbers.sort_by_key(|&n| seeds.diagonals[n]);
        let mut best: Vec<Best> = Vec::new();
        for n in numbers {
            let (diagonal, position) = (seeds.diagonals[n], seeds.positions[n] as usize);
            let said = cumulative[position + k] - cumulative[position + CONTEXT];
            match best.last_mut().filter(|known| known.diagonal == diagonal) {
                Some(known) if said > known.said => {
                    *known = Best {
                        diagonal,
                        position,
                        said,
                    }
                }
                Some(_) => (),
                None => best.push(Best {
                    diagonal,
                    position,
                    said,
                }),
            }
        }
        best
    }

    /// Where a seed stands in the joined contents; it stays inside even if its place is damaged.
    fn place(&self, seed: &Best, first: i64) -> usize {
        let k = self.change.limits.k;
        let last = self.there.len() - REACH - k;
        ((seed.position as i64 + seed.diagonal + first).max((k + REACH) as i64) as usize).min(last)
    }

    /// What a seed gains in both directions, and by equal text inside it.
    fn gain(&self, position: usize, there: usize) -> f64 {
        let (k, all) = (self.change.limits.k, self.change.sketch.len());
        // Beside the change nothing matches, so nothing is gained.
        let after = position + k..all.min(position + k + REACH);
        let before = position - REACH.min(position)..position;
        let before_len = before.len();
        let forward = most(self.gains(after, there + k));
        let backward = most(self.gains(before, there - before_len).rev());
        let inside: Vec<f64> = self.texts(position..position + k, there).collect();
        forward + backward + sum(&inside)
    }

    /// What each pair of tokens gains, from two places on.
    fn gains(
        &self,
        here: Range<usize>,
        there: usize,
    ) -> impl DoubleEndedIterator<Item = f64> + use<'_> {
        let those = there..there + here.len();
        let classes = self.change.classes[here.clone()]
            .iter()
            .zip(&self.classes[those]);
        let bits = &self.change.token_bits[here.clone()];
        (classes.zip(bits).zip(self.texts(here, there))).map(|(((one, other), bits), text)| {
            let structure = if one == other { *bits } else { -MISMATCH };
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
        let pairs = self.change.sketch[here.clone()]
            .iter()
            .zip(&self.there[those]);
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
