//! Bytes, compressed and with a digest, as `winnow_ci.index.schema` stores token maps.

use xxhash_rust::xxh3::xxh3_128;
use zlib_rs::{
    compress_bound, compress_slice, decompress_slice, DeflateConfig, InflateConfig, ReturnCode,
};

/// Bytes of a map that is unpacked here; Python unpacks a longer one, if it may be so long.
const LARGEST: usize = 1 << 26;

/// How many times as long as what is stored the bytes usually are at most.
const USUAL: usize = 4;

/// XXH3-128, in the order in which Python gives its bytes.
pub fn digest(bytes: &[u8]) -> [u8; 16] {
    xxh3_128(bytes).to_be_bytes()
}

/// The bytes as zlib stores them; none, if it cannot.
pub fn compressed(bytes: &[u8], level: i32) -> Option<Vec<u8>> {
    let mut room = vec![0; compress_bound(bytes.len())];
    let (packed, code) = compress_slice(&mut room, bytes, DeflateConfig::new(level));
    let length = packed.len();
    room.truncate(length);
    (code == ReturnCode::Ok).then_some(room)
}

/// Undo `compressed`; none, if these are no such bytes, or too many.
pub fn inflated(packed: &[u8]) -> Option<Vec<u8>> {
    let mut size = packed.len().saturating_mul(USUAL);
    while size <= LARGEST {
        let mut room = vec![0; size];
        let (bytes, code) = decompress_slice(&mut room, packed, InflateConfig::default());
        if code == ReturnCode::Ok {
            let length = bytes.len();
            room.truncate(length);
            return Some(room);
        }
        if code != ReturnCode::BufError {
            return None;
        }
        size = size.saturating_mul(USUAL).max(1);
    }
    None
}
