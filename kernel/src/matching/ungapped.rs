//! Ungapped extension: which diagonals promise a copy (`winnow_ci.matching.ungapped`).

use std::collections::HashSet;

use super::sums::sum;
use super::values::{class, Change, Content};
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
    };
    (contents.iter().zip(firsts))
        .map(|(content, first)| joined.promising(content, first))
        .collect()
}

/// The change, and the contents one after the other with tokens between them that match nothing.
struct Joined<'a> {
    change: &'a Change<'a>,
    there: &'a [u8],
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
        let before = position.saturating_sub(REACH)..position;
        let forward = self.most(after.zip(there + k..));
        let backward = self.most(before.rev().zip((0..there).rev()));
        let inside: Vec<f64> = (position..position + k)
            .zip(there..)
            .map(|(here, there)| self.text(here, there))
            .collect();
        forward + backward + sum(&inside)
    }

    /// The most that is gained on a way, at least 0.
    fn most(&self, way: impl Iterator<Item = (usize, usize)>) -> f64 {
        let (mut so_far, mut most) = (0.0, 0.0_f64);
        for (here, there) in way {
            so_far += self.structure(here, there) + self.text(here, there);
            most = most.max(so_far);
        }
        most
    }

    fn structure(&self, here: usize, there: usize) -> f64 {
        let is_equal = self.change.classes[here] == class(self.there[there]);
        if is_equal {
            self.change.token_bits[here]
        } else {
            -MISMATCH
        }
    }

    fn text(&self, here: usize, there: usize) -> f64 {
        if self.change.sketch[here] == self.there[there] {
            self.change.new_literal_bits[here]
        } else {
            0.0
        }
    }
}
