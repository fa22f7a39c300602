//! Blocks of postings ↔ bytes (`winnow_ci.index.coding.pack_block` describes them).

use super::bits::{bit, bits_of, number, ones, BitWriter};
use super::postings::{Posting, SIZE};

/// Numbers that the Python side chooses (`winnow_ci.index.schema`).
#[derive(Clone, Copy)]
pub struct Layout {
    /// Bits of a hash that an index keeps; in a posting they are the upper ones of 64.
    pub hash_bits: u32,
    /// How many of them give the block.
    pub block_bits: u32,
    /// Bits of a place, at most 56.
    pub place_bits: u32,
    /// Is added to the position of a phrase.
    pub phrase: u32,
    /// Is added to the position of a posting of a crowd.
    pub crowded: u32,
    /// The position of a whole file.
    pub whole: u32,
}

const HEADER: usize = 5;

impl Layout {
    /// Bits of a hash that stand in a block of `count` postings: lower and upper ones.
    fn split(&self, count: usize) -> (u32, u32) {
        let rest = self.hash_bits - self.block_bits;
        let upper = rest.min(usize::BITS - count.leading_zeros());
        (rest - upper, upper)
    }

    /// The part of a hash that a block has.
    fn rest(&self, hash: u64) -> u64 {
        let rest = self.hash_bits - self.block_bits;
        (hash >> (64 - self.hash_bits)) & ((1 << rest) - 1)
    }

    /// The bytes of a block, given its ordered postings, with places as contents and marks as positions.
    pub fn packed(&self, postings: &[u8]) -> Vec<u8> {
        let postings: Vec<Posting> = postings.chunks_exact(SIZE).map(Posting::read).collect();
        if postings.is_empty() {
            return Vec::new();
        }
        let is_crowded = |posting: &Posting| self.is_crowded(posting.position);
        let has_crowds = postings.iter().any(is_crowded);
        let mut bytes = (postings.len() as u32).to_le_bytes().to_vec();
        bytes.push(u8::from(has_crowds));
        self.add_hashes(&postings, &mut bytes);
        let flags = |chosen: &dyn Fn(&Posting) -> Option<bool>| {
            let mut writer = BitWriter::default();
            postings.iter().filter_map(chosen).for_each(|flag| writer.add(u64::from(flag), 1));
            writer.bytes()
        };
        bytes.extend(flags(&|posting| Some(self.is_marked(posting.position))));
        if has_crowds {
            bytes.extend(flags(&|posting| Some(is_crowded(posting))));
        }
        bytes.extend(flags(&|posting| {
            self.is_marked(posting.position).then(|| self.is_whole(posting.position))
        }));
        for posting in postings.iter().filter(|posting| !self.is_phrase(posting.position)) {
            bytes.extend((posting.check as u16).to_le_bytes());
        }
        let mut places = BitWriter::default();
        postings.iter().for_each(|posting| places.add(posting.content as u64, self.place_bits));
        bytes.extend(places.bytes());
        bytes
    }

    fn add_hashes(&self, postings: &[Posting], bytes: &mut Vec<u8>) {
        let (lower, upper) = self.split(postings.len());
        let mut unary = vec![0; bits_of(postings.len() + (1 << upper))];
        let mut rests = BitWriter::default();
        for (nth, posting) in postings.iter().enumerate() {
            let rest = self.rest(posting.hash);
            let at = (rest >> lower) as usize + nth;
            unary[at / 8] |= 1 << (at % 8);
            rests.add(rest & ((1 << lower) - 1), lower);
        }
        bytes.extend(unary);
        bytes.extend(rests.bytes());
    }

    fn is_phrase(&self, position: u32) -> bool {
        position & self.phrase != 0
    }

    fn is_whole(&self, position: u32) -> bool {
        position & self.whole == self.whole
    }

    fn is_marked(&self, position: u32) -> bool {
        self.is_phrase(position) || self.is_whole(position)
    }

    fn is_crowded(&self, position: u32) -> bool {
        position & self.crowded != 0
    }

