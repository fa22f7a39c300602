//! The pieces that a tokenizer has met, numbered, and what each is (`vocabulary`).
//!
//! Hashes, with keys of this process, only say where to look: pieces are the same if their bytes are. Beyond a number
//! of pieces or of bytes all is forgotten after a text.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::classes::{stripped, Classes, TokenIds, NO_IDS};
use super::phrases::{Phrase, Phrases};
use super::places::Stop;
use super::recent::{key, Key, Recent};
use super::tables::Tables;
use super::word_set::WordSet;
use winnow_pattern::Unserved;

/// The lowest bits of a piece's number say what the columns of most pieces need to know.
const FLAG_BITS: u32 = 2;
pub const IS_TOKEN: u32 = 1;
/// It has an end of a line or phrases, or imports something.
pub const IS_SPECIAL: u32 = 2;

/// Room for this many times as much as is kept stays when it is forgotten.
const MOST_ROOM: usize = 3;

/// What is known of a piece.
pub struct Entry {
    hash: u64,
    start: u32,
    length: u32,
    pub first_phrase: u32,
    pub phrases: u32,
    /// Lines that end in the piece, before its last byte, and before its token.
    pub ends: u32,
    pub inside: u32,
    pub before: u32,
    pub is_name: bool,
    pub imports: bool,
}

/// Numbers of pieces: their flags below places from 0, in the order in which they were met.
pub struct Vocabulary {
    classes: Classes,
    phrases_of: Phrases,
    imports: WordSet,
    most_pieces: usize,
    most_bytes: usize,
    hasher: DefaultHashBuilder,
    recent: Recent,
    places: HashTable<u32>,
    pub(super) entries: Vec<Entry>,
    pub(super) ids: Vec<TokenIds>,
    bytes: Vec<u8>,
    pub(super) phrases: Vec<Phrase>,
    /// Of the first pieces, for which it has been asked.
    are_marked: Vec<bool>,
}

impl Vocabulary {
    pub fn new(tables: &Tables) -> Result<Vocabulary, Unserved> {
        Ok(Vocabulary {
            classes: Classes::new(tables)?,
            phrases_of: Phrases::new(&tables.phrases)?,
            imports: WordSet::new(&tables.phrases.imports),
            most_pieces: tables.most_pieces,
            most_bytes: tables.most_bytes,
            hasher: DefaultHashBuilder::default(),
            recent: Recent::new(),
            places: HashTable::new(),
            entries: Vec::new(),
            ids: Vec::new(),
            bytes: Vec::new(),
            phrases: Vec::new(),
            are_marked: Vec::new(),
        })
    }

    /// The number of a piece.
    ///
    /// # Errors
    /// `Stop`, if Python has to read the text.
    pub fn number(&mut self, piece: &[u8]) -> Result<u32, Stop> {
        let hash = self.hasher.hash_one(piece);
        match self.found(piece, hash) {
            Some(number) => Ok(number),
            None => self.add(piece, hash),
        }
    }

    /// The number of a piece that has been met.
    pub fn known(&self, piece: &[u8]) -> Option<u32> {
        self.found(piece, self.hasher.hash_one(piece))
    }

    fn found(&self, piece: &[u8], hash: u64) -> Option<u32> {
        let is_same = |&number: &u32| bytes_of(&self.entries, &self.bytes, number) == piece;
        self.places.find(hash, is_same).copied()
    }

    /// The number of a piece that begins a text.
    ///
    /// # Errors
    /// As for `number`.
    #[inline]
    pub fn number_at(&mut self, text: &[u8], length: usize) -> Result<u32, Stop> {
        let Some(key) = key(text, length) else {
            return self.number(&text[..length]);
        };
        match self.recent.number(&key) {
            Some(number) => Ok(number),
            None => self.number_kept(key, &text[..length]),
        }
    }

    #[inline(never)]
    fn number_kept(&mut self, key: Key, piece: &[u8]) -> Result<u32, Stop> {
        let number = self.number(piece)?;
        self.recent.keep(key, number);
        Ok(number)
    }

