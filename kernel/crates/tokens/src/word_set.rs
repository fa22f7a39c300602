//! A few words of a language.

use hashbrown::HashSet;

/// Words, and what tells at a glance that most others are none of them.
pub struct WordSet {
    words: HashSet<Vec<u8>>,
    /// By the first byte: which lengths they have, as bits; all long ones have one.
    lengths: [u32; 256],
}

impl WordSet {
    pub fn new(words: &[Vec<u8>]) -> WordSet {
        let mut lengths = [0; 256];
        for word in words {
            if let Some(&first) = word.first() {
                lengths[usize::from(first)] |= length_bit(word);
            }
        }
        WordSet { words: words.iter().cloned().collect(), lengths }
    }

    pub fn has(&self, word: &[u8]) -> bool {
        let lengths = word.first().map(|&first| self.lengths[usize::from(first)]);
        lengths.is_none_or(|lengths| lengths & length_bit(word) > 0) && self.words.contains(word)
    }
}

fn length_bit(word: &[u8]) -> u32 {
    1 << word.len().min(u32::BITS as usize - 1)
}

#[cfg(test)]
mod tests {
    use super::WordSet;

    #[test]
    fn it_has_its_words_and_no_others() {
        let long = vec![b'x'; 99];
        let words = WordSet::new(&[b"if".to_vec(), b"import".to_vec(), long.clone()]);
        assert!([&b"if"[..], b"import", &long].iter().all(|word| words.has(word)));
        assert!(WordSet::new(&[Vec::new()]).has(b""));
        assert!(![&b""[..], b"i", b"in", b"impart", &long[1..]].iter().any(|word| words.has(word)));
    }
}
