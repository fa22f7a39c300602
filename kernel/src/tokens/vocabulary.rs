//! The pieces that a tokenizer has met, numbered, and what each is (`vocabulary`).
//!
//! Hashes, with keys of this process, only say where to look: pieces are the same if their bytes are. Beyond a number
//! of pieces or of bytes all is forgotten after a text.

use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use std::hash::BuildHasher;

use super::classes::{stripped, Classes, TokenIds, IDENTIFIERS, STRINGS};
use super::cutting::Stop;
use super::phrases::{Phrase, Phrases};
use super::recent::{Key, Recent};
use super::tables::Tables;
use crate::pattern::Unserved;

/// What is known of a piece.
struct Entry {
    hash: u64,
    start: u32,
    length: u32,
    structural: u64,
    verbatim: u64,
    first_phrase: u32,
    phrases: u32,
    /// Lines that end in the piece, before its last byte, and before its token.
    ends: u32,
    inside: u32,
    before: u32,
    sketch: u8,
    is_token: bool,
    /// Known once marks have been asked for.
    is_marked: bool,
    imports: bool,
}

/// Numbers of pieces, from 0, in the order in which they were met.
pub struct Vocabulary {
    classes: Classes,
    phrases_of: Phrases,
    imports: HashSet<Vec<u8>>,
    most_pieces: usize,
    most_bytes: usize,
    hasher: DefaultHashBuilder,
    recent: Recent,
    places: HashTable<u32>,
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    phrases: Vec<Phrase>,
    /// Of how many pieces it is known whether they are marked.
    asked: usize,
}

/// Columns of `model.Tokens`.
#[derive(Default)]
pub struct TokenColumns {
    pub structural: Vec<u64>,
    pub verbatim: Vec<u64>,
    pub first_lines: Vec<i32>,
    pub last_lines: Vec<i32>,
    pub sketch: Vec<u8>,
    pub phrases: PhraseColumns,
}

/// Columns of `model.Phrases`.
#[derive(Default)]
pub struct PhraseColumns {
    pub hashes: Vec<u64>,
    pub words: Vec<u8>,
    pub names: Vec<bool>,
    pub positions: Vec<i32>,
    pub lines: Vec<i32>,
}

/// A piece with phrases in a text.
struct Saying {
    number: u32,
    line: i32,
    position: i32,
}

impl Vocabulary {
    pub fn new(tables: &Tables) -> Result<Vocabulary, Unserved> {
        Ok(Vocabulary {
            classes: Classes::new(tables)?,
            phrases_of: Phrases::new(&tables.phrases)?,
            imports: tables.phrases.imports.iter().cloned().collect(),
            most_pieces: tables.most_pieces,
            most_bytes: tables.most_bytes,
            hasher: DefaultHashBuilder::default(),
            recent: Recent::new(),
            places: HashTable::new(),
            entries: Vec::new(),
            bytes: Vec::new(),
            phrases: Vec::new(),
            asked: 0,
        })
    }

    /// The number of a piece.
    ///
    /// # Errors
    /// `Stop`, if Python has to read the text.
    #[inline]
    pub fn number(&mut self, piece: &[u8]) -> Result<u32, Stop> {
        let key = Key::of(piece);
        if let Some(number) = key.as_ref().and_then(|key| self.recent.number(key)) {
            return Ok(number);
        }
        let number = self.any_number(piece)?;
        if let Some(key) = key {
            self.recent.keep(key, number);
        }
        Ok(number)
    }

    fn any_number(&mut self, piece: &[u8]) -> Result<u32, Stop> {
        let hash = self.hasher.hash_one(piece);
        let (entries, bytes) = (&self.entries, &self.bytes);
        let is_same = |&number: &u32| bytes_of(entries, bytes, number) == piece;
        match self.places.find(hash, is_same) {
            Some(&number) => Ok(number),
            None => self.add(piece, hash),
        }
    }

    #[cold]
    fn add(&mut self, piece: &[u8], hash: u64) -> Result<u32, Stop> {
        let number = u32::try_from(self.entries.len()).map_err(|_| Stop)?;
        let start = u32::try_from(self.bytes.len()).map_err(|_| Stop)?;
        let ids = self.classes.ids(piece)?;
        let first_phrase = self.phrases.len() as u32;
        self.add_phrases(piece, ids)?;
        let (ends, inside, before) = line_ends(piece);
        self.entries.push(Entry {
            hash,
            start,
            length: piece.len() as u32,
            structural: ids.map_or(0, |ids| ids.structural),
            verbatim: ids.map_or(0, |ids| ids.verbatim),
            first_phrase,
            phrases: self.phrases.len() as u32 - first_phrase,
            ends,
            inside,
            before,
            sketch: ids.map_or(0, |ids| ids.sketch),
            is_token: ids.is_some(),
            is_marked: false,
            imports: self.imports.contains(piece),
        });
        self.bytes.extend_from_slice(piece);
        let entries = &self.entries;
        self.places
            .insert_unique(hash, number, |&other| entries[other as usize].hash);
        Ok(number)
    }

