//! Postings in the order of an index (`winnow_ci.index.schema.ORDER`).

/// The bytes of a posting, little endian: hash u64, content i64, position u32, check u32.
pub const SIZE: usize = 24;

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    pub hash: u64,
    pub check: u32,
    pub content: i64,
    pub position: u32,
}

/// The same postings, ordered by hash, check, content and position.
pub fn in_order(bytes: &[u8]) -> Vec<u8> {
    let mut postings: Vec<Posting> = bytes.chunks_exact(SIZE).map(Posting::read).collect();
    // They come as runs that are ordered by hash, mostly, which a stable sort merges.
    postings.sort();
    let mut ordered = Vec::with_capacity(bytes.len());
    for posting in &postings {
        posting.write(&mut ordered);
    }
    ordered
}

impl Posting {
    pub fn read(bytes: &[u8]) -> Self {
        Self {
            hash: hash_of(bytes),
            content: u64::from_le_bytes(part(bytes, 8)) as i64,
            position: u32::from_le_bytes(part(bytes, 16)),
            check: u32::from_le_bytes(part(bytes, 20)),
        }
    }

    pub fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.hash.to_le_bytes());
        bytes.extend_from_slice(&self.content.to_le_bytes());
        bytes.extend_from_slice(&self.position.to_le_bytes());
        bytes.extend_from_slice(&self.check.to_le_bytes());
    }
}

/// The hash of a posting.
pub fn hash_of(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(part(bytes, 0))
}

/// So many bytes from a place on.
fn part<const N: usize>(bytes: &[u8], from: usize) -> [u8; N] {
    std::array::from_fn(|n| bytes[from + n])
}
