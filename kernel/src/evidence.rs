//! What the tokens of a changed file say, and which say nothing (`winnow_ci.evidence`; of statements
//! `winnow_ci.languages.statements`).

use std::sync::Arc;

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use winnow_evidence::{
    BitTable, IdleWords, ImportWords, Learnt, Numbers, Repetition, Sketches, StateWords, TextClass,
};
use winnow_fingerprints::{Distances, HashTable, Known};

use crate::arrays::{columns, of_length, Array, Columns, Given, Tokens};
use crate::reading::record;

pub type Marks<'py> = PyResult<Array<'py, bool>>;

/// A table of hashes with bits (`winnow_ci.evidence.tables`).
#[derive(FromPyObject)]
pub struct Table<'py> {
    hashes: Given<'py, u32>,
    sixteenths: Given<'py, u8>,
}

/// Hashes that are known, as sorted upper halves, or as the distances between these.
#[pyclass(frozen)]
pub struct KnownHashes(pub Arc<Known>);

#[derive(FromPyObject)]
pub enum Rows<'py> {
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
pub struct LearntTables(Learnt);

#[pymethods]
impl LearntTables {
    #[new]
    fn new(
        grams: Table<'_>,
        texts: Table<'_>,
        common: &KnownHashes,
        everyday: &KnownHashes,
        classes: Vec<(usize, usize, f64, f64)>,
        given: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let of_class =
            |(first, end, worthless, most)| TextClass { sketches: first..end, worthless, most };
        let numbers: PyResult<Numbers> = record!(given => Numbers:
            gram, rare_gram, average, rarest, common, shortly, everyday, rows_alike, before, steps
        );
        Ok(Self(Learnt {
            numbers: numbers?,
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
    ) -> PyResult<Columns<'py>> {
        let document = tokens.document()?;
        let silent = of_length(&silent, document.structural.len())?;
        let found = self.0.weights(&document, of_learnt, k, silent);
        columns!(py, found =>
            token_bits, literal_bits, new_literal_bits, further_rows, common_kgrams
        )
    }
}

impl Table<'_> {
    fn table(&self) -> PyResult<BitTable> {
        let table = BitTable::new(sorted(&self.hashes)?, self.sixteenths.as_slice()?);
        table.ok_or_else(|| PyValueError::new_err("arrays of other lengths"))
    }
}

/// 4-grams, and which k-grams carry information by their structure and by their text; `as_text` tells which numbers
/// count as text (`winnow_ci.evidence.weights.kgram_information`).
#[pyfunction]
pub fn kgram_information<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    as_text: Given<'py, bool>,
    numbers: (u8, u8),
    k: usize,
    rule: (usize, f64),
) -> PyResult<Columns<'py>> {
    let document = tokens.document()?;
    let as_text = of_length(&as_text, document.structural.len())?;
    let (numbers, rule) = (numbers.0..numbers.1, Repetition { gram: rule.0, share: rule.1 });
    let found = winnow_evidence::kgram_information(&document, as_text, numbers, k, rule);
    columns!(py, found => grams, by_structure, by_text)
}

/// The lines on which so many tokens begin: hashes of their texts, first tokens, lengths
/// (`winnow_ci.evidence.weights.LineHashes`).
#[pyfunction]
pub fn line_hashes<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    shortest: usize,
) -> PyResult<Columns<'py>> {
    let document = tokens.document()?;
    let found = winnow_evidence::line_hashes(document.verbatim, document.first_lines, shortest);
    columns!(py, found => hashes, starts, lengths)
}

fn sorted(uppers: &Given<'_, u32>) -> PyResult<HashTable> {
    let table = HashTable::new(uppers.as_slice()?);
    table.ok_or_else(|| PyValueError::new_err("the table is not sorted"))
}

/// First and end of the sketch bytes of names, numbers and strings.
pub type Classes = ((u16, u16), (u16, u16), (u16, u16));

fn sketches((names, numbers, strings): Classes) -> Sketches {
    Sketches {
        names: names.0..names.1,
        numbers: numbers.0..numbers.1,
        strings: strings.0..strings.1,
    }
}

/// How a front end's statements begin that import something, and what they are made of.
#[pyclass(frozen)]
pub struct ImportStatements(ImportWords);

#[pymethods]
impl ImportStatements {
    #[new]
    fn new(
        words: Vec<u64>,
        directives: Vec<u64>,
        known: Vec<(u64, u8)>,
        classes: Classes,
        longest: usize,
    ) -> Self {
        Self(ImportWords {
            longest,
            words,
            directives,
            known: winnow_evidence::Known::new(known),
            sketches: sketches(classes),
        })
    }

    /// Which tokens stand in one (`winnow_ci.languages.statements.in_imports`).
    fn marks<'py>(&self, py: Python<'py>, tokens: Tokens<'py>) -> Marks<'py> {
        Ok(self.0.marks(&tokens.document()?).into_pyarray(py))
    }
}

/// What a family's statements without effect are made of.
#[pyclass(frozen)]
pub struct IdleStatements(IdleWords);

#[pymethods]
impl IdleStatements {
    #[new]
    fn new(known: Vec<(u64, u8)>, classes: Classes, bounds: (usize, usize, usize)) -> Self {
        Self(IdleWords {
            most_in_a_row: bounds.0,
            near: bounds.1,
            shortest: bounds.2,
            known: winnow_evidence::Known::new(known),
            sketches: sketches(classes),
        })
    }

    /// Which tokens stand in one (`winnow_ci.languages.statements.idle_statements`).
    fn marks<'py>(&self, py: Python<'py>, tokens: Tokens<'py>) -> Marks<'py> {
        Ok(self.0.marks(&tokens.document()?).into_pyarray(py))
    }
}

/// What a family's state has around variables.
#[pyclass(frozen)]
pub struct State(StateWords);

#[pymethods]
impl State {
    #[new]
    fn new(known: Vec<(u64, u8)>, classes: Classes, bounds: (usize, usize, usize)) -> Self {
        Self(StateWords {
            fewest_set: bounds.0,
            reach: bounds.1,
            least_around: bounds.2,
            known: winnow_evidence::Known::new(known),
            sketches: sketches(classes),
        })
    }

    /// Which tokens stand there (`winnow_ci.languages.statements.state_around`).
    fn marks<'py>(&self, py: Python<'py>, tokens: Tokens<'py>) -> Marks<'py> {
        Ok(self.0.marks(&tokens.document()?).into_pyarray(py))
    }
}
