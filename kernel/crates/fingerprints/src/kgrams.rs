//! Hashes of all k-grams of a token stream (`winnow_ci.winnowing.schemes` defines them).
//!
//! The hash of the k-gram at i is h(i) = Σ c(i+j)·b^j modulo 2^64, then a finaliser. Here it is rolled, as Karp and Rabin
//! do: h(i+1) = (h(i) − c(i))·b⁻¹ + c(i+k)·b^(k−1). As b is odd it has an inverse, so nothing is lost.

use super::hash_table::upper;

/// The multiplier, and its inverse modulo 2^64.
const BASE: u64 = 6_364_136_223_846_793_005;
const INVERSE: u64 = inverse(BASE);

/// The finalised hash of every run of `k` consecutive ids; `k` is at least 1.
pub fn kgram_hashes(ids: &[u64], k: usize) -> Vec<u64> {
    let Some(first) = ids.get(..k) else {
        return Vec::new();
    };
    let top = (1..k).fold(1, |power: u64, _| power.wrapping_mul(BASE));
    let mut hash = polynomial(first);
    let mut hashes = Vec::with_capacity(ids.len() - k + 1);
    hashes.push(finalised(hash));
    for (left, entered) in ids.iter().zip(&ids[k..]) {
        hash =
            hash.wrapping_sub(*left).wrapping_mul(INVERSE).wrapping_add(entered.wrapping_mul(top));
        hashes.push(finalised(hash));
    }
    hashes
}

/// The upper half of the hash of the run of `k` ids at each place.
pub fn checks(ids: &[u64], k: usize, places: impl Iterator<Item = usize>) -> Vec<u32> {
    places.map(|place| upper(finalised(polynomial(&ids[place..place + k])))).collect()
}

/// Σ c(j)·b^j.
pub fn polynomial(ids: &[u64]) -> u64 {
    ids.iter().rev().fold(0, |hash: u64, id| hash.wrapping_mul(BASE).wrapping_add(*id))
}

/// Stafford's variant 13 of MurmurHash3's finaliser: it spreads every bit over the whole word.
fn finalised(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 31)
}

/// By Newton's method, which doubles the number of right bits; an odd number is its own inverse modulo 8.
const fn inverse(odd: u64) -> u64 {
    let mut found = odd;
    let mut bits = 3;
    while bits < 64 {
        found = found.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(found)));
        bits *= 2;
    }
    found
}
