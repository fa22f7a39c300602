//! Numbers of short pieces, the last ones met: most pieces of a text are short, and have stood in it before.

/// Bytes of the longest piece that is kept.
const LONGEST: usize = 16;
/// 2,048 places of 32 bytes: more pieces stay in larger tables, but those leave the processor's first caches.
const BITS: u32 = 11;
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Of a piece of at most `LONGEST` bytes: with its length, all of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Key {
    first: u64,
    last: u64,
    length: u32,
}

impl Key {
    #[inline]
    pub fn of(piece: &[u8]) -> Option<Key> {
        let length = piece.len();
        let (first, last) = match length {
            8..=LONGEST => (eight(piece, 0), eight(piece, length - 8)),
            4..8 => (four(piece, 0), four(piece, length - 4)),
            1..4 => (
                u64::from(piece[0]) | u64::from(piece[length / 2]) << 8,
                u64::from(piece[length - 1]),
            ),
            _ => return None,
        };
        Some(Key {
            first,
            last,
            length: length as u32,
        })
    }

    #[inline]
    fn slot(&self) -> usize {
        let mixed = self.first ^ self.last.rotate_left(29) ^ u64::from(self.length);
        (mixed.wrapping_mul(MIX) >> (64 - BITS)) as usize
    }
}

fn eight(piece: &[u8], at: usize) -> u64 {
    piece[at..]
        .first_chunk()
        .map_or(0, |&bytes| u64::from_le_bytes(bytes))
}

fn four(piece: &[u8], at: usize) -> u64 {
    piece[at..]
        .first_chunk()
        .map_or(0, |&bytes| u64::from(u32::from_le_bytes(bytes)))
}

/// A table with one place for each value of a hash: a newer piece takes the place of an older one.
pub struct Recent(Vec<(Key, u32)>);

impl Recent {
    pub fn new() -> Recent {
        Recent(vec![(Key::default(), 0); 1 << BITS])
    }

    #[inline]
    pub fn number(&self, key: &Key) -> Option<u32> {
        let (known, number) = &self.0[key.slot()];
        (known == key).then_some(*number)
    }

    #[inline]
    pub fn keep(&mut self, key: Key, number: u32) {
        self.0[key.slot()] = (key, number);
    }
}
