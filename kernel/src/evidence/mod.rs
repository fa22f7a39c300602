//! What the tokens of a changed file say, and which say nothing. The reference is `winnow_ci.evidence`, and of statements
//! `winnow_ci.languages`, whose results these are.

mod idle;
mod imports;
mod information;
mod marking;
mod rows;
mod statements;
mod weights;

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::of_length;
use crate::fingerprints::kgrams::{kgram_hashes, polynomial};
use crate::hash_table::HashTable;
use crate::known_hashes::{Distances, Known};
use weights::{BitTable, Learnt, TextClass};

/// Changes with what the functions and classes here take and give, and with what they make of it.
pub const INTERFACE: u32 = 5;

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Given<'py, T> = PyReadonlyArray1<'py, T>;
type Information<'py> = (Array<'py, u64>, Array<'py, bool>, Array<'py, bool>);
type Lines<'py> = (Array<'py, u64>, Array<'py, i64>, Array<'py, i64>);
type Weights<'py> = (
    Array<'py, f64>,
    Array<'py, f64>,
    Array<'py, f64>,
    Array<'py, bool>,
    Array<'py, bool>,
);

/// A document (`winnow_ci.model.Tokens`), as far as it is needed.
#[derive(FromPyObject)]
struct Tokens<'py> {
    structural: Given<'py, u64>,
    verbatim: Given<'py, u64>,
    sketch: Given<'py, u8>,
    first_lines: Given<'py, i32>,
}

/// A table of hashes with bits (`winnow_ci.evidence.tables`).
#[derive(FromPyObject)]
struct Table<'py> {
    hashes: Given<'py, u32>,
    sixteenths: Given<'py, u8>,
}

/// Hashes that are known, as sorted upper halves, or as the distances between these.
#[pyclass(frozen)]
pub struct KnownHashes(pub Arc<Known>);

#[derive(FromPyObject)]
enum Rows<'py> {
    Sorted(Given<'py, u32>),
    Apart(Given<'py, u16>),
}

#[pymethods]
impl KnownHashes {
    #[new]
    fn new(rows: Rows<'_>) -> PyResult<Self> {
        let too_far = || PyValueError::new_err("a sum that has more than 32 bits");
        let known = match rows {
            Rows::Sorted(uppers) => Known::Sorted(sorted(&uppers)?),
            Rows::Apart(rows) => {
                Known::Apart(Distances::new(rows.as_slice()?).ok_or_else(too_far)?)
            }
        };
        Ok(Self(Arc::new(known)))
    }

    /// Which hashes are known.
    fn among<'py>(&self, py: Python<'py>, hashes: Given<'py, u64>) -> PyResult<Array<'py, bool>> {
        let hashes = hashes.as_slice()?.iter();
        let known: Vec<bool> = hashes.map(|&one| self.0.has(one)).collect();
        Ok(known.into_pyarray(py))
    }
}

/// The learnt tables, and the classes of texts: first and end of their sketch bytes, bits of worthless ones, most bits.
#[pyclass(frozen)]
struct LearntTables(Learnt);

#[pymethods]
impl LearntTables {
    #[new]
    fn new(
        grams: Table<'_>,
        texts: Table<'_>,
        common: &KnownHashes,
        everyday: &KnownHashes,
        classes: Vec<(usize, usize, f64, f64)>,
    ) -> PyResult<Self> {
        let of_class = |(first, end, worthless, most)| TextClass {
            sketches: first..end,
            worthless,
            most,
        };
        Ok(Self(Learnt {
            grams: grams.table()?,
            texts: texts.table()?,
            common: Arc::clone(&common.0),
            everyday: Arc::clone(&everyday.0),
            classes: classes.into_iter().map(of_class).collect(),
        }))
    }

    /// What tokens say (`winnow_ci.evidence.weights.Weights`); `silent` tells whose text says nothing.
    fn weights<'py>(
        &self,
        py: Python<'py>,
        tokens: Tokens<'py>,
        of_learnt: bool,
        k: usize,
        silent: Given<'py, bool>,
    ) -> PyResult<Weights<'py>> {
        let (structural, learnt) = (tokens.structural.as_slice()?, &self.0);
        let verbatim = of_length(&tokens.verbatim, structural.len())?;
        let sketch = of_length(&tokens.sketch, structural.len())?;
        let lines = of_length(&tokens.first_lines, structural.len())?;
        let common = learnt.common_grams(structural);
        let mut literals = learnt.literal_bits(verbatim, sketch);
        let silent = of_length(&silent, structural.len())?;
        for (bits, _) in literals.iter_mut().zip(silent).filter(|pair| *pair.1) {
            *bits = 0.0;
        }
        let new = weights::new_literal_bits(verbatim, &literals);
        Ok((
            learnt
                .token_bits(structural, of_learnt, &common)
                .into_pyarray(py),
            literals.into_pyarray(py),
            new.into_pyarray(py),
            rows::in_further_rows(structural, lines).into_pyarray(py),
            weights::common_kgrams(structural.len(), k, &common).into_pyarray(py),
        ))
    }
}

