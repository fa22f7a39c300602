//! What a changed file shares with known contents, before these are read (`winnow_ci.matching.hits`).

use super::numbers::Numbers;
use super::values::{Seeds, SharedPhrases};
use winnow_evidence::in_steps;

/// A changed file: slices with one element a token, unless it says otherwise.
pub struct WeighedFile<'a> {
    pub k: usize,
    /// One for each k-gram.
    pub hashes: &'a [u64],
    pub token_bits: &'a [f64],
    pub literal_bits: &'a [f64],
    pub new_literal_bits: &'a [f64],
    /// Bits of the tokens before each, and of all.
    pub cumulative: &'a [f64],
    pub numbers: &'a Numbers,
}

/// What known contents share with it.
pub struct Shared<'a> {
    /// How many contents there are.
    pub contents: usize,
    /// The content of each seed.
    pub owners: &'a [i64],
    pub seeds: Seeds<'a>,
    /// The phrases of contents, each with the number of its content.
    pub phrases: Vec<(usize, SharedPhrases<'a>)>,
}

impl WeighedFile<'_> {
    /// Bits of the literals before each token, and of all.
    pub fn summed_literals(&self) -> Vec<f64> {
        summed(self.literal_bits.iter().copied())
    }

    /// What equal text before each token says, and that of all: its new literals, which count more, and the least bits
    /// of tokens whose structure says less.
    pub fn summed_texts(&self) -> Vec<f64> {
        let Numbers { same, least_of_text, steps, .. } = *self.numbers;
        let pairs = self.new_literal_bits.iter().zip(self.token_bits);
        summed(pairs.map(|(literal, token)| {
            in_steps(same * literal, steps) + (least_of_text - token).max(0.0)
        }))
    }
}

/// The sum before each value, and that of all.
fn summed(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let sums = values.map(|value| {
        sum += value;
        sum
    });
    std::iter::once(0.0).chain(sums).collect()
}
