//! What a changed file has in common with known contents: the inner stage of matching.
//!
//! The reference is `winnow_ci.matching`, whose modules have the same names, explain what is done and why, and find the
//! same regions, with equal numbers to the last bit.

mod alignment;
mod arrays;
mod candidate;
mod chaining;
mod copies;
mod judge;
mod layout;
mod neighbourhoods;
mod overlaps;
mod phrases;
mod ranking;
mod region;
mod reordering;
mod segments;
mod shared;
mod significance;
mod signs;
mod sums;
mod trimming;
mod ungapped;
mod values;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use arrays::{FileHits, Parameters, SeedArrays, SharedContent, Thresholds, TokenMap};
use copies::Counted;
use region::Kind;
use shared::{OwnedPhrases, SharedContents, WeighedFile};
use signs::{Evidence, Signs};
use values::Content;

/// Changes with what the functions and classes here take and give, and with what they make of it.
pub const INTERFACE: u32 = 16;

/// The first tokens of a segment are worth nothing: the bits of a token are what it says after so many before it.
const CONTEXT: usize = 3;

/// What one changed file has in common with known contents, which are given some at a time.
#[pyclass]
struct Matching(copies::Matching);

#[pymethods]
impl Matching {
    #[new]
    fn new() -> Self {
        Self(copies::Matching::default())
    }

    /// Compare a change with some contents, whose tokens are given in the same order.
    fn compare(
        &mut self,
        file: FileHits<'_>,
        parameters: Parameters,
        least: Thresholds,
        contents: Vec<SharedContent<'_>>,
        tokens: Vec<TokenMap<'_>>,
    ) -> PyResult<()> {
        let change = file.change(&parameters, &least)?;
        let pairs = tokens.iter().zip(&contents);
        let contents: Vec<Content<'_>> = pairs
            .map(|(own, shared)| own.content(&change, shared))
            .collect::<PyResult<_>>()?;
        self.0.compare(&change, &contents);
        Ok(())
    }

    /// The fields of each region, in groups.
    fn regions<'py>(&self, py: Python<'py>) -> Vec<Fields<'py>> {
        let found = self.0.regions().iter();
        found.map(|region| fields(py, region)).collect()
    }
}

/// The fields of the region of all tokens of a file, which is a content as a whole.
#[pyfunction]
fn whole_file<'py>(
    py: Python<'py>,
    file: FileHits<'py>,
    parameters: Parameters,
    least: Thresholds,
    content: i64,
    seeds: SeedArrays<'py>,
) -> PyResult<Fields<'py>> {
    let change = file.change(&parameters, &least)?;
    let found = copies::whole_file(&change, &seeds.of_itself(&change, content)?);
    Ok(fields(py, &found))
}

type Told<'py> = (Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<i64>>);

/// Which contents are hardly there by chance, and their numbers, those that say most first.
#[pyfunction]
fn told_contents<'py>(
    py: Python<'py>,
    file: WeighedFile<'py>,
    contents: SharedContents<'py>,
    phrases: Vec<OwnedPhrases<'py>>,
    k: usize,
) -> PyResult<Told<'py>> {
    let file = file.given(k)?;
    let shared = contents.shared(&file, &phrases)?;
    let significant = significance::is_significant(&file, &shared);
    let ranked = ranking::ranked(&file, &shared);
    Ok((significant.into_pyarray(py), ranked.into_pyarray(py)))
}

/// Place, counts and kind; stretches; bits; evidence; packed marks of equal text; whether it is a guaranteed run; signs.
type Fields<'py> = (
    (
        i64,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        &'static str,
    ),
    Vec<(usize, usize, usize)>,
    f64,
    Evidence,
    Bound<'py, PyBytes>,
    bool,
    Signs,
);

fn fields<'py>(py: Python<'py>, (region, evidence, signs, is_run): &Counted) -> Fields<'py> {
    let kind = if region.kind == Kind::Verbatim {
        "verbatim"
    } else {
        "renamed"
    };
    let (source, counts) = (
        &region.source,
        (region.matched, region.matched_verbatim, region.fingerprints),
    );
    (
        (
            region.content,
            region.start(),
            region.end(),
            source.start,
            source.end,
            counts.0,
            counts.1,
            counts.2,
            kind,
        ),
        region
            .parts
            .iter()
            .map(|part| (part.start, part.there().start, part.len()))
            .collect(),
        region.bits,
        *evidence,
        PyBytes::new(py, &packed(&region.same)),
        *is_run,
        *signs,
    )
}

/// Eight marks a byte, the first one highest.
fn packed(marks: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        eight
            .iter()
            .zip((0..8).rev())
            .map(|(&mark, bit)| u8::from(mark) << bit)
            .sum()
    };
    marks.chunks(8).map(byte).collect()
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Matching>()?;
    module.add_function(wrap_pyfunction!(whole_file, module)?)?;
    module.add_function(wrap_pyfunction!(told_contents, module)?)
}
