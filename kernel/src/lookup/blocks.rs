//! Blocks of postings → those of the hashes that are looked up (`winnow_ci.index.found_postings`).

use xxhash_rust::xxh3::xxh3_128_with_seed;

use crate::fingerprints::postings::{hash_of, SIZE};

/// The postings of each of some blocks, as bytes, given those of all of them in their order, and the block of a hash.
pub fn parts(postings: &[u8], blocks: std::ops::Range<u64>, bits: u32) -> Vec<&[u8]> {
    let (mut rest, mut parts) = (postings, Vec::new());
    for number in blocks {
        let here = rest
            .chunks_exact(SIZE)
            .take_while(|one| block_of(hash_of(one), bits) <= number);
        let (part, others) = rest.split_at(here.count() * SIZE);
        parts.push(part);
        rest = others;
    }
    parts
}

/// The block of a hash (`winnow_ci.index.schema.block_numbers`).
fn block_of(hash: u64, bits: u32) -> u64 {
    hash.checked_shr(64 - bits).unwrap_or(0)
}

/// The digest of a block (`winnow_ci.index.schema.block_digest`).
pub fn digest(number: u64, postings: &[u8]) -> [u8; 16] {
    xxh3_128_with_seed(postings, number).to_be_bytes()
}

/// Whether a block has whole postings and this digest (`winnow_ci.index.schema.block_digest`).
pub fn is_sound(number: u64, postings: &[u8], digest: &[u8]) -> bool {
    postings.len() % SIZE == 0 && self::digest(number, postings) == digest
}

/// Those of ordered postings that have one of the hashes, which rise, and how many each hash has.
pub fn postings_among(postings: &[u8], hashes: &[u64]) -> (Vec<u8>, Vec<i64>) {
    let (mut found, mut counts) = (Vec::new(), vec![0; hashes.len()]);
    let mut number = 0;
    for posting in postings.chunks_exact(SIZE) {
        let hash = hash_of(posting);
        while number < hashes.len() && hashes[number] < hash {
            number += 1;
        }
        match hashes.get(number) {
            Some(&wanted) if wanted == hash => {
                found.extend_from_slice(posting);
                counts[number] += 1;
            }
            Some(_) => {}
            None => break,
        }
    }
    (found, counts)
}
