//! The inner loops of winnow-ci as a module of Python: what the other crates do, with arrays of NumPy.
//!
//! The Python implementation is the definition: each function returns what its namesake in Python returns, bit for bit.
#![forbid(unsafe_code)]

mod arrays;
mod evidence;
mod expression;
mod fingerprints;
mod index;
mod matching;
mod reading;
mod tables;
mod tokens;

use pyo3::prelude::*;

#[pymodule]
mod winnow_ci_kernel {
    #[pymodule_export]
    use super::evidence::{
        kgram_information, line_hashes, IdleStatements, ImportStatements, KnownHashes,
        LearntTables, State,
    };
    #[pymodule_export]
    use super::expression::Expression;
    #[pymodule_export]
    use super::fingerprints::{all_kgrams, index_fingerprints};
    #[pymodule_export]
    use super::index::{
        chosen_hits, pack_blocks, pack_map, postings_in_order, unpack_blocks, unpack_map,
    };
    #[pymodule_export]
    use super::matching::{find_regions, told_contents, whole_file, MatchingNumbers};
    #[pymodule_export]
    use super::tokens::{code_marks, passages, unescaped, Normaliser, Tokenizer};

    /// Changes with what is taken and given here, and with what is made of it. `winnow_ci.native` has the same number,
    /// and refuses another one.
    #[pymodule_export]
    const INTERFACE: u32 = 34;
    #[pymodule_export]
    const SOURCES: &str = env!("SOURCES");
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
