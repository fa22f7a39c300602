//! Arrays of NumPy as slices, checked.

use numpy::{Element, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The elements of an array that has so many.
pub fn of_length<'a, T: Element>(
    array: &'a PyReadonlyArray1<'_, T>,
    length: usize,
) -> PyResult<&'a [T]> {
    let elements = array.as_slice()?;
    if elements.len() == length {
        Ok(elements)
    } else {
        Err(PyValueError::new_err("arrays of other lengths"))
    }
}
