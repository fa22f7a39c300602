//! What a changed file has in common with known contents: the inner stage of matching.
//!
//! ```
//! use winnow_matching::{find_regions, Change, Content, Limits, Numbers, Seeds, SharedPhrases};
//!
//! // Lines of five tokens each, which say 2 bits; the content has the last 40, one line further up.
//! let sketch: Vec<u8> = (0..60).map(|token| (token * 7 % 61) as u8).collect();
//! let verbatim: Vec<u64> = (0..60).collect();
//! let lines: Vec<i32> = (0..60).map(|token| token / 5).collect();
//! let rising: Vec<f64> = (0..=60).map(|token| 2.0 * f64::from(token)).collect();
//! let numbers = Numbers {
//!     identifiers: 128,
//!     numbers: 208,
//!     strings: 230,
//!     context: 3,
//!     longest_without_seed: 2048,
//!     most_diagonals: 128,
//!     verbatim_bits: 1.7,
//!     most_verbatim: 128,
//!     ..Numbers::default()
//! };
//! let change = Change {
//!     classes: numbers.classes(&sketch),
//!     sketch: &sketch,
//!     first_lines: &lines,
//!     last_lines: &lines,
//!     verbatim: &verbatim,
//!     grams: &verbatim[3..],
//!     added: &[true; 60],
//!     token_bits: &[2.0; 60],
//!     literal_bits: &[0.0; 60],
//!     new_literal_bits: &[0.0; 60],
//!     further_rows: &[false; 60],
//!     telling: &[true; 45],
//!     cumulative: &rising,
//!     limits: Limits {
//!         k: 16,
//!         t: 24,
//!         verbatim: 24,
//!         renamed: None,
//!     },
//!     numbers: &numbers,
//! };
//! let content = Content {
//!     number: 7,
//!     first_lines: &lines[20..],
//!     last_lines: &lines[20..],
//!     sketch: &sketch[20..],
//!     seeds: Seeds {
//!         positions: &[20, 44],
//!         diagonals: &[-20, -20],
//!         informative: &[true; 2],
//!         telling: &[true; 2],
//!         verbatim: &[true; 2],
//!     },
//!     phrases: SharedPhrases::default(),
//! };
//! let found = &find_regions(&change, &content)[0];
//! assert_eq!((found.region.content, found.region.span()), (7, 20..60));
//! assert!(found.is_run);
//! ```
//!
//! The reference is `winnow_ci.matching`, which explains what is done and why. Places in slices must lie in the change.
#![forbid(unsafe_code)]

mod alignment;
mod candidate;
mod chaining;
mod copies;
mod judge;
mod layout;
mod neighbourhoods;
mod numbers;
mod overlaps;
mod phrases;
mod ranking;
mod region;
mod reordering;
mod segments;
mod shared;
mod significance;
mod signs;
mod sums;
mod trimming;
mod ungapped;
mod values;

pub use copies::{find_regions, whole_file, Counted};
pub use numbers::Numbers;
pub use ranking::ranked;
pub use region::{Kind, Region};
pub use shared::{Shared, WeighedFile};
pub use significance::is_significant;
pub use values::{Change, Content, Limits, Seeds, SharedPhrases};
