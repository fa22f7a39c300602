//! What a changed file shares with known contents, before these are read (`winnow_ci.matching.hits`).

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::arrays::below;
use super::CONTEXT;
use crate::arrays::{in_steps, of_length};

type Array<'py, T> = PyReadonlyArray1<'py, T>;

/// A changed file (`winnow_ci.matching.hits.FileHits`), as far as its bits are asked for.
#[derive(FromPyObject)]
pub struct WeighedFile<'py> {
    kgrams: Kgrams<'py>,
    token_bits: Array<'py, f64>,
    literal_bits: Array<'py, f64>,
    new_literal_bits: Array<'py, f64>,
    cumulative: Array<'py, f64>,
}

#[derive(FromPyObject)]
struct Kgrams<'py> {
    kgrams: Fingerprints<'py>,
}

#[derive(FromPyObject)]
struct Fingerprints<'py> {
    hashes: Array<'py, u64>,
}

/// The known contents that may have a copy (`winnow_ci.matching.hits.SharedContents`).
#[derive(FromPyObject)]
pub struct SharedContents<'py> {
    contents: Array<'py, i64>,
    owners: Array<'py, i64>,
    seeds: Seeds<'py>,
}

#[derive(FromPyObject)]
struct Seeds<'py> {
    positions: Array<'py, i64>,
    diagonals: Array<'py, i64>,
    telling: Array<'py, bool>,
    verbatim: Array<'py, bool>,
}

/// The phrases that one content shares, and which of the contents that is.
pub type OwnedPhrases<'py> = (usize, PhraseArrays<'py>);

#[derive(FromPyObject)]
pub struct PhraseArrays<'py> {
    phrases: Array<'py, u64>,
    positions: Array<'py, i64>,
    diagonals: Array<'py, i64>,
    bits: Array<'py, f64>,
}

/// Arrays of a changed file.
pub struct Given<'a> {
    pub k: usize,
    pub hashes: &'a [u64],
    pub cumulative: &'a [f64],
    token_bits: &'a [f64],
    literal_bits: &'a [f64],
    new_literal_bits: &'a [f64],
}

/// What the contents share with it, one element a seed.
pub struct Shared<'a> {
    /// How many contents there are.
    pub contents: usize,
    pub owners: &'a [i64],
    pub positions: &'a [i64],
    pub diagonals: &'a [i64],
    pub telling: &'a [bool],
    pub verbatim: &'a [bool],
    pub phrases: Vec<Phrases<'a>>,
}

/// The phrases that one content shares.
pub struct Phrases<'a> {
    pub owner: usize,
    pub hashes: &'a [u64],
    pub positions: &'a [i64],
    pub diagonals: &'a [i64],
    pub bits: &'a [f64],
}

impl WeighedFile<'_> {
    pub fn given(&self, k: usize) -> PyResult<Given<'_>> {
        let token_bits = self.token_bits.as_slice()?;
        let hashes = self.kgrams.kgrams.hashes.as_slice()?;
        if k < CONTEXT || (!hashes.is_empty() && hashes.len() + k > token_bits.len() + 1) {
            return Err(PyValueError::new_err("more k-grams than tokens"));
        }
        Ok(Given {
            k,
            hashes,
            token_bits,
            cumulative: of_length(&self.cumulative, token_bits.len() + 1)?,
            literal_bits: of_length(&self.literal_bits, token_bits.len())?,
            new_literal_bits: of_length(&self.new_literal_bits, token_bits.len())?,
        })
    }
}

impl<'py> SharedContents<'py> {
    pub fn shared<'a>(
        &'a self,
        file: &Given,
        phrases: &'a [OwnedPhrases<'py>],
    ) -> PyResult<Shared<'a>> {
        let contents = self.contents.as_slice()?.len();
        let owners = below(&self.owners, contents)?;
        let of_content = |(owner, own): &'a OwnedPhrases<'py>| own.phrases(*owner, contents, file);
        Ok(Shared {
            contents,
            owners,
            positions: of_length(&self.seeds.positions, owners.len())
                .and_then(|_| below(&self.seeds.positions, file.hashes.len()))?,
            diagonals: of_length(&self.seeds.diagonals, owners.len())?,
            telling: of_length(&self.seeds.telling, owners.len())?,
            verbatim: of_length(&self.seeds.verbatim, owners.len())?,
            phrases: phrases.iter().map(of_content).collect::<PyResult<_>>()?,
        })
    }
}

impl PhraseArrays<'_> {
    fn phrases(&self, owner: usize, contents: usize, file: &Given) -> PyResult<Phrases<'_>> {
        let positions = below(&self.positions, file.cumulative.len())?;
        if owner >= contents {
            return Err(PyValueError::new_err("a content that is none"));
        }
        Ok(Phrases {
            owner,
            positions,
            hashes: of_length(&self.phrases, positions.len())?,
            diagonals: of_length(&self.diagonals, positions.len())?,
            bits: of_length(&self.bits, positions.len())?,
        })
    }
}

impl Given<'_> {
    /// Bits of the literals before each token, and of all.
    pub fn summed_literals(&self) -> Vec<f64> {
        summed(self.literal_bits.iter().copied())
    }

    /// What equal text before each token says, and that of all: `same` times its new literals, and `least` bits of
    /// tokens whose structure says less.
    pub fn summed_texts(&self, same: f64, least: f64) -> Vec<f64> {
        let pairs = self.new_literal_bits.iter().zip(self.token_bits);
        summed(pairs.map(|(literal, token)| in_steps(same * literal) + (least - token).max(0.0)))
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
