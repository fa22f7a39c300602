//! Seeds → segments (`winnow_ci.matching.extension`).

use super::values::{Seed, Segment};

/// A run that continues this long without a seed is cut.
const LONGEST_WITHOUT_SEED: usize = 2048;
/// Periodic code matches along very many diagonals.
const MOST_DIAGONALS: usize = 128;

/// Extend seeds along their diagonals to segments of at least `k` tokens, ordered by start.
///
/// `here` and `there` are what is compared of each token, and `seeds` are sorted.
pub fn segments(here: &[u8], there: &[u8], seeds: &[Seed], k: usize) -> Vec<Segment> {
    let mut diagonals: Vec<&[Seed]> = seeds
        .chunk_by(|one, other| one.diagonal == other.diagonal)
        .collect();
    diagonals.sort_by_key(|own| std::cmp::Reverse(own.len()));
    diagonals.truncate(MOST_DIAGONALS);
    let mut found = Vec::new();
    for own in diagonals {
        along(here, there, own, k, &mut found);
    }
    found.sort_unstable();
    found
}

/// The segments of the seeds of one diagonal.
fn along(here: &[u8], there: &[u8], mut seeds: &[Seed], k: usize, found: &mut Vec<Segment>) {
    let (Some(first), Some(last)) = (seeds.first(), seeds.last()) else {
        return;
    };
    let diagonal = first.diagonal;
    let low = first
        .position
        .saturating_sub(LONGEST_WITHOUT_SEED)
        .max((-diagonal).max(0) as usize);
    let end_there = (there.len() as i64 - diagonal).max(0) as usize;
    let high = here
        .len()
        .min(end_there)
        .min(last.position + k + LONGEST_WITHOUT_SEED);
    let differ = |place: &usize| here[*place] != there[(*place as i64 + diagonal) as usize];
    while let Some(seed) = seeds.first().filter(|seed| seed.position < high) {
        let end = (seed.position..high).find(differ).unwrap_or(high);
        // A seed without k equal tokens is a chance collision of hashes, or reaches past a damaged map.
        let sound = seeds.partition_point(|one| one.position + k <= end);
        if sound > 0 {
            let start = (low..seed.position)
                .rev()
                .find(differ)
                .map_or(low, |place| place + 1);
            found.push(Segment {
                start,
                end,
                diagonal,
                seeds: sound,
            });
        }
        seeds = &seeds[seeds.partition_point(|one| one.position <= end)..];
    }
}
