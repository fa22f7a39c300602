//! Arrays of NumPy as slices, checked: no place in them leads out of another one.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::values::{classes, Change, Content, Limits, Seeds, SharedPhrases};
use super::CONTEXT;
use crate::arrays::of_length;

type Array<'py, T> = PyReadonlyArray1<'py, T>;

/// A changed file (`winnow_ci.matching.hits.FileHits`).
#[derive(FromPyObject)]
pub struct FileHits<'py> {
    kgrams: FileKgrams<'py>,
    token_bits: Array<'py, f64>,
    literal_bits: Array<'py, f64>,
    new_literal_bits: Array<'py, f64>,
    further_rows: Array<'py, bool>,
    telling: Array<'py, bool>,
    cumulative: Array<'py, f64>,
}

#[derive(FromPyObject)]
struct FileKgrams<'py> {
    tokens: Tokens<'py>,
    grams: Array<'py, u64>,
    added: Array<'py, bool>,
}

#[derive(FromPyObject)]
struct Tokens<'py> {
    verbatim: Array<'py, u64>,
    first_lines: Array<'py, i32>,
    last_lines: Array<'py, i32>,
    sketch: Array<'py, u8>,
}

#[derive(FromPyObject)]
pub struct Parameters {
    k: usize,
    guarantee: usize,
}

/// The least length of a region.
#[derive(FromPyObject)]
pub struct Thresholds {
    verbatim: usize,
    renamed: Option<usize>,
}

impl FileHits<'_> {
    pub fn change(&self, parameters: &Parameters, least: &Thresholds) -> PyResult<Change<'_>> {
        let FileKgrams {
            tokens,
            grams,
            added,
        } = &self.kgrams;
        let sketch = tokens.sketch.as_slice()?;
        let count = sketch.len();
        Ok(Change {
            sketch,
            classes: classes(sketch),
            first_lines: of_length(&tokens.first_lines, count)?,
            last_lines: of_length(&tokens.last_lines, count)?,
            verbatim: of_length(&tokens.verbatim, count)?,
            grams: of_length(grams, count.saturating_sub(CONTEXT))?,
            added: of_length(added, count)?,
            token_bits: of_length(&self.token_bits, count)?,
            literal_bits: of_length(&self.literal_bits, count)?,
            new_literal_bits: of_length(&self.new_literal_bits, count)?,
            further_rows: of_length(&self.further_rows, count)?,
            telling: of_length(&self.telling, (count + 1).saturating_sub(parameters.k))?,
            cumulative: of_length(&self.cumulative, count + 1)?,
            limits: Limits {
                k: parameters.k,
                t: parameters.guarantee,
                verbatim: least.verbatim,
                renamed: least.renamed,
            },
        })
    }
}

/// A known content: its number, seeds and shared phrases.
pub type SharedContent<'py> = (i64, SeedArrays<'py>, PhraseArrays<'py>);

#[derive(FromPyObject)]
pub struct TokenMap<'py> {
    first_lines: Array<'py, i32>,
    last_lines: Array<'py, i32>,
    sketch: Array<'py, u8>,
}

#[derive(FromPyObject)]
pub struct SeedArrays<'py> {
    positions: Array<'py, i64>,
    diagonals: Array<'py, i64>,
    informative: Array<'py, bool>,
    telling: Array<'py, bool>,
    verbatim: Array<'py, bool>,
}

#[derive(FromPyObject)]
pub struct PhraseArrays<'py> {
    phrases: Array<'py, u64>,
    names: Array<'py, bool>,
    positions: Array<'py, i64>,
    diagonals: Array<'py, i64>,
    bits: Array<'py, f64>,
    opens: Array<'py, bool>,
}

impl TokenMap<'_> {
    /// The content that has these tokens, and what it shares with the change.
    pub fn content<'a>(
        &'a self,
        change: &Change,
        shared: &'a SharedContent,
    ) -> PyResult<Content<'a>> {
        let (number, seeds, phrases) = shared;
        let sketch = self.sketch.as_slice()?;
        Ok(Content {
            number: *number,
            first_lines: of_length(&self.first_lines, sketch.len())?,
            last_lines: of_length(&self.last_lines, sketch.len())?,
            sketch,
            seeds: seeds.seeds(change.kgrams())?,
            phrases: phrases.phrases(change.sketch.len())?,
        })
    }
}

impl SeedArrays<'_> {
    /// A content that is the change itself, with these seeds.
    pub fn of_itself<'a>(&'a self, change: &Change<'a>, number: i64) -> PyResult<Content<'a>> {
        if change.sketch.is_empty() {
            return Err(PyValueError::new_err("a file without tokens"));
        }
        Ok(Content {
            number,
            first_lines: change.first_lines,
            last_lines: change.last_lines,
            sketch: change.sketch,
            seeds: self.seeds(change.kgrams())?,
            phrases: SharedPhrases::default(),
        })
    }

    fn seeds(&self, kgrams: usize) -> PyResult<Seeds<'_>> {
        let positions = below(&self.positions, kgrams)?;
        Ok(Seeds {
            positions,
            diagonals: places(&self.diagonals, positions)?,
            informative: of_length(&self.informative, positions.len())?,
            telling: of_length(&self.telling, positions.len())?,
            verbatim: of_length(&self.verbatim, positions.len())?,
        })
    }
}

impl PhraseArrays<'_> {
    fn phrases(&self, tokens: usize) -> PyResult<SharedPhrases<'_>> {
        let positions = below(&self.positions, tokens)?;
        Ok(SharedPhrases {
            hashes: of_length(&self.phrases, positions.len())?,
            names: of_length(&self.names, positions.len())?,
            positions,
            diagonals: places(&self.diagonals, positions)?,
            bits: of_length(&self.bits, positions.len())?,
            opens: of_length(&self.opens, positions.len())?,
        })
    }
}

/// The elements of an array, all of which are numbers from 0 to below a limit.
pub fn below<'a>(array: &'a Array<'_, i64>, limit: usize) -> PyResult<&'a [i64]> {
    let numbers = array.as_slice()?;
    let are_inside = numbers
        .iter()
        .all(|&number| usize::try_from(number).is_ok_and(|number| number < limit));
    if are_inside {
        Ok(numbers)
    } else {
        Err(PyValueError::new_err("a place outside of the change"))
    }
}

/// Diagonals on which the places of a content are numbers of 32 bits.
fn places<'a>(diagonals: &'a Array<'_, i64>, positions: &[i64]) -> PyResult<&'a [i64]> {
    let diagonals = of_length(diagonals, positions.len())?;
    let mut there = positions
        .iter()
        .zip(diagonals)
        .map(|(position, diagonal)| position.wrapping_add(*diagonal));
    if there.all(|place| u32::try_from(place).is_ok()) {
        Ok(diagonals)
    } else {
        Err(PyValueError::new_err("a place that is none"))
    }
}
