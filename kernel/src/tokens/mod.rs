//! Text → tokens and phrases, as `winnow_ci.languages.table_tokenizer` makes them.

mod careful_reading;
mod classes;
mod code_passages;
mod columns;
mod cutting;
mod here_document_reading;
mod javascript_context;
mod javascript_doubts;
mod javascript_reading;
mod nesting;
mod normalisation;
mod phrases;
mod pieces;
mod places;
mod preparation;
mod quotes_reading;
mod recent;
mod tables;
mod vocabulary;
mod word_set;

use std::borrow::Cow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

use hashbrown::HashMap;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::arrays::of_length;
use careful_reading::{Care, Language};
use columns::{PhraseColumns, TokenColumns};
use cutting::{Careful, Cutter};
use here_document_reading::HereDocuments;
use javascript_context::JavaScript;
use pieces::{Numbering, Pieces};
use places::Stop;
use quotes_reading::Quotes;
use tables::{CareTable, Tables};
use vocabulary::Vocabulary;
use winnow_pattern::Unserved;

/// Raised by the number of this interface: of `Tables`, and of what the methods take and return.
pub const INTERFACE: u32 = 6;

/// Reads the texts of one family of languages; whatever it leaves to Python is None.
#[pyclass(frozen, module = "winnow_ci_kernel")]
struct Tokenizer(Mutex<Reader>);

struct Reader {
    cutter: Cutter,
    care: Option<Care>,
    vocabulary: Vocabulary,
    /// Of the pieces of the text that was read.
    numbers: Vec<u32>,
}

#[pymethods]
impl Tokenizer {
    /// From the tables of a family; ValueError, if they hold a pattern that is not served.
    #[new]
    fn new(tables: Tables) -> PyResult<Tokenizer> {
        let unserved = |Unserved(what)| PyValueError::new_err(format!("not served: {what}"));
        Reader::new(&tables)
            .map(|reader| Tokenizer(Mutex::new(reader)))
            .map_err(unserved)
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
            Ok((reader.vocabulary.tokens(&reader.numbers), careful))
        })?;
        read.map(|(tokens, careful)| of_tokens(py, tokens, careful))
            .transpose()
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
            Ok(reader.listed(py))
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
            reader.cut(text, true)?;
            Ok(reader.listed(py))
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
            reader.vocabulary.forget_much();
            found.ok()
        }));
        done.map_err(|_| PyRuntimeError::new_err("the kernel failed at a text"))
    }
}

impl Reader {
    fn new(tables: &Tables) -> Result<Reader, Unserved> {
        Ok(Reader {
            cutter: Cutter::new(tables)?,
            care: care(tables)?,
            vocabulary: Vocabulary::new(tables)?,
            numbers: Vec::new(),
        })
    }

    /// Number the pieces of a text; whether it was read with care.
    fn read(&mut self, text: &[u8], most_careful: usize) -> Result<bool, Stop> {
        self.cut(text, false)?;
        let careful = text.len() <= most_careful && self.is_doubtful()?;
        if careful {
            self.cut(text, true)?;
        }
        Ok(careful)
    }

    fn cut(&mut self, text: &[u8], careful: bool) -> Result<(), Stop> {
        let care = match (careful, &mut self.care) {
            (true, None) => return Err(Stop),
            (true, Some(care)) => Some(care as &mut dyn Careful),
            (false, _) => None,
        };
        let (vocabulary, numbers) = (&mut self.vocabulary, &mut self.numbers);
        numbers.clear();
        let mut numbering = Numbering {
            vocabulary,
            numbers,
        };
        self.cutter.cut(text, care, &mut numbering)
    }

    /// Whether the text that was read has to be read with care.
    fn is_doubtful(&mut self) -> Result<bool, Stop> {
        let Some(care) = &mut self.care else {
            return Ok(false);
        };
        let (vocabulary, numbers) = (&mut self.vocabulary, &self.numbers);
        let marked = vocabulary.marked(numbers, |piece| care.language.is_marked(piece))?;
        let pieces = Pieces {
            vocabulary,
            numbers,
        };
        Ok(!marked.is_empty() && care.language.is_doubtful(pieces, &marked)?)
    }

