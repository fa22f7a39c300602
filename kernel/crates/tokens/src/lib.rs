//! Text → tokens and phrases, as `winnow_ci.languages.table_tokenizer` makes them, given the tables of a language.
//!
//! ```
//! use winnow_tokens::{PhraseTable, Reader, SketchTable, Tables};
//!
//! let pattern = |text: &str| text.as_bytes().to_vec();
//! let alternatives = [r"[a-z]+", r"\d+", r"\s+", r"=", r"\0"];
//! let mut reader = Reader::new(&Tables {
//!     name: pattern("letters"),
//!     alternatives: alternatives.map(|one| (None, pattern(one))).to_vec(),
//!     kinds: vec![
//!         ("blank".into(), pattern(r"\Z")),
//!         ("number".into(), pattern(r"\d")),
//!         ("name".into(), pattern(r"[a-z]")),
//!     ],
//!     sketches: SketchTable {
//!         words: (0, 128),
//!         names: (128, 80),
//!         numbers: (208, 22),
//!         strings: (230, 26),
//!     },
//!     phrases: PhraseTable {
//!         fewest_words: 3,
//!         ..PhraseTable::default()
//!     },
//!     ..Tables::default()
//! })?;
//! reader.read(b"size = 3\nlength = 4\n", 0).unwrap();
//! let tokens = reader.tokens();
//! assert_eq!(tokens.first_lines, [1, 1, 1, 2, 2, 2]);
//! assert_eq!(tokens.structural[..3], tokens.structural[3..]);
//! assert_ne!(tokens.verbatim[0], tokens.verbatim[3]);
//! assert_eq!(reader.piece(reader.numbers()[0]), b"size");
//! # Ok::<(), winnow_tokens::Unserved>(())
//! ```
//!
//! What it leaves to Python is an error: `Unserved` for tables, `Stop` for a text.
#![forbid(unsafe_code)]

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
mod reader;
mod recent;
mod tables;
mod vocabulary;
mod word_set;

pub use code_passages::{code_marks, passages, Dense};
pub use columns::{PhraseColumns, TokenColumns};
pub use normalisation::{Normaliser, Run};
pub use places::Stop;
pub use preparation::unescaped;
pub use reader::Reader;
pub use tables::{
    CareTable, HereDocumentTable, JavaScriptTable, PhraseTable, QuoteTable, SketchTable, SpanTable,
    Tables,
};
pub use winnow_pattern::Unserved;
