//! Arrays of NumPy as slices, checked; bits of evidence in whole steps.

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

/// Bits of evidence are whole multiples of one over this, so that sums of them are exact in any order.
const STEPS: f64 = 1024.0;

/// Bits of evidence, rounded to whole steps.
pub fn in_steps(bits: f64) -> f64 {
    (bits * STEPS).round_ties_even() / STEPS
}
