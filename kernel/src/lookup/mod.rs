//! What a look-up makes of the blocks and postings that an index gave. The reference is `winnow_ci.index`: `store`,
//! `found_postings` and `lookup`.

mod blocks;
mod hits;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use hits::{Hits, Ranges};

/// Changes with what the functions and classes here take and give, and with what they make of it.
pub const INTERFACE: u32 = 2;

type Array<'py, T> = Bound<'py, PyArray1<T>>;
type Given<'py, T> = PyReadonlyArray1<'py, T>;
type Columns<'py> = (
    Array<'py, i64>,
    Array<'py, i64>,
    Array<'py, u32>,
    Array<'py, u32>,
);

/// Postings as bytes, and some ranges of them for each query (`winnow_ci.index.lookup.Chosen`).
#[derive(FromPyObject)]
struct Chosen<'py>(Given<'py, u8>, Vec<(Given<'py, i64>, Given<'py, i64>)>);

impl Chosen<'_> {
    fn ranges(&self, queries: usize) -> PyResult<Ranges<'_>> {
        let pairs = self.1.iter().map(|(starts, stops)| {
            let (starts, stops) = (starts.as_slice()?, stops.as_slice()?);
            match starts.len() == queries && stops.len() == queries {
                true => Ok((starts, stops)),
                false => Err(PyValueError::new_err("arrays of other lengths")),
            }
        });
        let ranges = Ranges::new(self.0.as_slice()?, pairs.collect::<PyResult<_>>()?);
        ranges.ok_or_else(|| PyValueError::new_err("a range outside of the postings"))
    }
}

/// The columns of the hits of queries, in their order: what was chosen of the shape of each, and of its text what is
/// not among that.
#[pyfunction]
fn chosen_hits<'py>(
    py: Python<'py>,
    queries: Given<'py, i64>,
    shapes: Chosen<'py>,
    texts: Chosen<'py>,
) -> PyResult<Columns<'py>> {
    let queries = queries.as_slice()?;
    let (shapes, texts) = (shapes.ranges(queries.len())?, texts.ranges(queries.len())?);
    let hits = Hits::new(queries, &shapes, &texts);
    Ok((
        hits.queries.into_pyarray(py),
        hits.contents.into_pyarray(py),
        hits.positions.into_pyarray(py),
        hits.checks.into_pyarray(py),
    ))
}

/// The number of the first block, if there is one, that has no whole postings, or another digest than beside it.
#[pyfunction]
fn unsound_block(rows: Vec<(u64, Bound<'_, PyAny>, Bound<'_, PyAny>)>) -> Option<u64> {
    let is_sound = |number, postings: &Bound<'_, PyAny>, digest: &Bound<'_, PyAny>| {
        let both = (postings.cast::<PyBytes>(), digest.cast::<PyBytes>());
        matches!(both, (Ok(postings), Ok(digest))
            if blocks::is_sound(number, postings.as_bytes(), digest.as_bytes()))
    };
    let mut unsound = rows.iter().filter(|(n, p, d)| !is_sound(*n, p, d));
    unsound.next().map(|(number, _, _)| *number)
}

/// Those of ordered postings, given as bytes, that have one of the hashes, which rise, and how many each hash has.
#[pyfunction]
fn postings_among<'py>(
    py: Python<'py>,
    postings: Given<'py, u8>,
    hashes: Given<'py, u64>,
) -> PyResult<(Array<'py, u8>, Array<'py, i64>)> {
    let (found, counts) = blocks::postings_among(postings.as_slice()?, hashes.as_slice()?);
    Ok((found.into_pyarray(py), counts.into_pyarray(py)))
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(unsound_block, module)?)?;
    module.add_function(wrap_pyfunction!(postings_among, module)?)?;
    module.add_function(wrap_pyfunction!(chosen_hits, module)?)
}