    /// The phrases of a name, a string or, if it is not a token, of a comment or of white space.
    fn add_phrases(&mut self, piece: &[u8], ids: Option<TokenIds>) -> Result<(), Stop> {
        match ids.map(|ids| ids.sketch) {
            Some(sketch) if is_of(sketch, IDENTIFIERS) => {
                self.phrases_of.of_name(piece, &mut self.phrases)?
            }
            Some(sketch) if !is_of(sketch, STRINGS) => (),
            _ => self.phrases_of.of_text(piece, &mut self.phrases),
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
        while self.asked < self.entries.len() {
            let piece = bytes_of(&self.entries, &self.bytes, self.asked as u32);
            self.entries[self.asked].is_marked = is_marked(piece)?;
            self.asked += 1;
        }
        let places = numbers
            .iter()
            .enumerate()
            .filter(|(_, &number)| self.entries[number as usize].is_marked)
            .map(|(place, _)| place);
        Ok(places.collect())
    }

    /// The tokens of a text, given the numbers of its pieces.
    pub fn tokens(&self, numbers: &[u32]) -> TokenColumns {
        let count = numbers
            .iter()
            .filter(|&&number| self.entries[number as usize].is_token)
            .count();
        let mut tokens = TokenColumns {
            structural: Vec::with_capacity(count),
            verbatim: Vec::with_capacity(count),
            first_lines: Vec::with_capacity(count),
            last_lines: Vec::with_capacity(count),
            sketch: Vec::with_capacity(count),
            phrases: PhraseColumns::default(),
        };
        let (mut sayings, mut importing, mut line) = (Vec::new(), Vec::new(), 1);
        for &number in numbers {
            let entry = &self.entries[number as usize];
            if entry.phrases > 0 {
                sayings.push(Saying {
                    number,
                    line,
                    position: tokens.sketch.len() as i32,
                });
            }
            if entry.imports {
                importing.push(line);
            }
            if entry.is_token {
                tokens.structural.push(entry.structural);
                tokens.verbatim.push(entry.verbatim);
                tokens.first_lines.push(line + entry.before as i32);
                tokens.last_lines.push(line + entry.inside as i32);
                tokens.sketch.push(entry.sketch);
            }
            line += entry.ends as i32;
        }
        tokens.phrases = self.phrase_columns(&sayings, &importing);
        tokens
    }

    /// The phrases of a text but those of pieces that also stand on a line that imports something (in rising order).
    fn phrase_columns(&self, sayings: &[Saying], importing: &[i32]) -> PhraseColumns {
        let is_import = |saying: &&Saying| importing.binary_search(&saying.line).is_ok();
        let imported: HashSet<u32> = sayings
            .iter()
            .filter(is_import)
            .map(|saying| saying.number)
            .collect();
        let mut columns = PhraseColumns::default();
        for saying in sayings
            .iter()
            .filter(|saying| !imported.contains(&saying.number))
        {
            let entry = &self.entries[saying.number as usize];
            let first = entry.first_phrase as usize;
            for phrase in &self.phrases[first..first + entry.phrases as usize] {
                columns.hashes.push(phrase.hash);
                columns.words.push(phrase.words);
                columns
                    .names
                    .push(entry.is_token && is_of(entry.sketch, IDENTIFIERS));
                columns.positions.push(saying.position);
                columns.lines.push(saying.line + phrase.line as i32);
            }
        }
        columns
    }

    /// Forget everything, if that is much.
    pub fn forget_much(&mut self) {
        if self.entries.len() > self.most_pieces || self.bytes.len() > self.most_bytes {
            self.recent = Recent::new();
            (self.places, self.entries) = (HashTable::new(), Vec::new());
            (self.bytes, self.phrases) = (Vec::new(), Vec::new());
            self.asked = 0;
        }
    }
}

fn bytes_of<'b>(entries: &[Entry], bytes: &'b [u8], number: u32) -> &'b [u8] {
    let entry = &entries[number as usize];
    &bytes[entry.start as usize..][..entry.length as usize]
}

fn is_of(sketch: u8, (first, count): (u8, u64)) -> bool {
    sketch >= first && u64::from(sketch - first) < count
}

/// How many lines end in a piece, before its last byte, and before its token.
fn line_ends(piece: &[u8]) -> (u32, u32, u32) {
    let count = |part: &[u8]| memchr::memchr_iter(b'\n', part).count() as u32;
    let ends = count(piece);
    if ends == 0 {
        return (0, 0, 0);
    }
    let token = stripped(piece);
    let front = if token.is_empty() {
        piece.len()
    } else {
        token.as_ptr() as usize - piece.as_ptr() as usize
    };
    (
        ends,
        count(&piece[..piece.len() - 1]),
        count(&piece[..front]),
    )
}
