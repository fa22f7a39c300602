//! Tokens of a document → hashes of k-grams, and those that an index keeps (`winnow_ci.fingerprint`).
//!
//! ```
//! use winnow_fingerprints::{kgram_hashes, selected, Numbers};
//!
//! let tokens: Vec<u64> = (0..200).collect();
//! let hashes = kgram_hashes(&tokens, 16);
//! assert_eq!(hashes.len(), 185);
//! let numbers = Numbers {
//!     anchored: 100,
//!     shortest_gram: 4,
//!     bottom: 256,
//! };
//! let chosen = selected(&hashes, 9, "winnowing", &tokens, &numbers).unwrap();
//! assert!(chosen[0] < 9 && chosen.windows(2).all(|pair| pair[1] - pair[0] <= 9));
//! ```
//!
//! Hashes that are known from elsewhere are in a `HashTable` or, in less memory, are `Known`.
#![forbid(unsafe_code)]

mod document;
mod hash_table;
mod kgrams;
mod known_hashes;
mod phrases;
mod selection;

pub use document::{index_fingerprints, Document, Fingerprints, Selection};
pub use hash_table::{upper, HashTable};
pub use kgrams::{kgram_hashes, polynomial};
pub use known_hashes::{Distances, Known};
pub use selection::{selected, Numbers};
