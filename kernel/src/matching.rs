//! What a changed file has in common with known contents (`winnow_ci.matching`).
//!
//! Arrays are checked here: no place in them leads out of another one.

use numpy::IntoPyArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use winnow_matching::{
    Change, Content, Counted, Kind, Limits, Numbers, Seeds, Shared, SharedPhrases, WeighedFile,
};

use crate::arrays::{of_length, Array, Given, TokenMap, Tokens};
use crate::reading::record;

/// Those of `winnow_ci.matching.constants`, in lower case.
#[pyclass(frozen)]
pub struct MatchingNumbers(Numbers);

#[pymethods]
impl MatchingNumbers {
    #[new]
    fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let numbers: PyResult<Numbers> = record!(given => Numbers:
            steps, identifiers, numbers, strings, context, least_score, same_text, rare,
            most_of_all, same, least_of_text, significant, most_of_kgram, next_hit, hit_band,
            window, voting_band, text_gain, nearly, longest_without_seed, most_diagonals,
            least_promise, mismatch, reach, near, band, shortest, least_aside, largest, widest,
            most_runs, groups_compared, longest_gap, gap_cost, gap_token_cost, shift_cost,
            shift_token_cost, most_shared, most_chains, look_back, apart, apart_there,
            least_block, least_together, longer, most_candidates, least_worth, verbatim_bits,
            most_verbatim, beside, phrase_band, short_runs, plain_text, whole_line, other_gap,
            disagrees, segment_break, shift, jump, chance_numbers, chance_strings,
            shortest_line, most_stray, most_empty, least_end, each_line, each_break,
            verbatim_gain
        );
        Ok(Self(numbers?))
    }
}

/// A changed file (`winnow_ci.matching.hits.FileHits`).
#[derive(FromPyObject)]
pub struct FileHits<'py> {
    kgrams: FileKgrams<'py>,
    token_bits: Given<'py, f64>,
    literal_bits: Given<'py, f64>,
    new_literal_bits: Given<'py, f64>,
    further_rows: Given<'py, bool>,
    telling: Given<'py, bool>,
    cumulative: Given<'py, f64>,
}

#[derive(FromPyObject)]
pub struct FileKgrams<'py> {
    tokens: Tokens<'py>,
    kgrams: Fingerprints<'py>,
    grams: Given<'py, u64>,
    added: Given<'py, bool>,
}

#[derive(FromPyObject)]
pub struct Fingerprints<'py> {
    hashes: Given<'py, u64>,
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

/// The known contents that may have a copy (`winnow_ci.matching.hits.SharedContents`).
#[derive(FromPyObject)]
pub struct SharedContents<'py> {
    contents: Given<'py, i64>,
    owners: Given<'py, i64>,
    seeds: SeedArrays<'py>,
}

#[derive(FromPyObject)]
pub struct SeedArrays<'py> {
    positions: Given<'py, i64>,
    diagonals: Given<'py, i64>,
    informative: Given<'py, bool>,
    telling: Given<'py, bool>,
    verbatim: Given<'py, bool>,
}

#[derive(FromPyObject)]
pub struct PhraseArrays<'py> {
    phrases: Given<'py, u64>,
    names: Given<'py, bool>,
    positions: Given<'py, i64>,
    diagonals: Given<'py, i64>,
    bits: Given<'py, f64>,
    opens: Given<'py, bool>,
}

impl FileHits<'_> {
    fn change<'a>(
        &'a self,
        parameters: &Parameters,
        least: &Thresholds,
        numbers: &'a MatchingNumbers,
    ) -> PyResult<Change<'a>> {
        let numbers = &numbers.0;
        let FileKgrams { tokens, grams, added, .. } = &self.kgrams;
        let tokens = tokens.document()?;
        let count = tokens.sketch.len();
        Ok(Change {
            sketch: tokens.sketch,
            classes: numbers.classes(tokens.sketch),
            first_lines: tokens.first_lines,
            last_lines: tokens.last_lines,
            verbatim: tokens.verbatim,
            grams: of_length(grams, count.saturating_sub(numbers.context))?,
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
            numbers,
        })
    }

    fn weighed<'a>(&'a self, k: usize, numbers: &'a MatchingNumbers) -> PyResult<WeighedFile<'a>> {
        let numbers = &numbers.0;
        let token_bits = self.token_bits.as_slice()?;
        let hashes = self.kgrams.kgrams.hashes.as_slice()?;
        if k < numbers.context || (!hashes.is_empty() && hashes.len() + k > token_bits.len() + 1) {
            return Err(PyValueError::new_err("more k-grams than tokens"));
        }
        Ok(WeighedFile {
            k,
            hashes,
            token_bits,
            cumulative: of_length(&self.cumulative, token_bits.len() + 1)?,
            literal_bits: of_length(&self.literal_bits, token_bits.len())?,
            new_literal_bits: of_length(&self.new_literal_bits, token_bits.len())?,
            numbers,
        })
    }
}

impl SeedArrays<'_> {
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
fn below<'a>(array: &'a Given<'_, i64>, limit: usize) -> PyResult<&'a [i64]> {
    let numbers = array.as_slice()?;
    let are_inside =
        numbers.iter().all(|&number| usize::try_from(number).is_ok_and(|number| number < limit));
    if are_inside {
        Ok(numbers)
    } else {
        Err(PyValueError::new_err("a place outside of the change"))
    }
}

