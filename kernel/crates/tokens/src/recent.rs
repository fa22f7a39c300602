//! Numbers of short pieces, the last ones met: most pieces of a text are short, and have stood in it before.

/// Bytes of the longest piece that is kept.
const LONGEST: usize = 15;
/// Bytes that may stand behind a piece, so that as many can be read wherever it begins.
pub const WIDTH: usize = 16;
/// 2,048 places of 20 bytes: more pieces stay in larger tables, but those leave the processor's first caches.
const BITS: u32 = 11;
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Of a piece of at most `LONGEST` bytes: all of its bytes, and last its length.
pub type Key = [u64; 2];

/// Of each length: which bits of a key are the piece's bytes.
const MASKS: [Key; WIDTH] = masks();

const fn masks() -> [Key; WIDTH] {
    let mut masks = [[0; 2]; WIDTH];
    let mut length = 0;
    while length < WIDTH {
        let ones = (1u128 << (8 * length)) - 1;
        masks[length] = [ones as u64, (ones >> 64) as u64];
        length += 1;
    }
    masks
}

/// The key of a piece that begins a text; none if it is long, or the text not much longer.
#[inline]
pub fn key(text: &[u8], length: usize) -> Option<Key> {
    let [first, last] = MASKS.get(length)?;
    let (front, back) = text.first_chunk::<WIDTH>()?.split_at(WIDTH / 2);
    let number = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
    let length = (length as u64) << (8 * (LONGEST - WIDTH / 2));
    Some([number(front) & first, number(back) & last | length])
}

fn slot(key: &Key) -> usize {
    let mixed = key[0] ^ key[1].rotate_left(29);
    (mixed.wrapping_mul(MIX) >> (u64::BITS - BITS)) as usize
}

/// A table with one place for each value of a hash: a newer piece takes the place of an older one.
pub struct Recent {
    keys: Box<[Key; 1 << BITS]>,
    numbers: Box<[u32; 1 << BITS]>,
}

impl Recent {
    pub fn new() -> Recent {
        Recent { keys: Box::new([[0; 2]; 1 << BITS]), numbers: Box::new([0; 1 << BITS]) }
    }

    #[inline]
    pub fn number(&self, key: &Key) -> Option<u32> {
        let slot = slot(key);
        (self.keys[slot] == *key).then_some(self.numbers[slot])
    }

    #[inline]
    pub fn keep(&mut self, key: Key, number: u32) {
        let slot = slot(&key);
        (self.keys[slot], self.numbers[slot]) = (key, number);
    }
}

#[cfg(test)]
mod tests {
    use super::{key, Recent, LONGEST, WIDTH};

    #[test]
    fn pieces_differ_by_all_of_their_bytes_and_their_length() {
        let text = [0; 2 * WIDTH];
        let mut recent = Recent::new();
        for length in 1..=LONGEST {
            recent.keep(key(&text, length).unwrap(), length as u32);
            let mut other = text;
            other[length - 1] = 1;
            assert_eq!(recent.number(&key(&other, length).unwrap()), None);
            other = text;
            other[length] = 1;
            assert_eq!(recent.number(&key(&other, length).unwrap()), Some(length as u32));
        }
    }

    #[test]
    fn a_long_piece_has_no_key_nor_one_that_ends_a_text() {
        assert!(key(&[1; 2 * WIDTH], LONGEST + 1).is_none());
        assert!(key(&[1; WIDTH - 1], 1).is_none());
    }
}
