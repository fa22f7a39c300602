//! Numbers of so many bits in bytes, the lowest bit first.

/// Bits that are put together to bytes.
#[derive(Default)]
pub struct BitWriter {
    bytes: Vec<u8>,
    waiting: u64,
    bits: u32,
}

impl BitWriter {
    /// Add the lowest `width` bits of a number, which has no others; at most 56.
    pub fn add(&mut self, number: u64, width: u32) {
        self.waiting |= number << self.bits;
        self.bits += width;
        while self.bits >= 8 {
            self.bytes.push(self.waiting as u8);
            self.waiting >>= 8;
            self.bits -= 8;
        }
    }

    /// All bytes; the last one is filled up with zeros.
    pub fn bytes(mut self) -> Vec<u8> {
        if self.bits > 0 {
            self.bytes.push(self.waiting as u8);
        }
        self.bytes
    }
}

/// How many bytes so many bits take.
pub fn bits_of(bits: usize) -> usize {
    bits.div_ceil(8)
}

pub fn bit(bytes: &[u8], at: usize) -> bool {
    bytes[at / 8] >> (at % 8) & 1 == 1
}

/// How many of the first `end` bits are ones.
pub fn ones(bytes: &[u8], end: usize) -> usize {
    let whole: u32 = bytes[..end / 8].iter().map(|byte| byte.count_ones()).sum();
    let rest = bytes.get(end / 8).map_or(0, |byte| (byte & ((1 << (end % 8)) - 1)).count_ones());
    (whole + rest) as usize
}

/// The n-th number of `width` bits, at most 56.
pub fn number(bytes: &[u8], nth: usize, width: u32) -> u64 {
    let start = nth * width as usize;
    let mut eight = [0; 8];
    let from = &bytes[(start / 8).min(bytes.len())..];
    let some = from.len().min(8);
    eight[..some].copy_from_slice(&from[..some]);
    u64::from_le_bytes(eight) >> (start % 8) & ((1 << width) - 1)
}
