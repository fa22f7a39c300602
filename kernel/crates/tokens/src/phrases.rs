//! The phrases and words of a piece (`phrase_extraction`).

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

/// The number of words of what is no phrase.
pub const WORD: u8 = 1;

/// Finds phrases and words.
pub struct Phrases {
    fewest_words: usize,
    fewest_letters: usize,
    most_words: usize,
    letters_of_name: usize,
    letters_of_string: usize,
    digits: usize,
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
            letters_of_name: table.letters_of_name,
            letters_of_string: table.letters_of_string,
            digits: table.digits,
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

    /// Add the phrases of a string, or its word.
    pub fn of_string(&mut self, piece: &[u8], found: &mut Vec<Phrase>) {
        let before = found.len();
        self.of_text(piece, found);
        if found.len() == before && piece.len() >= self.letters_of_string {
            self.words.put(piece, &OF_TEXT);
            if self.words.count < self.fewest_words {
                self.add_word(&self.words.joined(), self.letters_of_string, found);
            }
        }
    }

    /// Add the word of a number: an integer by its value, another one as it is written.
    pub fn of_number(&self, number: &[u8], found: &mut Vec<Phrase>) {
        let is_digit = |one: &u8| !matches!(one, b'_' | b'\'');
        let plain: Vec<u8> = number.to_ascii_lowercase().into_iter().filter(is_digit).collect();
        let mut word = vec![b'#'];
        word.extend(integer(&plain).unwrap_or(plain));
        self.add_word(&word, self.digits + 1, found);
    }

    /// Add the phrase of a name, or its word.
    pub fn of_name(&mut self, name: &[u8], found: &mut Vec<Phrase>) -> Result<(), Stop> {
        if name.len() < self.letters_of_name {
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
        let before = found.len();
        self.add(0, found);
        if found.len() == before {
            self.add_word(&self.words.joined(), self.letters_of_name, found);
        }
        Ok(())
    }

    fn add_word(&self, text: &[u8], shortest: usize, found: &mut Vec<Phrase>) {
        if text.len() >= shortest {
            let hash = xxh3_64_with_seed(text, self.seed);
            found.push(Phrase { line: 0, hash, words: WORD });
        }
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

/// The decimal digits of an integer, given in lower case; None if it is none, or too long.
fn integer(text: &[u8]) -> Option<Vec<u8>> {
    let end = text.iter().rposition(|one| !matches!(one, b'u' | b'l' | b'n'))? + 1;
    let digits = &text[..end];
    if let Some(digits) = digits.strip_prefix(b"0x") {
        let is_plain = digits.iter().all(u8::is_ascii_hexdigit);
        let text = std::str::from_utf8(digits).ok().filter(|_| is_plain)?;
        return u64::from_str_radix(text, 16)
            .ok()
            .map(|value| value.to_string().into_bytes())
            .filter(|_| digits.len() <= DIGITS_OF_64_BITS);
    }
    let is_decimal = digits[0] != b'0' && digits.iter().all(u8::is_ascii_digit);
    is_decimal.then(|| digits.to_vec())
}

const DIGITS_OF_64_BITS: usize = 16;

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

    /// All letters, without what is between them.
    fn joined(&self) -> Vec<u8> {
        self.text().iter().copied().filter(|one| !matches!(one, b' ' | b'_')).collect()
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
