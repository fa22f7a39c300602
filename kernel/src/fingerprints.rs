//! Tokens of a document → what an index keeps of it (`winnow_ci.fingerprint`).

use numpy::IntoPyArray;
use pyo3::prelude::*;
use winnow_fingerprints::{kgram_hashes, upper, Document, Numbers, Selection};

use crate::arrays::{columns, of_length, Array, Columns, Given, Tokens};
use crate::reading::{item, record};

pub type Kgrams<'py> = (Array<'py, u64>, Array<'py, u32>);

#[derive(FromPyObject)]
pub struct Phrases<'py> {
    hashes: Given<'py, u64>,
    positions: Given<'py, i32>,
}

#[derive(FromPyObject)]
pub struct Parameters {
    k: usize,
    w: usize,
    selection: String,
}

/// Hashes and checks of all k-grams of a document.
#[pyfunction]
pub fn all_kgrams<'py>(py: Python<'py>, tokens: Tokens<'py>, k: usize) -> PyResult<Kgrams<'py>> {
    let hashes = kgram_hashes(tokens.structural.as_slice()?, k);
    let texts = kgram_hashes(tokens.verbatim.as_slice()?, k);
    let checks: Vec<u32> = texts.into_iter().map(upper).collect();
    Ok((hashes.into_pyarray(py), checks.into_pyarray(py)))
}

/// Hashes, checks and positions of what an index keeps of a document: the selected k-grams, or all if `dense`, and its
/// phrases; None if this kernel does not know the selection.
#[pyfunction]
pub fn index_fingerprints<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    phrases: Phrases<'py>,
    parameters: Parameters,
    dense: bool,
    given: &Bound<'py, PyAny>,
) -> PyResult<Option<Columns<'py>>> {
    let structural = tokens.structural.as_slice()?;
    let document = Document {
        structural,
        verbatim: of_length(&tokens.verbatim, structural.len())?,
        phrases: phrases.hashes.as_slice()?,
        positions: phrases.positions.as_slice()?,
    };
    let numbers: PyResult<Numbers> = record!(given => Numbers: anchored, shortest_gram, bottom);
    let selection = Selection {
        numbers: numbers?,
        lines_at_one: item(given, "lines_at_one")?,
        phrase: item(given, "phrase")?,
        k: parameters.k,
        w: parameters.w,
        scheme: (!dense).then_some(&parameters.selection),
    };
    let found = winnow_fingerprints::index_fingerprints(&document, &selection);
    found.map(|found| columns!(py, found => hashes, checks, positions)).transpose()
}
