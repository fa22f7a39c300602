//! The phrases of a piece (`phrase_extraction`).

use memchr::memchr;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::places::Stop;
use super::tables::PhraseTable;
use winnow_pattern::{Pattern, Unserved};

/// The words of a line of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Phrase {
    /// Its line, from 0 at the piece's first.
    pub line: u32,
    pub hash: u64,
    pub words: u8,
}

/// Finds phrases.
pub struct Phrases {
    fewest_words: usize,
    fewest_letters: usize,
    most_words: usize,
    part: Pattern,
    seed: u64,
    words: Words,
}

impl Phrases {
    pub fn new(table: &PhraseTable) -> Result<Phrases, Unserved> {
        Ok(Phrases {
            fewest_words: table.fewest_words,
            fewest_letters: table.fewest_letters,
            most_words: table.most_words,
            part: Pattern::new(&[&table.part])?,
            seed: xxh3_64(&table.seed),
            words: Words::default(),
        })
    }

    /// Add the phrases of a comment or string.
    pub fn of_text(&mut self, piece: &[u8], found: &mut Vec<Phrase>) {
        let shortest = self.fewest_letters + self.fewest_words - 1;
        let (mut number, mut rest) = (0, Some(piece));
        while let Some(text) = rest.filter(|text| text.len() >= shortest) {
            let end = memchr(b'\n', text);
            let line = &text[..end.unwrap_or(text.len())];
            if line.len() >= shortest {
                self.words.put(line, &OF_TEXT);
                self.add(number, found);
            }
            number += 1;
            rest = end.map(|end| &text[end + 1..]);
        }
    }

    /// Add the phrase of a name.
    pub fn of_name(&mut self, name: &[u8], found: &mut Vec<Phrase>) -> Result<(), Stop> {
        if name.len() < self.fewest_letters {
            return Ok(());
        }
        let is_lower =
            !name.iter().any(u8::is_ascii_uppercase) && name.iter().any(u8::is_ascii_lowercase);
        if is_lower {
            self.words.put(name, &OF_NAME);
        } else {
            self.words.clear();
            let mut from = 0;
            while let Some(part) = self.part.search(name, from)? {
                self.words.push(&name[part.start..part.end]);
                from = part.end;
            }
        }
        self.add(0, found);
        Ok(())
    }

    fn add(&mut self, line: u32, found: &mut Vec<Phrase>) {
        let words = self.words.count;
        if words < self.fewest_words {
            return;
        }
        let text = self.words.text();
        if text.len() - (words - 1) >= self.fewest_letters {
            let hash = xxh3_64_with_seed(text, self.seed);
            let words = words.min(self.most_words) as u8;
            found.push(Phrase { line, hash, words });
        }
    }
}

/// What each byte of a text becomes: a letter in lower case, or a space between words.
type Letters = [u8; 256];
const OF_TEXT: Letters = letters(b'_');
const OF_NAME: Letters = letters(b' ');

const fn letters(underscore: u8) -> Letters {
    let mut letters = [b' '; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        if letter.is_ascii_alphanumeric() || letter >= 0x80 {
            letters[byte] = letter.to_ascii_lowercase();
        }
        byte += 1;
    }
    letters[b'_' as usize] = underscore;
    letters
}

/// Some words in lower case, a space between each two.
#[derive(Default)]
struct Words {
    /// It may have more than the words.
    buffer: Vec<u8>,
    length: usize,
    count: usize,
}

impl Words {
    fn text(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    fn clear(&mut self) {
        (self.length, self.count) = (0, 0);
    }

    /// Put the words of a text in place of others. Nothing branches, as words end anywhere.
    fn put(&mut self, text: &[u8], letters: &Letters) {
        if self.buffer.len() <= text.len() {
            self.buffer.resize(text.len() + 1, 0);
        }
        let (mut length, mut count, mut was_letter) = (0, 0, 0);
        let buffer = &mut self.buffer[..=text.len()];
        for &byte in text {
            let letter = letters[usize::from(byte)];
            let is_letter = usize::from(letter != b' ');
            buffer[length] = letter;
            length += is_letter | was_letter;
            count += is_letter & !was_letter;
            was_letter = is_letter;
        }
        // What follows the last word is no part of it.
        length -= usize::from(count > 0) & !was_letter;
        (self.length, self.count) = (length, count);
    }

    fn push(&mut self, word: &[u8]) {
        self.buffer.truncate(self.length);
        if self.count > 0 {
            self.buffer.push(b' ');
        }
        self.buffer.extend(word.iter().map(u8::to_ascii_lowercase));
        self.length = self.buffer.len();
        self.count += 1;
    }
}
