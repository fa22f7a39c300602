//! Seeds → segments (`winnow_ci.matching.extension`).

use super::numbers::Numbers;
use super::values::{Seed, Segment};

/// Extend seeds along their diagonals to segments of at least `k` tokens, ordered by start.
///
/// `here` and `there` are what is compared of each token, and `seeds` are sorted.
pub fn segments(
    here: &[u8],
    there: &[u8],
    seeds: &[Seed],
    k: usize,
    numbers: &Numbers,
) -> Vec<Segment> {
    let mut diagonals: Vec<&[Seed]> =
        seeds.chunk_by(|one, other| one.diagonal == other.diagonal).collect();
    diagonals.sort_by_key(|own| std::cmp::Reverse(own.len()));
    diagonals.truncate(numbers.most_diagonals);
    let mut found = Vec::new();
    for own in diagonals {
        found.extend(along(here, there, own, k, numbers.longest_without_seed));
    }
    found.sort_unstable();
    found
}

/// The segments of the seeds of one diagonal.
fn along(here: &[u8], there: &[u8], mut seeds: &[Seed], k: usize, longest: usize) -> Vec<Segment> {
    let mut found = Vec::new();
    let (Some(first), Some(last)) = (seeds.first(), seeds.last()) else {
        return found;
    };
    let diagonal = first.diagonal;
    let low = first.position.saturating_sub(longest).max((-diagonal).max(0) as usize);
    let end_there = (there.len() as i64 - diagonal).max(0) as usize;
    let high = here.len().min(end_there).min(last.position + k + longest);
    let differ = |place: &usize| here[*place] != there[(*place as i64 + diagonal) as usize];
    while let Some(seed) = seeds.first().filter(|seed| seed.position < high) {
        let end = (seed.position..high).find(differ).unwrap_or(high);
        // A seed without k equal tokens is a chance collision of hashes, or reaches past a damaged map.
        let sound = seeds.partition_point(|one| one.position + k <= end);
        if sound > 0 {
            let start = (low..seed.position).rev().find(differ).map_or(low, |place| place + 1);
            found.push(Segment { start, end, diagonal, seeds: sound });
        }
        seeds = &seeds[seeds.partition_point(|one| one.position <= end)..];
    }
    found
}
