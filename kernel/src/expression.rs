//! Patterns for Python, so that tests can hold the matcher against `re`.

use std::sync::Mutex;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use winnow_pattern::{Pattern, TooMuch, Unserved};

/// Some patterns, as if joined by `|`; ValueError for what is not served.
#[pyclass(frozen, module = "winnow_ci_kernel")]
pub struct Expression(Mutex<Pattern>);

#[pymethods]
impl Expression {
    #[new]
    fn new(alternatives: Vec<Vec<u8>>) -> PyResult<Expression> {
        let unserved = |Unserved(what)| PyValueError::new_err(format!("not served: {what}"));
        Pattern::new(&alternatives).map(|pattern| Expression(Mutex::new(pattern))).map_err(unserved)
    }

    /// The number of the alternative that matches at a place, and where the match ends.
    fn matches(&self, text: &[u8], at: usize) -> PyResult<Option<(u32, usize)>> {
        self.0.lock().map_err(failed)?.at(text, at).map_err(too_much)
    }

    /// The first match from a place on: where it starts and ends.
    fn search(&self, text: &[u8], from: usize) -> PyResult<Option<(usize, usize)>> {
        let found = self.0.lock().map_err(failed)?.search(text, from).map_err(too_much)?;
        Ok(found.map(|found| (found.start, found.end)))
    }
}

fn failed<E: std::fmt::Display>(error: E) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

fn too_much(_: TooMuch) -> PyErr {
    PyRuntimeError::new_err("too much to remember")
}
