//! What the tokens of a document are worth, in bits (`winnow_ci.evidence.weights` defines it).

use std::sync::Arc;

use hashbrown::HashMap;

use super::document::Document;
use super::lines::in_further_rows;
use super::steps::in_steps;
use winnow_fingerprints::{kgram_hashes, HashTable, Known};

/// What is not learnt, but set (`winnow_ci.evidence`).
pub struct Numbers {
    /// Length of the grams that have bits, 4.
    pub gram: usize,
    /// What a 4-gram says that is not in the table, and at most; a token of a language that nobody has learnt; a text
    /// that is not in the table.
    pub rare_gram: f64,
    pub average: f64,
    pub rarest: f64,
    /// Length of the k-grams of which it is known whether they are common property, 16.
    pub common: usize,
    /// A name or literal says nothing new if it occurred no more than this many tokens before.
    pub shortly: usize,
    /// Names and literals that many projects use keep this share of their bits.
    pub everyday: f64,
    /// A line is a further row if so many of the lines before it have its shape.
    pub rows_alike: usize,
    pub before: usize,
    /// Bits are whole multiples of one over this.
    pub steps: f64,
}

/// Hashes, each with its bits in sixteenths.
pub struct BitTable {
    hashes: HashTable,
    sixteenths: Vec<u8>,
}

impl BitTable {
    /// None if there is not one number for each hash.
    pub fn new(hashes: HashTable, sixteenths: &[u8]) -> Option<Self> {
        let sixteenths = sixteenths.to_vec();
        hashes.has_length(sixteenths.len()).then_some(Self { hashes, sixteenths })
    }

    fn bits(&self, hash: u64) -> Option<f64> {
        let place = self.hashes.place(hash)?;
        Some(f64::from(self.sixteenths[place]) / 16.0)
    }
}

/// A class of tokens with texts: its sketch bytes, the bits of texts that are worth nothing, and the most.
pub struct TextClass {
    pub sketches: std::ops::Range<usize>,
    pub worthless: f64,
    pub most: f64,
}

/// What was learnt of common code.
pub struct Learnt {
    pub grams: BitTable,
    pub texts: BitTable,
    pub common: Arc<Known>,
    pub everyday: Arc<Known>,
    pub classes: Vec<TextClass>,
    pub numbers: Numbers,
}

/// What the tokens of a document say (`winnow_ci.evidence.weights.Weights`).
pub struct Weights {
    pub token_bits: Vec<f64>,
    pub literal_bits: Vec<f64>,
    pub new_literal_bits: Vec<f64>,
    pub further_rows: Vec<bool>,
    /// One for each k-gram.
    pub common_kgrams: Vec<bool>,
}

impl Learnt {
    /// The weights of a document; `of_learnt` tells whether its language was learnt, `silent` whose text says nothing.
    pub fn weights(
        &self,
        document: &Document,
        of_learnt: bool,
        k: usize,
        silent: &[bool],
    ) -> Weights {
        let (structural, verbatim) = (document.structural, document.verbatim);
        let rows = (self.numbers.rows_alike, self.numbers.before);
        let common = self.common_grams(structural);
        let mut literal_bits = self.literal_bits(verbatim, document.sketch);
        for (bits, _) in literal_bits.iter_mut().zip(silent).filter(|pair| *pair.1) {
            *bits = 0.0;
        }
        Weights {
            token_bits: self.token_bits(structural, of_learnt, &common),
            new_literal_bits: new_literal_bits(verbatim, &literal_bits, self.numbers.shortly),
            literal_bits,
            further_rows: in_further_rows(structural, document.first_lines, rows),
            common_kgrams: common_kgrams(structural.len(), k, &common, self.numbers.common),
        }
    }

    /// Which structural 16-grams are common property.
    fn common_grams(&self, structural: &[u64]) -> Vec<bool> {
        let hashes = kgram_hashes(structural, self.numbers.common);
        hashes.iter().map(|&one| self.common.has(one)).collect()
    }

    /// Bits of each token after the three before it; `of_learnt` tells whether its language was learnt.
    fn token_bits(&self, structural: &[u64], of_learnt: bool, common: &[bool]) -> Vec<f64> {
        let Numbers { gram, rare_gram, average, .. } = self.numbers;
        let mut bits = vec![0.0; structural.len()];
        let grams = match of_learnt {
            true => kgram_hashes(structural, gram),
            false => Vec::new(),
        };
        for (number, own) in bits.iter_mut().skip(gram - 1).enumerate() {
            *own = match grams.get(number) {
                Some(&own) => self.grams.bits(own).unwrap_or(rare_gram).min(rare_gram),
                None => average,
            };
        }
        let first = structural.len() - common.len();
        for (own, _) in bits[first..].iter_mut().zip(common).filter(|pair| *pair.1) {
            *own = 0.0;
        }
        bits
    }

    /// What it says that another document has the text of a token, too.
    fn literal_bits(&self, verbatim: &[u64], sketch: &[u8]) -> Vec<f64> {
        let of_text = |(&text, &byte): (&u64, &u8)| {
            let mut classes = self.classes.iter();
            let Some(own) = classes.find(|one| one.sketches.contains(&usize::from(byte))) else {
                return 0.0;
            };
            let bits = self.texts.bits(text).unwrap_or(self.numbers.rarest);
            let rarity = (bits - own.worthless).max(0.0).min(own.most);
            let share = match self.everyday.has(text) {
                true => self.numbers.everyday,
                false => 1.0,
            };
            in_steps(share * rarity, self.numbers.steps)
        };
        verbatim.iter().zip(sketch).map(of_text).collect()
    }
}

/// The bits of literals, but 0 for a text that occurred shortly before.
fn new_literal_bits(verbatim: &[u64], bits: &[f64], shortly: usize) -> Vec<f64> {
    let mut seen: HashMap<u64, usize> = HashMap::with_capacity(verbatim.len() / 4);
    let of_new = |(at, (&text, &own)): (usize, (&u64, &f64))| match seen.insert(text, at) {
        Some(before) if at - before <= shortly => 0.0,
        _ => own,
    };
    verbatim.iter().zip(bits).enumerate().map(of_new).collect()
}

/// Which k-grams consist of 16-grams that are common property; none if k is less than that.
fn common_kgrams(tokens: usize, k: usize, common: &[bool], length: usize) -> Vec<bool> {
    let count = (tokens + 1).saturating_sub(k);
    if k < length || count == 0 {
        return vec![false; count];
    }
    let mut run = 0;
    let mut marks = Vec::with_capacity(count);
    for (at, &one) in common.iter().enumerate() {
        run = if one { run + 1 } else { 0 };
        if at + length >= k {
            marks.push(run > k - length);
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::{common_kgrams, new_literal_bits};

    #[test]
    fn a_text_says_something_new_again_after_a_while() {
        let mut texts: Vec<u64> = (0..300).collect();
        (texts[5], texts[125], texts[246]) = (7000, 7000, 7000);
        let bits = new_literal_bits(&texts, &[2.0; 300], 120);
        assert_eq!((bits[5], bits[125], bits[246]), (2.0, 0.0, 2.0));
    }

    #[test]
    fn a_kgram_is_common_if_all_its_16_grams_are() {
        let common = [true, true, true, false, true, true];
        assert_eq!(common_kgrams(21, 18, &common, 16), [true, false, false, false]);
        assert_eq!(common_kgrams(21, 16, &common, 16), common);
        assert_eq!(common_kgrams(21, 15, &common, 16), [false; 7]);
        assert!(common_kgrams(3, 16, &[], 16).is_empty());
    }
}
