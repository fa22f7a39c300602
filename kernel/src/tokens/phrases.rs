//! The phrases of a piece (`phrase_extraction`).

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::cutting::Stop;
use super::tables::PhraseTable;
use crate::pattern::{Pattern, Unserved};

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
    /// The words of a line, one after the other, each after a space.
    line: Vec<u8>,
}

impl Phrases {
    pub fn new(table: &PhraseTable) -> Result<Phrases, Unserved> {
        Ok(Phrases {
            fewest_words: table.fewest_words,
            fewest_letters: table.fewest_letters,
            most_words: table.most_words,
            part: Pattern::new(&[&table.part])?,
            seed: xxh3_64(&table.seed),
            line: Vec::new(),
        })
    }

    /// Add the phrases of a comment or string.
    pub fn of_text(&mut self, piece: &[u8], found: &mut Vec<Phrase>) {
        let shortest = self.fewest_letters + self.fewest_words - 1;
        if piece.len() < shortest {
            return;
        }
        for (number, line) in piece.split(|&byte| byte == b'\n').enumerate() {
            if line.len() >= shortest {
                let words = line
                    .split(|&byte| !is_letter(byte) && byte != b'_')
                    .filter(|word| !word.is_empty());
                let found_words = put(&mut self.line, words);
                self.add(number as u32, found_words, found);
            }
        }
    }

    /// Add the phrase of a name.
    pub fn of_name(&mut self, name: &[u8], found: &mut Vec<Phrase>) -> Result<(), Stop> {
        if name.len() < self.fewest_letters {
            return Ok(());
        }
        let is_lower =
            !name.iter().any(u8::is_ascii_uppercase) && name.iter().any(u8::is_ascii_lowercase);
        let count = if is_lower {
            put(
                &mut self.line,
                name.split(|&byte| !is_letter(byte))
                    .filter(|word| !word.is_empty()),
            )
        } else {
            let (mut parts, mut from) = (Vec::new(), 0);
            while let Some(part) = self.part.search(name, from)? {
                parts.push(&name[part.start..part.end]);
                from = part.end;
            }
            put(&mut self.line, parts.into_iter())
        };
        self.add(0, count, found);
        Ok(())
    }

    fn add(&mut self, line: u32, words: usize, found: &mut Vec<Phrase>) {
        let letters = self.line.len().saturating_sub(words);
        if words >= self.fewest_words && letters >= self.fewest_letters {
            let hash = xxh3_64_with_seed(&self.line[1..], self.seed);
            found.push(Phrase {
                line,
                hash,
                words: words.min(self.most_words) as u8,
            });
        }
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Write words in lower case, each after a space; how many they are.
fn put<'w>(line: &mut Vec<u8>, words: impl Iterator<Item = &'w [u8]>) -> usize {
    line.clear();
    let mut count = 0;
    for word in words {
        line.push(b' ');
        line.extend(word.iter().map(u8::to_ascii_lowercase));
        count += 1;
    }
    count
}
