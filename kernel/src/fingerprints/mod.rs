//! Tokens of a document → what an index keeps of it. The reference is `winnow_ci.fingerprint`, whose results these are.

pub mod kgrams;
mod packing;
mod phrases;
pub mod postings;
mod selection;
mod token_map;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::evidence::KnownHashes;
use crate::hash_table::upper;
use phrases::{distinctive, kept};

/// Changes with what the functions and classes here take and give, and with what they make of it.
pub const INTERFACE: u32 = 3;

/// Marks the position of a phrase.
const PHRASE: u32 = 1 << 31;

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Kgrams<'py> = (Array<'py, u64>, Array<'py, u32>);
type Fingerprints<'py> = (Array<'py, u64>, Array<'py, u32>, Array<'py, u32>);

type Packed<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);
type Columns<'py> = (Array<'py, i32>, Array<'py, i32>, Array<'py, u8>);

/// A document (`winnow_ci.model.Tokens`), as far as it is needed.
#[derive(FromPyObject)]
struct Tokens<'py> {
    structural: PyReadonlyArray1<'py, u64>,
    verbatim: PyReadonlyArray1<'py, u64>,
    phrases: Option<Phrases<'py>>,
}

#[derive(FromPyObject)]
struct Phrases<'py> {
    hashes: PyReadonlyArray1<'py, u64>,
    positions: PyReadonlyArray1<'py, i32>,
}

#[derive(FromPyObject)]
struct Parameters {
    k: usize,
    w: usize,
    selection: String,
}

/// Hashes and checks of all k-grams of a document.
#[pyfunction]
fn all_kgrams<'py>(py: Python<'py>, tokens: Tokens<'py>, k: usize) -> PyResult<Kgrams<'py>> {
    let hashes = kgrams::kgram_hashes(tokens.structural.as_slice()?, k);
    let texts = kgrams::kgram_hashes(tokens.verbatim.as_slice()?, k);
    let checks: Vec<u32> = texts.into_iter().map(upper).collect();
    Ok((hashes.into_pyarray(py), checks.into_pyarray(py)))
}

/// Hashes, checks and positions of what an index keeps of a document: the selected k-grams, or all if `dense`, and the
/// phrases; None if this kernel does not know the selection.
#[pyfunction]
fn index_fingerprints<'py>(
    py: Python<'py>,
    tokens: Tokens<'py>,
    parameters: Parameters,
    common: &KnownHashes,
    dense: bool,
) -> PyResult<Option<Fingerprints<'py>>> {
    let (k, ids, texts) = (
        parameters.k,
        tokens.structural.as_slice()?,
        tokens.verbatim.as_slice()?,
    );
    if texts.len() != ids.len() {
        return Err(PyValueError::new_err("arrays of other lengths"));
    }
    let all = kgrams::kgram_hashes(ids, k);
    let chosen = match dense {
        true => Some((0..all.len()).collect()),
        false => selection::selected(&all, parameters.w, &parameters.selection, ids),
    };
    let Some(places) = chosen else {
        return Ok(None);
    };
    let mut hashes: Vec<u64> = places.iter().map(|&place| all[place]).collect();
    let mut checks = kgrams::checks(texts, k, places.iter().copied());
    let mut positions: Vec<u32> = places.iter().map(|&place| place as u32).collect();
    if let Some(phrases) = tokens.phrases.filter(|_| !hashes.is_empty()) {
        let (said, at) = (phrases.hashes.as_slice()?, phrases.positions.as_slice()?);
        let own = distinctive(said, at, ids.len(), &common.0);
        for phrase in if dense { own } else { kept(own) } {
            hashes.push(phrase.hash);
            checks.push(0);
            positions.push(phrase.position as u32 + PHRASE);
        }
    }
    let (hashes, checks) = (hashes.into_pyarray(py), checks.into_pyarray(py));
    Ok(Some((hashes, checks, positions.into_pyarray(py))))
}

/// What an index keeps of a content's tokens (`winnow_ci.model.TokenMap`).
#[derive(FromPyObject)]
struct TokenMap<'py> {
    first_lines: PyReadonlyArray1<'py, i32>,
    last_lines: PyReadonlyArray1<'py, i32>,
    sketch: PyReadonlyArray1<'py, u8>,
}

/// A token map as stored (`winnow_ci.index.coding.pack_map`): the digest of its bytes, and these compressed.
#[pyfunction]
fn pack_map<'py>(py: Python<'py>, tokens: TokenMap<'_>, level: i32) -> PyResult<Packed<'py>> {
    let (first, last) = (
        tokens.first_lines.as_slice()?,
        tokens.last_lines.as_slice()?,
    );
    if first.len() != last.len() || first.iter().any(|&line| line < 0) {
        return Err(PyValueError::new_err("lines that are none"));
    }
    let bytes = token_map::bytes(first, last, tokens.sketch.as_slice()?);
    let packed = packing::compressed(&bytes, level)
        .ok_or_else(|| PyValueError::new_err("a map that cannot be compressed"))?;
    let digest = packing::digest(&bytes);
    Ok((PyBytes::new(py, &digest), PyBytes::new(py, &packed)))
}

/// Undo `pack_map`: the columns of the map. None, if there is anything strange: Python says what it is.
#[pyfunction]
fn unpack_map<'py>(py: Python<'py>, digest: &[u8], packed: &[u8]) -> Option<Columns<'py>> {
    let bytes = packing::inflated(packed).filter(|bytes| packing::digest(bytes) == digest)?;
    let map = token_map::of_bytes(&bytes)?;
    let sketch = map.sketch.into_pyarray(py);
    Some((
        map.first.into_pyarray(py),
        map.last.into_pyarray(py),
        sketch,
    ))
}

/// Postings in the order of an index, given and returned as bytes (`winnow_ci.index.coding`).
#[pyfunction]
fn postings_in_order<'py>(
    py: Python<'py>,
    postings: PyReadonlyArray1<'py, u8>,
) -> PyResult<Array<'py, u8>> {
    Ok(postings::in_order(postings.as_slice()?).into_pyarray(py))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(all_kgrams, module)?)?;
    module.add_function(wrap_pyfunction!(index_fingerprints, module)?)?;
    module.add_function(wrap_pyfunction!(pack_map, module)?)?;
    module.add_function(wrap_pyfunction!(unpack_map, module)?)?;
    module.add_function(wrap_pyfunction!(postings_in_order, module)?)
}
