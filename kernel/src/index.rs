//! Stored bytes of an index ↔ arrays, and what a look-up makes of postings (`winnow_ci.index`).

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use winnow_index::{Hits, Layout, Marks, Ranges, SIZE};

use crate::arrays::{columns, of_length, Array, Columns, Given, TokenMap};

/// A token map as bytes.
#[pyfunction]
pub fn pack_map<'py>(py: Python<'py>, tokens: TokenMap<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let (first, last) = (tokens.first_lines.as_slice()?, tokens.last_lines.as_slice()?);
    let packed = winnow_index::pack_map(first, last, tokens.sketch.as_slice()?);
    let packed = packed.ok_or_else(|| PyValueError::new_err("a map that cannot be stored"))?;
    Ok(PyBytes::new(py, &packed))
}

/// Undo `pack_map`: the columns of the map. None, if there is anything strange: Python says what it is.
#[pyfunction]
pub fn unpack_map<'py>(py: Python<'py>, packed: &[u8]) -> PyResult<Option<Columns<'py>>> {
    let map = winnow_index::unpack_map(packed);
    map.map(|map| columns!(py, map => first_lines, last_lines, sketch)).transpose()
}

/// Postings in the order of an index, given and returned as bytes.
#[pyfunction]
pub fn postings_in_order<'py>(
    py: Python<'py>,
    postings: Given<'py, u8>,
) -> PyResult<Array<'py, u8>> {
    Ok(winnow_index::in_order(postings.as_slice()?).into_pyarray(py))
}

/// Postings as bytes, and some ranges of them for each query (`winnow_ci.index.lookup.Chosen`).
#[derive(FromPyObject)]
pub struct Chosen<'py>(Given<'py, u8>, Vec<(Given<'py, i64>, Given<'py, i64>)>);

impl Chosen<'_> {
    fn ranges(&self, queries: usize) -> PyResult<Ranges<'_>> {
        let pairs = self
            .1
            .iter()
            .map(|(starts, stops)| Ok((of_length(starts, queries)?, of_length(stops, queries)?)));
        let ranges = Ranges::new(self.0.as_slice()?, pairs.collect::<PyResult<_>>()?);
        ranges.ok_or_else(|| PyValueError::new_err("a range outside of the postings"))
    }
}

/// The columns of the hits of queries, in their order: what was chosen of the shape of each, and of its text what is
/// not among that.
#[pyfunction]
pub fn chosen_hits<'py>(
    py: Python<'py>,
    queries: Given<'py, i64>,
    shapes: Chosen<'py>,
    texts: Chosen<'py>,
    marks: (u32, u32),
) -> PyResult<Columns<'py>> {
    let queries = queries.as_slice()?;
    let (shapes, texts) = (shapes.ranges(queries.len())?, texts.ranges(queries.len())?);
    let marks = Marks { crowded: marks.0, whole: marks.1 };
    let hits = Hits::new(queries, &shapes, &texts, marks);
    columns!(py, hits => queries, contents, positions, checks)
}

/// How blocks are written: `winnow_ci.index.coding.BlockLayout`, and the marks of phrases, crowds and whole files.
type GivenLayout = (u32, u32, u32, (u32, u32, u32));

fn layout(given: GivenLayout) -> PyResult<Layout> {
    let (hash_bits, block_bits, place_bits, (phrase, crowded, whole)) = given;
    if hash_bits > 56 || block_bits > hash_bits || place_bits > 56 {
        return Err(PyValueError::new_err("an impossible layout"));
    }
    Ok(Layout { hash_bits, block_bits, place_bits, phrase, crowded, whole })
}

/// The bytes of some blocks, given their ordered postings as bytes, and where each block begins and ends there.
#[pyfunction]
pub fn pack_blocks<'py>(
    py: Python<'py>,
    postings: Given<'py, u8>,
    edges: Given<'py, i64>,
    given: GivenLayout,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let (postings, layout) = (postings.as_slice()?, layout(given)?);
    let part = |edge: &[i64]| {
        let own = postings.get(edge[0] as usize * SIZE..edge[1] as usize * SIZE);
        let own = own.ok_or_else(|| PyValueError::new_err("a block outside of the postings"))?;
        Ok(PyBytes::new(py, &layout.packed(own)))
    };
    edges.as_slice()?.windows(2).map(part).collect()
}

/// The postings as bytes of some blocks, each given with its number: all, or those of the hashes, which rise.
///
/// Raises a `ValueError` for bytes that are no block.
#[pyfunction]
pub fn unpack_blocks<'py>(
    py: Python<'py>,
    blocks: Vec<(u64, Bound<'py, PyBytes>)>,
    given: GivenLayout,
    hashes: Option<Given<'py, u64>>,
) -> PyResult<Array<'py, u8>> {
    let layout = layout(given)?;
    let hashes = hashes.as_ref().map(|hashes| hashes.as_slice()).transpose()?;
    let mut found = Vec::new();
    for (number, block) in &blocks {
        if layout.unpack(*number, block.as_bytes(), hashes, &mut found).is_none() {
            return Err(PyValueError::new_err("bytes that are no block"));
        }
    }
    Ok(found.into_pyarray(py))
}