    /// The pieces of the text that was read as bytes, equal ones as one object.
    fn listed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let mut known: HashMap<u32, Bound<'py, PyBytes>> = HashMap::new();
        let pieces = self.numbers.iter().map(|&number| {
            let piece = known
                .entry(number)
                .or_insert_with(|| PyBytes::new(py, self.vocabulary.piece(number)));
            piece.clone()
        });
        PyList::new(py, pieces.collect::<Vec<_>>())
    }
}

/// What reads a family's texts with care, if one expression could misread them.
fn care(tables: &Tables) -> Result<Option<Care>, Unserved> {
    let of_table = |table| Care::new(tables, language(table)?);
    tables.care.as_ref().map(of_table).transpose()
}

fn language(table: &CareTable) -> Result<Box<dyn Language>, Unserved> {
    match (&table.javascript, &table.quotes, &table.here_documents) {
        (Some(javascript), None, None) => Ok(Box::new(JavaScript::new(javascript)?)),
        (None, Some(quotes), None) => Ok(Box::new(Quotes::new(quotes)?)),
        (None, Some(quotes), Some(table)) => Ok(Box::new(HereDocuments::new(table, quotes)?)),
        _ => Err(Unserved("another way to read with care".into())),
    }
}

type Columns<'py> = Bound<'py, PyTuple>;
type Tokens<'py> = (Columns<'py>, Columns<'py>, bool);

fn of_tokens(py: Python<'_>, tokens: TokenColumns, careful: bool) -> PyResult<Tokens<'_>> {
    let phrases = of_phrases(py, tokens.phrases)?;
    let first_lines = tokens.first_lines.into_pyarray(py);
    let last_lines = tokens.last_lines.into_pyarray(py);
    let (structural, verbatim) = (
        tokens.structural.into_pyarray(py),
        tokens.verbatim.into_pyarray(py),
    );
    let columns = (
        structural,
        verbatim,
        first_lines,
        last_lines,
        tokens.sketch.into_pyarray(py),
    );
    Ok((columns.into_pyobject(py)?, phrases, careful))
}

fn of_phrases(py: Python<'_>, phrases: PhraseColumns) -> PyResult<Columns<'_>> {
    let (hashes, words) = (
        phrases.hashes.into_pyarray(py),
        phrases.words.into_pyarray(py),
    );
    let (names, positions) = (
        phrases.names.into_pyarray(py),
        phrases.positions.into_pyarray(py),
    );
    (
        hashes,
        words,
        names,
        positions,
        phrases.lines.into_pyarray(py),
    )
        .into_pyobject(py)
}

/// How many marks of code each line of a text has.
#[pyfunction]
fn code_marks<'py>(py: Python<'py>, text: &[u8]) -> Bound<'py, PyArray1<i64>> {
    code_passages::code_marks(text).into_pyarray(py)
}

/// Which lines, given how many marks each has, are in a passage with a line that is wanted.
#[pyfunction]
fn passages<'py>(
    py: Python<'py>,
    marks: PyReadonlyArray1<'py, i64>,
    wanted: PyReadonlyArray1<'py, bool>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let marks = marks.as_slice()?;
    let wanted = of_length(&wanted, marks.len())?;
    Ok(code_passages::passages(marks, wanted).into_pyarray(py))
}

/// Undoes what hides code.
#[pyclass(frozen, module = "winnow_ci_kernel")]
struct Normaliser(normalisation::Normaliser);

#[pymethods]
impl Normaliser {
    /// From what hides code, as `normalisation` has it; ValueError, if a run of characters is none.
    #[new]
    fn new(hiding: Vec<(Vec<normalisation::Run>, Vec<u8>)>) -> PyResult<Normaliser> {
        normalisation::Normaliser::new(hiding)
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
fn unescaped<'py>(text: Bound<'py, PyBytes>, ascii: &[u8]) -> Bound<'py, PyBytes> {
    changed(&text, |text| preparation::unescaped(text, ascii))
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

/// Add this part to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Normaliser>()?;
    module.add_class::<Tokenizer>()?;
    module.add_function(wrap_pyfunction!(code_marks, module)?)?;
    module.add_function(wrap_pyfunction!(passages, module)?)?;
    module.add_function(wrap_pyfunction!(unescaped, module)?)
}
