//! Text → tokens and phrases, as `winnow_ci.languages.table_tokenizer` makes them.

use std::borrow::Cow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

use hashbrown::HashMap;
use numpy::IntoPyArray;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use winnow_tokens::{Dense, Reader, Run, Stop, TokenColumns, Unserved};

use crate::arrays::{columns, of_length, Array, Columns, Given};
use crate::tables::tables;

/// Reads the texts of one family of languages; whatever it leaves to Python is None.
#[pyclass(frozen, module = "winnow_ci_kernel")]
pub struct Tokenizer(Mutex<Reader>);

#[pymethods]
impl Tokenizer {
    /// From the tables of a family; ValueError, if they hold a pattern that is not served.
    #[new]
    fn new(given: &Bound<'_, PyAny>) -> PyResult<Tokenizer> {
        let unserved = |Unserved(what)| PyValueError::new_err(format!("not served: {what}"));
        Reader::new(&tables(given)?).map(|reader| Tokenizer(Mutex::new(reader))).map_err(unserved)
    }

    /// The columns of `model.Tokens` and of its phrases, and whether the text was read with care: if it has to be, and
    /// has at most so many bytes.
    fn tokens<'py>(
        &self,
        py: Python<'py>,
        text: &[u8],
        most_careful: usize,
    ) -> PyResult<Option<Tokens<'py>>> {
        let read = self.with_reader(|reader| {
            let careful = reader.read(text, most_careful)?;
            Ok((reader.tokens(), careful))
        })?;
        read.map(|(tokens, careful)| of_tokens(py, tokens, careful)).transpose()
    }

    /// The pieces of a text, read with care in the same cases; joined, they are the text with plain line ends.
    fn pieces<'py>(
        &self,
        py: Python<'py>,
        text: &[u8],
        most_careful: usize,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        self.with_reader(|reader| {
            reader.read(text, most_careful)?;
            Ok(listed(py, reader))
        })?
        .transpose()
    }

    /// The pieces of a text that is read with care, whether it has to be or not.
    fn careful_pieces<'py>(
        &self,
        py: Python<'py>,
        text: &[u8],
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        self.with_reader(|reader| {
            reader.read_with_care(text)?;
            Ok(listed(py, reader))
        })?
        .transpose()
    }
}

impl Tokenizer {
    /// Do something with the reader, unless another thread has it. What would be a bug here is an exception in Python, as
    /// any other is, and not one that nothing catches.
    fn with_reader<T>(
        &self,
        work: impl FnOnce(&mut Reader) -> Result<T, Stop>,
    ) -> PyResult<Option<T>> {
        let Ok(mut reader) = self.0.try_lock() else {
            return Ok(None);
        };
        let done = catch_unwind(AssertUnwindSafe(|| {
            let found = work(&mut reader);
            reader.forget_much();
            found.ok()
        }));
        done.map_err(|_| PyRuntimeError::new_err("the kernel failed at a text"))
    }
}

/// The pieces of the text that was read as bytes, equal ones as one object.
fn listed<'py>(py: Python<'py>, reader: &Reader) -> PyResult<Bound<'py, PyList>> {
    let mut known: HashMap<u32, Bound<'py, PyBytes>> = HashMap::new();
    let pieces = reader.numbers().iter().map(|&number| {
        let piece = known.entry(number).or_insert_with(|| PyBytes::new(py, reader.piece(number)));
        piece.clone()
    });
    PyList::new(py, pieces.collect::<Vec<_>>())
}

pub type Tokens<'py> = (Columns<'py>, Columns<'py>, bool);

fn of_tokens(py: Python<'_>, tokens: TokenColumns, careful: bool) -> PyResult<Tokens<'_>> {
    let phrases = columns!(py, tokens.phrases => hashes, words, names, positions, lines)?;
    let columns = columns!(py, tokens => structural, verbatim, first_lines, last_lines, sketch)?;
    Ok((columns, phrases, careful))
}

/// How many marks of code each line of a text has.
#[pyfunction]
pub fn code_marks<'py>(py: Python<'py>, text: &[u8]) -> Array<'py, i64> {
    winnow_tokens::code_marks(text).into_pyarray(py)
}

/// Which lines, given how many marks each has, are in a passage with a line that is wanted.
#[pyfunction]
pub fn passages<'py>(
    py: Python<'py>,
    marks: Given<'py, i64>,
    wanted: Given<'py, bool>,
    code: (usize, i64, i64),
) -> PyResult<Array<'py, bool>> {
    let marks = marks.as_slice()?;
    let wanted = of_length(&wanted, marks.len())?;
    let code = Dense { lines: code.0, least: code.1, fewer: code.2 };
    Ok(winnow_tokens::passages(marks, wanted, code).into_pyarray(py))
}

/// Undoes what hides code.
#[pyclass(frozen, module = "winnow_ci_kernel")]
pub struct Normaliser(winnow_tokens::Normaliser);

#[pymethods]
impl Normaliser {
    /// From what hides code, as `normalisation` has it; ValueError, if a run of characters is none.
    #[new]
    fn new(hiding: Vec<(Vec<Run>, Vec<u8>)>) -> PyResult<Normaliser> {
        winnow_tokens::Normaliser::new(hiding)
            .map(Normaliser)
            .ok_or_else(|| PyValueError::new_err("characters that are no run beyond ASCII"))
    }

    /// A text without NUL as `normalisation` makes it.
    fn plain_text<'py>(&self, text: Bound<'py, PyBytes>) -> Bound<'py, PyBytes> {
        changed(&text, |text| self.0.plain_text(text))
    }
}

/// A normalised text with the characters that escapes in it stand for, of ASCII only some.
#[pyfunction]
pub fn unescaped<'py>(text: Bound<'py, PyBytes>, ascii: &[u8]) -> Bound<'py, PyBytes> {
    changed(&text, |text| winnow_tokens::unescaped(text, ascii))
}

fn changed<'py>(
    text: &Bound<'py, PyBytes>,
    change: impl Fn(&[u8]) -> Cow<'_, [u8]>,
) -> Bound<'py, PyBytes> {
    match change(text.as_bytes()) {
        Cow::Borrowed(_) => text.clone(),
        Cow::Owned(other) => PyBytes::new(text.py(), &other),
    }
}
