//! Text → tokens and phrases, as `winnow_ci.languages.table_tokenizer` makes them.

mod careful;
mod classes;
mod cutting;
mod doubts;
mod javascript;
mod nesting;
mod phrases;
mod quotes;
mod recent;
mod tables;
mod vocabulary;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

use numpy::IntoPyArray;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::pattern::{Pattern, Unserved};
use cutting::{Cutter, Stop};
use doubts::Doubts;
use quotes::Quotes;
use tables::Tables;
use vocabulary::{PhraseColumns, TokenColumns, Vocabulary};

/// Raised by the number of this interface: of `Tables`, and of what the methods take and return.
pub const INTERFACE: u32 = 1;

/// Reads the texts of one family of languages; whatever it leaves to Python is None.
#[pyclass(frozen, module = "winnow_ci_kernel")]
struct Tokenizer(Mutex<Reader>);

struct Reader {
    cutter: Cutter,
    vocabulary: Vocabulary,
    marks: Marks,
    doubts: Option<Doubts>,
    numbers: Vec<u32>,
}

/// What tells of a new piece whether it may be misread.
enum Marks {
    Nothing,
    Matching(Box<Pattern>),
    Strings(Box<Quotes>),
    /// A function in Python.
    Asking(Py<PyAny>),
}

#[pymethods]
impl Tokenizer {
    /// From the tables of a family; ValueError, if they hold a pattern that is not served.
    #[new]
    fn new(tables: Tables, is_marked: Option<Py<PyAny>>) -> PyResult<Tokenizer> {
        let reader = || -> Result<Reader, Unserved> {
            let (cutter, vocabulary) = (Cutter::new(&tables)?, Vocabulary::new(&tables)?);
            let marks = match (&tables.marked, is_marked) {
                (Some(pattern), _) => Marks::Matching(Box::new(Pattern::new(&[pattern])?)),
                (None, Some(is_marked)) => match &tables.quotes_marked {
                    Some(quotes) => Marks::Strings(Box::new(Quotes::new(quotes)?)),
                    None => Marks::Asking(is_marked),
                },
                (None, None) => Marks::Nothing,
            };
            Ok(Reader {
                cutter,
                vocabulary,
                marks,
                doubts: tables.doubts.as_ref().map(Doubts::new).transpose()?,
                numbers: Vec::new(),
            })
        };
        let unserved = |Unserved(what)| PyValueError::new_err(format!("not served: {what}"));
        reader()
            .map(|reader| Tokenizer(Mutex::new(reader)))
            .map_err(unserved)
    }

    /// The columns of `model.Tokens` and of its phrases; whether the text has to be read with care; and if Python has to
    /// tell that (None), the places of the marked pieces and all pieces.
    fn tokens<'py>(&self, py: Python<'py>, text: &[u8]) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.with_reader(|reader| {
            if !reader.read(py, text, false)? {
                return Ok(None);
            }
            let marked = reader.vocabulary.marked(&reader.numbers);
            let Ok(is_doubtful) = reader.is_doubtful(&marked) else {
                return Ok(None);
            };
            let (vocabulary, numbers) = (&reader.vocabulary, &reader.numbers);
            let (columns, phrases) = of_tokens(py, vocabulary.tokens(numbers))?;
            let asked = match is_doubtful {
                None => Some((listed(py, vocabulary, numbers)?, marked)),
                Some(_) => None,
            };
            let found = (columns, phrases, is_doubtful, asked).into_pyobject(py)?;
            reader.vocabulary.forget_much();
            Ok(Some(found))
        })
    }

    /// The columns of `model.Tokens` and of its phrases, read with care.
    fn careful_tokens<'py>(
        &self,
        py: Python<'py>,
        text: &[u8],
    ) -> PyResult<Option<(Columns<'py>, Columns<'py>)>> {
        self.with_reader(|reader| {
            if !reader.read(py, text, true)? {
                return Ok(None);
            }
            let columns = of_tokens(py, reader.vocabulary.tokens(&reader.numbers))?;
            reader.vocabulary.forget_much();
            Ok(Some(columns))
        })
    }

    /// The pieces of a text; joined, they are the text with plain line ends.
    fn pieces<'py>(&self, py: Python<'py>, text: &[u8]) -> PyResult<Option<Bound<'py, PyList>>> {
        self.with_reader(|reader| {
            let found = PyList::empty(py);
            let mut failure = Ok(());
            let cut = reader.cutter.cut(text, false, |piece| {
                found.append(PyBytes::new(py, piece)).map_err(|error| {
                    failure = Err(error);
                    Stop
                })
            });
            failure?;
            Ok(cut.ok().map(|()| found))
        })
    }
}

