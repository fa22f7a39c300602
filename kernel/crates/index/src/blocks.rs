//! Blocks of postings → those of the hashes that are looked up (`winnow_ci.index.coding`).

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::postings::{hash_of, SIZE};

/// Whether a block has whole postings and this digest (`winnow_ci.index.schema.block_digest`).
pub fn is_sound(number: u64, postings: &[u8], digest: &[u8]) -> bool {
    let own = xxh3_128_with_seed(postings, number).to_be_bytes();
    postings.len() % SIZE == 0 && own == digest
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
