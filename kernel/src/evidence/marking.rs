//! Statements that import, and those without effect, as Python asks for them.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use super::idle::IdleWords;
use super::imports::ImportWords;
use super::statements::{Document, Known, Sketches};
use crate::arrays::of_length;

type Given<'py, T> = PyReadonlyArray1<'py, T>;
type Marks<'py> = PyResult<Bound<'py, PyArray1<bool>>>;

/// A document (`winnow_ci.model.Tokens`), as far as it is needed.
#[derive(FromPyObject)]
struct Tokens<'py> {
    structural: Given<'py, u64>,
    verbatim: Given<'py, u64>,
    sketch: Given<'py, u8>,
    first_lines: Given<'py, i32>,
    last_lines: Given<'py, i32>,
}

impl Tokens<'_> {
    fn document(&self) -> PyResult<Document<'_>> {
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

/// First and end of the sketch bytes of names, numbers and strings.
type Classes = ((u16, u16), (u16, u16), (u16, u16));

fn sketches((names, numbers, strings): Classes) -> Sketches {
    Sketches {
        names: names.0..names.1,
        numbers: numbers.0..numbers.1,
        strings: strings.0..strings.1,
    }
}

/// How a front end's statements begin that import something, and what they are made of.
#[pyclass(frozen)]
struct ImportStatements(ImportWords);

#[pymethods]
impl ImportStatements {
    #[new]
    fn new(words: Vec<u64>, directives: Vec<u64>, known: Vec<(u64, u8)>, classes: Classes) -> Self {
        Self(ImportWords {
            words,
            directives,
            known: Known::new(known),
            sketches: sketches(classes),
        })
    }

    /// Which tokens stand in one (`winnow_ci.languages.statements.in_imports`).
    fn marks<'py>(&self, py: Python<'py>, tokens: Tokens<'py>) -> Marks<'py> {
        Ok(self.0.marks(&tokens.document()?).into_pyarray(py))
    }
}

/// What a family's statements without effect are made of.
#[pyclass(frozen)]
struct IdleStatements(IdleWords);

#[pymethods]
impl IdleStatements {
    #[new]
    fn new(known: Vec<(u64, u8)>, classes: Classes) -> Self {
        Self(IdleWords {
            known: Known::new(known),
            sketches: sketches(classes),
        })
    }

    /// Which tokens stand in one (`winnow_ci.languages.statements.idle_statements`).
    fn marks<'py>(&self, py: Python<'py>, tokens: Tokens<'py>) -> Marks<'py> {
        Ok(self.0.marks(&tokens.document()?).into_pyarray(py))
    }
}

pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ImportStatements>()?;
    module.add_class::<IdleStatements>()
}