impl Table<'_> {
    fn table(&self) -> PyResult<BitTable> {
        let table = BitTable::new(sorted(&self.hashes)?, self.sixteenths.as_slice()?);
        table.ok_or_else(|| PyValueError::new_err("arrays of other lengths"))
    }
}

/// 4-grams, and which k-grams carry information by their structure and by their text; `as_text` tells which numbers
/// count as text (`winnow_ci.evidence.information.kgram_information`).
#[pyfunction]
fn kgram_information<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    as_text: Given<'py, bool>,
    numbers: (u8, u8),
    k: usize,
) -> PyResult<Information<'py>> {
    let structural = tokens.structural.as_slice()?;
    let verbatim = of_length(&tokens.verbatim, structural.len())?;
    let sketch = of_length(&tokens.sketch, structural.len())?;
    let as_text = of_length(&as_text, structural.len())?;
    let is_number = |at: usize| (numbers.0..numbers.1).contains(&sketch[at]);
    let texts: Vec<u64> = (0..sketch.len())
        .map(|at| match is_number(at) && !as_text[at] {
            true => structural[at],
            false => verbatim[at],
        })
        .collect();
    let grams = kgram_hashes(structural, information::GRAM);
    let of_text = kgram_hashes(&texts, information::GRAM);
    let of_structure = information::informative(&grams, k);
    Ok((
        grams.into_pyarray(py),
        of_structure.into_pyarray(py),
        information::informative(&of_text, k).into_pyarray(py),
    ))
}

/// The lines on which so many tokens begin: hashes of their texts, first tokens, lengths
/// (`winnow_ci.evidence.lines.LineHashes`).
#[pyfunction]
fn line_hashes<'py>(py: Python<'py>, tokens: Tokens<'py>, shortest: usize) -> PyResult<Lines<'py>> {
    let verbatim = tokens.verbatim.as_slice()?;
    let lines = of_length(&tokens.first_lines, verbatim.len())?;
    let (mut hashes, mut starts, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    let mut start = 0;
    for line in lines.chunk_by(|one, next| one == next) {
        if line.len() >= shortest {
            hashes.push(polynomial(&verbatim[start..start + line.len()]));
            starts.push(start as i64);
            lengths.push(line.len() as i64);
        }
        start += line.len();
    }
    Ok((
        hashes.into_pyarray(py),
        starts.into_pyarray(py),
        lengths.into_pyarray(py),
    ))
}

fn sorted(uppers: &Given<'_, u32>) -> PyResult<HashTable> {
    let table = HashTable::new(uppers.as_slice()?);
    table.ok_or_else(|| PyValueError::new_err("the table is not sorted"))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<KnownHashes>()?;
    module.add_class::<LearntTables>()?;
    marking::add(module)?;
    module.add_function(wrap_pyfunction!(kgram_information, module)?)?;
    module.add_function(wrap_pyfunction!(line_hashes, module)?)
}