    /// Undo `packed` for those postings that have one of the hashes, which rise, or for all; none, if these are no such
    /// bytes. `number` is that of the block among those of its kind.
    pub fn unpack(
        &self,
        number: u64,
        bytes: &[u8],
        hashes: Option<&[u64]>,
        found: &mut Vec<u8>,
    ) -> Option<()> {
        if bytes.is_empty() {
            return Some(());
        }
        let block = Block::new(self, bytes)?;
        let first = number.checked_shl(64 - self.block_bits).unwrap_or(0);
        let mut wanted = hashes.unwrap_or_default();
        wanted = &wanted[wanted.partition_point(|&hash| hash < first)..];
        let (mut nth, mut before) = (0, 0);
        for at in 0..block.unary.len() * 8 {
            if !bit(block.unary, at) {
                continue;
            }
            let hash = block.hash(number, nth, at)?;
            if nth == block.count || hash < before {
                return None;
            }
            before = hash;
            while wanted.first().is_some_and(|&one| one < hash) {
                wanted = &wanted[1..];
            }
            if hashes.is_none() || wanted.first() == Some(&hash) {
                block.posting(hash, nth).write(found);
            }
            nth += 1;
        }
        (nth == block.count).then_some(())
    }
}

/// The parts of a block's bytes.
struct Block<'a> {
    layout: &'a Layout,
    count: usize,
    lower: u32,
    upper: u32,
    unary: &'a [u8],
    rests: &'a [u8],
    marks: &'a [u8],
    crowds: &'a [u8],
    wholes: &'a [u8],
    checks: &'a [u8],
    places: &'a [u8],
}

impl<'a> Block<'a> {
    fn new(layout: &'a Layout, bytes: &'a [u8]) -> Option<Self> {
        let (header, mut rest) = bytes.split_at_checked(HEADER)?;
        let count = u32::from_le_bytes([header[0], header[1], header[2], header[3]]) as usize;
        if count == 0 || count > bytes.len() * 8 || header[4] > 1 {
            return None;
        }
        let (lower, upper) = layout.split(count);
        let mut part = |size: usize| {
            let (own, others) = rest.split_at_checked(size)?;
            rest = others;
            Some(own)
        };
        let unary = part(bits_of(count + (1 << upper)))?;
        let rests = part(bits_of(count * lower as usize))?;
        let marks = part(bits_of(count))?;
        let crowds = part(if header[4] == 1 { bits_of(count) } else { 0 })?;
        let marked = ones(marks, count);
        let wholes = part(bits_of(marked))?;
        let checks = part(2 * (count - marked + ones(wholes, marked)))?;
        let places = part(bits_of(count * layout.place_bits as usize))?;
        rest.is_empty().then_some(Self {
            layout,
            count,
            lower,
            upper,
            unary,
            rests,
            marks,
            crowds,
            wholes,
            checks,
            places,
        })
    }

    /// The hash of the n-th posting, whose bit in unary is at a place; none, if it is another block's.
    fn hash(&self, block: u64, nth: usize, at: usize) -> Option<u64> {
        let upper = at.checked_sub(nth)?;
        if upper >> self.upper != 0 || nth >= self.count {
            return None;
        }
        let rest = (upper as u64) << self.lower | number(self.rests, nth, self.lower);
        let (kept, of_block) = (self.layout.hash_bits, self.layout.block_bits);
        Some((block << (kept - of_block) | rest) << (64 - kept))
    }

    fn posting(&self, hash: u64, nth: usize) -> Posting {
        let layout = self.layout;
        let before = ones(self.marks, nth);
        let is_marked = bit(self.marks, nth);
        let is_whole = is_marked && bit(self.wholes, before);
        let is_phrase = is_marked && !is_whole;
        let with_check = nth - before + ones(self.wholes, before);
        let check =
            |nth: usize| u16::from_le_bytes([self.checks[2 * nth], self.checks[2 * nth + 1]]);
        let is_crowded = !self.crowds.is_empty() && bit(self.crowds, nth);
        Posting {
            hash,
            check: if is_phrase { 0 } else { u32::from(check(with_check)) },
            content: number(self.places, nth, layout.place_bits) as i64,
            position: if is_phrase { layout.phrase } else { 0 }
                | if is_whole { layout.whole } else { 0 }
                | if is_crowded { layout.crowded } else { 0 },
        }
    }
}