impl Tokenizer {
    /// Do something with the reader, unless another thread has it. What would be a bug here is an exception in Python, as
    /// any other is, and not one that nothing catches.
    fn with_reader<T>(
        &self,
        work: impl FnOnce(&mut Reader) -> PyResult<Option<T>>,
    ) -> PyResult<Option<T>> {
        let Ok(mut reader) = self.0.try_lock() else {
            return Ok(None);
        };
        catch_unwind(AssertUnwindSafe(|| work(&mut reader)))
            .unwrap_or_else(|_| Err(PyRuntimeError::new_err("the kernel failed at a text")))
    }
}

impl Reader {
    /// Number the pieces of a text; whether that was possible.
    fn read(&mut self, py: Python<'_>, text: &[u8], careful: bool) -> PyResult<bool> {
        let (vocabulary, numbers, marks) =
            (&mut self.vocabulary, &mut self.numbers, &mut self.marks);
        numbers.clear();
        let mut failure = Ok(());
        let cut = self.cutter.cut(text, careful, |piece| {
            let is_marked = |piece: &[u8]| match marks {
                Marks::Nothing => Ok(false),
                Marks::Matching(pattern) => Ok(pattern.at(piece, 0)?.is_some()),
                Marks::Strings(quotes) => quotes.is_marked(piece),
                Marks::Asking(asked) => answer(py, asked, piece).map_err(|error| {
                    failure = Err(error);
                    Stop
                }),
            };
            vocabulary
                .number(piece, is_marked)
                .map(|number| numbers.push(number))
        });
        failure?;
        Ok(cut.is_ok())
    }

    /// Whether the text that was read has to be read with care; none if Python has to tell that.
    fn is_doubtful(&mut self, marked: &[usize]) -> Result<Option<bool>, Stop> {
        if marked.is_empty() {
            return Ok(Some(false));
        }
        let Some(doubts) = &mut self.doubts else {
            return Ok(None);
        };
        doubts
            .are_there(&self.vocabulary, &self.numbers, marked)
            .map(Some)
    }
}

fn answer(py: Python<'_>, asked: &Py<PyAny>, piece: &[u8]) -> PyResult<bool> {
    asked.call1(py, (PyBytes::new(py, piece),))?.extract(py)
}

type Columns<'py> = Bound<'py, PyTuple>;

fn of_tokens(py: Python<'_>, tokens: TokenColumns) -> PyResult<(Columns<'_>, Columns<'_>)> {
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
    Ok((columns.into_pyobject(py)?, phrases))
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

/// The pieces of a text as bytes, equal ones as one object.
fn listed<'py>(
    py: Python<'py>,
    vocabulary: &Vocabulary,
    numbers: &[u32],
) -> PyResult<Bound<'py, PyList>> {
    let mut known: Vec<Option<Bound<'py, PyBytes>>> = vec![None; vocabulary.pieces()];
    let pieces = numbers.iter().map(|&number| {
        let piece = known[number as usize]
            .get_or_insert_with(|| PyBytes::new(py, vocabulary.piece(number)));
        piece.clone()
    });
    PyList::new(py, pieces.collect::<Vec<_>>())
}

/// Add this part to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Tokenizer>()
}