    #[cold]
    fn add(&mut self, piece: &[u8], hash: u64) -> Result<u32, Stop> {
        let start = u32::try_from(self.bytes.len()).map_err(|_| Stop)?;
        let place = u32::try_from(self.entries.len()).map_err(|_| Stop)?;
        let token = stripped(piece);
        let ids = self.classes.ids(token)?;
        let first_phrase = self.phrases.len() as u32;
        self.add_phrases(piece, token, ids)?;
        let (ends, inside, before) = line_ends(piece, token);
        let entry = Entry {
            hash,
            start,
            length: piece.len() as u32,
            first_phrase,
            phrases: self.phrases.len() as u32 - first_phrase,
            ends,
            inside,
            before,
            is_name: ids.is_some_and(|ids| is_of(ids.sketch, self.classes.sketches.names)),
            imports: self.imports.has(piece),
        };
        let is_special = ends > 0 || entry.phrases > 0 || entry.imports;
        let flags = u32::from(ids.is_some()) * IS_TOKEN + u32::from(is_special) * IS_SPECIAL;
        let number = place.checked_mul(1 << FLAG_BITS).ok_or(Stop)? + flags;
        self.entries.push(entry);
        self.ids.push(ids.unwrap_or(NO_IDS));
        self.bytes.extend_from_slice(piece);
        let entries = &self.entries;
        let hash_of = |&other: &u32| entries[place_of(other)].hash;
        self.places.insert_unique(hash, number, hash_of);
        Ok(number)
    }

    /// The phrases or word of a name, a string, a number or, if it is not a token, of a comment or of white space.
    fn add_phrases(
        &mut self,
        piece: &[u8],
        token: &[u8],
        ids: Option<TokenIds>,
    ) -> Result<(), Stop> {
        let sketches = self.classes.sketches;
        let (phrases, found) = (&mut self.phrases_of, &mut self.phrases);
        match ids.map(|ids| ids.sketch) {
            Some(sketch) if is_of(sketch, sketches.names) => phrases.of_name(piece, found)?,
            Some(sketch) if is_of(sketch, sketches.strings) => phrases.of_string(piece, found),
            Some(sketch) if is_of(sketch, sketches.numbers) => phrases.of_number(token, found),
            Some(_) => (),
            None => phrases.of_text(piece, found),
        }
        Ok(())
    }

    /// A piece.
    pub fn piece(&self, number: u32) -> &[u8] {
        bytes_of(&self.entries, &self.bytes, number)
    }

    /// The places of the marked pieces of a text, given the numbers of its pieces; of new ones `is_marked` is asked.
    pub fn marked(
        &mut self,
        numbers: &[u32],
        mut is_marked: impl FnMut(&[u8]) -> Result<bool, Stop>,
    ) -> Result<Vec<usize>, Stop> {
        for entry in &self.entries[self.are_marked.len()..] {
            let piece = &self.bytes[entry.start as usize..][..entry.length as usize];
            self.are_marked.push(is_marked(piece)?);
        }
        let numbered = numbers.iter().enumerate();
        let marked = numbered.filter(|(_, &number)| self.are_marked[place_of(number)]);
        Ok(marked.map(|(place, _)| place).collect())
    }

    /// Forget everything, if that is much.
    pub fn forget_much(&mut self) {
        if self.entries.len() > self.most_pieces || self.bytes.len() > self.most_bytes {
            self.recent = Recent::new();
            // What a usual text needed the next one needs again.
            if self.entries.capacity() > MOST_ROOM * self.most_pieces {
                (self.places, self.entries) = (HashTable::new(), Vec::new());
                (self.ids, self.are_marked) = (Vec::new(), Vec::new());
            }
            if self.bytes.capacity() > MOST_ROOM * self.most_bytes {
                (self.bytes, self.phrases) = (Vec::new(), Vec::new());
            }
            self.places.clear();
            self.entries.clear();
            self.ids.clear();
            self.are_marked.clear();
            self.bytes.clear();
            self.phrases.clear();
        }
    }
}

/// Where a piece stands, given its number.
pub fn place_of(number: u32) -> usize {
    (number >> FLAG_BITS) as usize
}

fn bytes_of<'b>(entries: &[Entry], bytes: &'b [u8], number: u32) -> &'b [u8] {
    let entry = &entries[place_of(number)];
    &bytes[entry.start as usize..][..entry.length as usize]
}

fn is_of(sketch: u8, (first, count): (u8, u64)) -> bool {
    sketch >= first && u64::from(sketch - first) < count
}

/// How many lines end in a piece, before its last byte, and before its token.
fn line_ends(piece: &[u8], token: &[u8]) -> (u32, u32, u32) {
    let count = |part: &[u8]| memchr::memchr_iter(b'\n', part).count() as u32;
    if memchr::memchr(b'\n', piece).is_none() {
        return (0, 0, 0);
    }
    let front = if token.is_empty() {
        piece.len()
    } else {
        token.as_ptr() as usize - piece.as_ptr() as usize
    };
    let inside = count(&piece[..piece.len() - 1]);
    let ends = inside + u32::from(piece.ends_with(b"\n"));
    (ends, inside, count(&piece[..front]))
}
