//! What the tokens of a changed file say, in bits, and which say nothing (`winnow_ci.evidence`; of statements
//! `winnow_ci.languages`).
//!
//! ```
//! use winnow_evidence::{kgram_information, Document, Repetition};
//!
//! let ids = [1, 2, 1, 2, 1, 2, 1, 2, 3];
//! let rows = Document {
//!     structural: &ids,
//!     verbatim: &[1, 2, 3, 4, 5, 6, 7, 8, 9],
//!     sketch: &[40; 9],
//!     first_lines: &[1, 1, 2, 2, 3, 3, 4, 4, 5],
//!     last_lines: &[1, 1, 2, 2, 3, 3, 4, 4, 5],
//! };
//! let rule = Repetition {
//!     gram: 4,
//!     share: 0.75,
//! };
//! let kgrams = kgram_information(&rows, &[false; 9], 208..230, 8, rule);
//! assert_eq!(kgrams.by_structure, [false, false]);
//! assert_eq!(kgrams.by_text, [true, true]);
//! ```
//!
//! Bits are rounded `in_steps`, so sums of them are exact in any order.
#![forbid(unsafe_code)]

mod document;
mod idle;
mod imports;
mod information;
mod lines;
mod state;
mod statements;
mod steps;
mod weights;

pub use document::Document;
pub use idle::IdleWords;
pub use imports::ImportWords;
pub use information::{kgram_information, Information, Repetition};
pub use lines::{line_hashes, LineHashes};
pub use state::StateWords;
pub use statements::{Known, Sketches};
pub use steps::in_steps;
pub use weights::{BitTable, Learnt, Numbers, TextClass, Weights};
