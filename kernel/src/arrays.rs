//! Arrays of NumPy as slices, checked, and what has them in Python.

use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use winnow_evidence::Document;

/// An array that Python is given, and one that it gives.
pub type Array<'py, T> = Bound<'py, PyArray1<T>>;
pub type Given<'py, T> = PyReadonlyArray1<'py, T>;

/// A tuple of the columns of a struct, each an array.
macro_rules! columns {
    ($py:expr, $table:expr => $($column:ident),+) => {
        ($($table.$column.into_pyarray($py)),+).into_pyobject($py)
    };
}

pub(crate) use columns;

/// What `columns` makes.
pub type Columns<'py> = Bound<'py, PyTuple>;

/// The elements of an array that has so many.
pub fn of_length<'a, T: Element>(array: &'a Given<'_, T>, length: usize) -> PyResult<&'a [T]> {
    let elements = array.as_slice()?;
    if elements.len() == length {
        Ok(elements)
    } else {
        Err(PyValueError::new_err("arrays of other lengths"))
    }
}

/// A document (`winnow_ci.model.Tokens`).
#[derive(FromPyObject)]
pub struct Tokens<'py> {
    pub structural: Given<'py, u64>,
    pub verbatim: Given<'py, u64>,
    pub sketch: Given<'py, u8>,
    pub first_lines: Given<'py, i32>,
    pub last_lines: Given<'py, i32>,
}

impl Tokens<'_> {
    pub fn document(&self) -> PyResult<Document<'_>> {
        let structural = self.structural.as_slice()?;
        Ok(Document {
            structural,
            verbatim: of_length(&self.verbatim, structural.len())?,
            sketch: of_length(&self.sketch, structural.len())?,
            first_lines: of_length(&self.first_lines, structural.len())?,
            last_lines: of_length(&self.last_lines, structural.len())?,
        })
    }
}

/// What an index keeps of a content's tokens (`winnow_ci.model.TokenMap`).
#[derive(FromPyObject)]
pub struct TokenMap<'py> {
    pub first_lines: Given<'py, i32>,
    pub last_lines: Given<'py, i32>,
    pub sketch: Given<'py, u8>,
}