/// Diagonals on which the places of a content are numbers of 32 bits.
fn places<'a>(diagonals: &'a Given<'_, i64>, positions: &[i64]) -> PyResult<&'a [i64]> {
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

/// A known content: its number, seeds and shared phrases.
pub type SharedContent<'py> = (i64, SeedArrays<'py>, PhraseArrays<'py>);

fn content<'a>(
    (number, seeds, phrases): &'a SharedContent,
    tokens: &'a TokenMap,
    change: &Change,
) -> PyResult<Content<'a>> {
    let sketch = tokens.sketch.as_slice()?;
    Ok(Content {
        number: *number,
        first_lines: of_length(&tokens.first_lines, sketch.len())?,
        last_lines: of_length(&tokens.last_lines, sketch.len())?,
        sketch,
        seeds: seeds.seeds(change.kgrams())?,
        phrases: phrases.phrases(change.sketch.len())?,
    })
}

/// The fields of the regions that a change has in common with some contents, whose tokens are given in the same order.
#[pyfunction]
pub fn find_regions<'py>(
    py: Python<'py>,
    file: FileHits<'py>,
    parameters: Parameters,
    least: Thresholds,
    numbers: &MatchingNumbers,
    contents: Vec<SharedContent<'py>>,
    tokens: Vec<TokenMap<'py>>,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let change = file.change(&parameters, &least, numbers)?;
    let mut found = Vec::new();
    for (shared, own) in contents.iter().zip(&tokens) {
        let regions = winnow_matching::find_regions(&change, &content(shared, own, &change)?);
        for region in &regions {
            found.push(fields(py, region)?);
        }
    }
    Ok(found)
}

/// The fields of the region of all tokens of a file, which is a content as a whole.
#[pyfunction]
pub fn whole_file<'py>(
    py: Python<'py>,
    file: FileHits<'py>,
    parameters: Parameters,
    least: Thresholds,
    numbers: &MatchingNumbers,
    content: i64,
    seeds: SeedArrays<'py>,
) -> PyResult<Bound<'py, PyTuple>> {
    let change = file.change(&parameters, &least, numbers)?;
    if change.sketch.is_empty() {
        return Err(PyValueError::new_err("a file without tokens"));
    }
    let itself = Content {
        number: content,
        first_lines: change.first_lines,
        last_lines: change.last_lines,
        sketch: change.sketch,
        seeds: seeds.seeds(change.kgrams())?,
        phrases: SharedPhrases::default(),
    };
    fields(py, &winnow_matching::whole_file(&change, &itself))
}

/// Which contents are hardly there by chance, and their numbers, those that say most first.
#[pyfunction]
pub fn told_contents<'py>(
    py: Python<'py>,
    file: FileHits<'py>,
    contents: SharedContents<'py>,
    phrases: Vec<(usize, PhraseArrays<'py>)>,
    k: usize,
    numbers: &MatchingNumbers,
) -> PyResult<(Array<'py, bool>, Array<'py, i64>)> {
    let file = file.weighed(k, numbers)?;
    let count = contents.contents.as_slice()?.len();
    if phrases.iter().any(|(owner, _)| *owner >= count) {
        return Err(PyValueError::new_err("a content that is none"));
    }
    let said = phrases.iter().map(|(owner, own)| Ok((*owner, own.phrases(file.token_bits.len())?)));
    let owners = below(&contents.owners, count)?;
    of_length(&contents.seeds.positions, owners.len())?;
    let shared = Shared {
        contents: count,
        owners,
        seeds: contents.seeds.seeds(file.hashes.len())?,
        phrases: said.collect::<PyResult<_>>()?,
    };
    let significant = winnow_matching::is_significant(&file, &shared);
    let ranked = winnow_matching::ranked(&file, &shared);
    Ok((significant.into_pyarray(py), ranked.into_pyarray(py)))
}

/// Place, counts and kind; stretches; bits; evidence; packed marks of equal text; whether it is a guaranteed run; signs.
fn fields<'py>(py: Python<'py>, found: &Counted) -> PyResult<Bound<'py, PyTuple>> {
    let region = &found.region;
    let kind = match region.kind {
        Kind::Verbatim => "verbatim",
        Kind::Renamed => "renamed",
    };
    let (here, there) = (region.span(), &region.source);
    let place = (region.content, here.start, here.end, there.start, there.end);
    let counts = (region.matched, region.matched_verbatim, region.fingerprints);
    let stretches: Vec<_> =
        (region.parts.iter()).map(|part| (part.start, part.there().start, part.len())).collect();
    let same = PyBytes::new(py, &packed(&region.same));
    let (evidence, is_run, signs) = (found.evidence, found.is_run, found.signs);
    (place, counts, kind, stretches, region.bits, evidence, same, is_run, signs).into_pyobject(py)
}

/// Eight marks a byte, the first one highest.
fn packed(marks: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        eight.iter().zip((0..8).rev()).map(|(&mark, bit)| u8::from(mark) << bit).sum()
    };
    marks.chunks(8).map(byte).collect()
}
