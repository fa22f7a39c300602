//! Which k-grams carry information (`winnow_ci.evidence.information` defines it).

use std::ops::Range;

use super::document::Document;
use winnow_fingerprints::kgram_hashes;

/// 4-grams tell what repeats itself.
pub const GRAM: usize = 4;
/// This share of the 4-grams of a k-gram must be distinct.
const SHARE: f64 = 0.75;

/// Hashes of the 4-grams of a document, and which of its k-grams carry information.
pub struct Information {
    pub grams: Vec<u64>,
    pub by_structure: Vec<bool>,
    pub by_text: Vec<bool>,
}

/// What the k-grams of a document carry; `as_text` tells which of its tokens count as text even if they are numbers.
pub fn kgram_information(
    document: &Document,
    as_text: &[bool],
    numbers: Range<u8>,
    k: usize,
) -> Information {
    let texts: Vec<u64> = (0..document.sketch.len())
        .map(
            |at| match numbers.contains(&document.sketch[at]) && !as_text[at] {
                true => document.structural[at],
                false => document.verbatim[at],
            },
        )
        .collect();
    let grams = kgram_hashes(document.structural, GRAM);
    Information {
        by_structure: informative(&grams, k),
        by_text: informative(&kgram_hashes(&texts, GRAM), k),
        grams,
    }
}

/// Which k-grams carry information, given a hash of the 4-gram at each token.
fn informative(ids: &[u64], k: usize) -> Vec<bool> {
    let inside = (k + 1).saturating_sub(GRAM);
    let count = (ids.len() + GRAM).saturating_sub(k);
    if inside <= 1 {
        return vec![true; count];
    }
    let needed = (SHARE * inside as f64).round_ties_even() as i64;
    let mut change = vec![0_i64; count + 1];
    for at in 1..ids.len() {
        // Repetitions further apart are in no k-gram together.
        let first = (at + 1).saturating_sub(inside);
        let Some(previous) = ids[first..at].iter().rposition(|&id| id == ids[at]) else {
            continue;
        };
        if first < count {
            change[first] += 1;
            change[(first + previous + 1).min(count)] -= 1;
        }
    }
    let mut distinct = inside as i64;
    let of_each = change[..count].iter().map(|repeats| {
        distinct -= repeats;
        distinct >= needed
    });
    of_each.collect()
}

#[cfg(test)]
mod tests {
    use super::{informative, GRAM};

    fn by_definition(ids: &[u64], k: usize) -> Vec<bool> {
        let inside = k - GRAM + 1;
        let distinct = |some: &[u64]| {
            let mut some = some.to_vec();
            some.sort_unstable();
            some.dedup();
            some.len()
        };
        let least = (0.75 * inside as f64).round_ties_even() as usize;
        ids.windows(inside)
            .map(|some| distinct(some) >= least)
            .collect()
    }

    #[test]
    fn it_is_what_the_definition_says() {
        let mut state = 1_u64;
        for length in 0..60 {
            for kinds in [1, 2, 5, 30] {
                let mut next = || {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (state >> 33) % kinds
                };
                let ids: Vec<u64> = (0..length).map(|_| next()).collect();
                for k in [5, 6, 7, 16, 23] {
                    assert_eq!(informative(&ids, k), by_definition(&ids, k), "{ids:?} {k}");
                }
            }
        }
    }
}
