//! Sorted tables of hashes, of which only the upper halves are kept.

/// Most bits of a hash that say where in a table to look.
const BUCKET_BITS: u32 = 16;

/// A sorted table of upper halves of hashes, in buckets by their upper bits; there are hardly more buckets than hashes.
pub struct HashTable {
    uppers: Vec<u32>,
    buckets: Vec<usize>,
    bits: u32,
}

impl HashTable {
    /// None if they are not sorted.
    pub fn new(uppers: &[u32]) -> Option<Self> {
        if !uppers.is_sorted() {
            return None;
        }
        let bits = uppers.len().max(2).ilog2().min(BUCKET_BITS);
        let mut buckets = vec![0; (1 << bits) + 1];
        for &one in uppers {
            buckets[bucket(one, bits) + 1] += 1;
        }
        for number in 1..buckets.len() {
            buckets[number] += buckets[number - 1];
        }
        let uppers = uppers.to_vec();
        Some(Self { uppers, buckets, bits })
    }

    /// Whether it has so many hashes.
    pub fn has_length(&self, length: usize) -> bool {
        self.uppers.len() == length
    }

    pub fn has(&self, hash: u64) -> bool {
        self.place(hash).is_some()
    }

    /// Where a hash stands, the first place if there are several.
    pub fn place(&self, hash: u64) -> Option<usize> {
        let one = upper(hash);
        let number = bucket(one, self.bits);
        let (start, end) = (self.buckets[number], self.buckets[number + 1]);
        let place = start + self.uppers[start..end].partition_point(|&other| other < one);
        (place < end && self.uppers[place] == one).then_some(place)
    }
}

/// The upper half of a hash.
pub fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn bucket(one: u32, bits: u32) -> usize {
    (one >> (u32::BITS - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::HashTable;

    #[test]
    fn a_place_is_the_first_of_equal_ones() {
        let uppers = [0, 7, 7, 7, 0x0001_0000, u32::MAX, u32::MAX];
        let table = HashTable::new(&uppers).unwrap();
        for one in [0, 1, 7, 8, 0xFFFF, 0x0001_0000, 0x0001_0001, u32::MAX] {
            let place = uppers.iter().position(|&other| other == one);
            assert_eq!(table.place(u64::from(one) << 32 | 5), place);
        }
    }

    #[test]
    fn what_is_not_sorted_is_no_table() {
        assert!(HashTable::new(&[2, 1]).is_none());
        assert!(!HashTable::new(&[]).unwrap().has(0));
    }
}
