//! Which k-grams carry information (`winnow_ci.evidence.weights` defines it).

use std::ops::Range;

use super::document::Document;
use winnow_fingerprints::kgram_hashes;

/// What repeats itself.
#[derive(Clone, Copy)]
pub struct Repetition {
    /// Length of the runs of tokens that tell it, by default 4-grams.
    pub gram: usize,
    /// This share of the 4-grams of a k-gram must be distinct.
    pub share: f64,
}

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
    rule: Repetition,
) -> Information {
    let texts: Vec<u64> = (0..document.sketch.len())
        .map(|at| match numbers.contains(&document.sketch[at]) && !as_text[at] {
            true => document.structural[at],
            false => document.verbatim[at],
        })
        .collect();
    let grams = kgram_hashes(document.structural, rule.gram);
    Information {
        by_structure: informative(&grams, k, rule),
        by_text: informative(&kgram_hashes(&texts, rule.gram), k, rule),
        grams,
    }
}

/// Which k-grams carry information, given a hash of the 4-gram at each token.
fn informative(ids: &[u64], k: usize, rule: Repetition) -> Vec<bool> {
    let inside = (k + 1).saturating_sub(rule.gram);
    let count = (ids.len() + rule.gram).saturating_sub(k);
    if inside <= 1 {
        return vec![true; count];
    }
    let needed = (rule.share * inside as f64).round_ties_even() as i64;
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
    use super::{informative, Repetition};

    const RULE: Repetition = Repetition { gram: 4, share: 0.75 };

    fn by_definition(ids: &[u64], k: usize) -> Vec<bool> {
        let inside = k - RULE.gram + 1;
        let distinct = |some: &[u64]| {
            let mut some = some.to_vec();
            some.sort_unstable();
            some.dedup();
            some.len()
        };
        let least = (0.75 * inside as f64).round_ties_even() as usize;
        ids.windows(inside).map(|some| distinct(some) >= least).collect()
    }

    #[test]
    fn it_is_what_the_definition_says() {
        let mut state = 1_u64;
        for length in 0..60 {
            for kinds in [1, 2, 5, 30] {
                let mut next = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) % kinds
                };
                let ids: Vec<u64> = (0..length).map(|_| next()).collect();
                for k in [5, 6, 7, 16, 23] {
                    assert_eq!(informative(&ids, k, RULE), by_definition(&ids, k), "{ids:?} {k}");
                }
            }
        }
    }
}
