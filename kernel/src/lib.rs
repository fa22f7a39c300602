//! The inner loops of winnow-ci, native.
//!
//! The Python implementation is the definition: each function returns what its namesake in Python returns, bit for
//! bit. Each part is a module here, registered by its `add`.
#![forbid(unsafe_code)]

mod arrays;
mod evidence;
mod expression;
mod fingerprints;
mod hash_table;
mod known_hashes;
mod lookup;
mod matching;
mod reading;
mod tables;
mod tokens;

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The parts, each with the number of its interface. `winnow_ci.native` has the same table, and refuses another one.
const PARTS: [(&str, u32); 5] = [
    ("evidence", evidence::INTERFACE),
    ("fingerprints", fingerprints::INTERFACE),
    ("lookup", lookup::INTERFACE),
    ("matching", matching::INTERFACE),
    ("tokens", tokens::INTERFACE),
];

#[pymodule]
fn winnow_ci_kernel(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let parts = PyDict::new(module.py());
    for (part, interface) in PARTS {
        parts.set_item(part, interface)?;
    }
    module.add("PARTS", parts)?;
    evidence::add(module)?;
    fingerprints::add(module)?;
    lookup::add(module)?;
    matching::add(module)?;
    module.add_class::<expression::Expression>()?;
    tokens::add(module)?;
    module.add("SOURCES", env!("SOURCES"))?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
