//! Stored bytes ↔ what an index means by them (`winnow_ci.index`): token maps, and postings of looked-up hashes.
//!
//! ```
//! use winnow_index::{pack_map, unpack_map, TokenMap};
//!
//! let map = TokenMap {
//!     first_lines: vec![1, 1, 2],
//!     last_lines: vec![1, 1, 4],
//!     sketch: vec![40, 130, 231],
//! };
//! let packed = pack_map(&map.first_lines, &map.last_lines, &map.sketch).unwrap();
//! assert_eq!(unpack_map(&packed), Some(map));
//! assert_eq!(unpack_map(&packed[1..]), None);
//! ```
//!
//! Bytes of an index may be anybody's: what is damaged is none, and takes no more memory than is good.
#![forbid(unsafe_code)]

mod bits;
mod blocks;
mod hits;
mod postings;
mod token_map;

pub use blocks::Layout;
pub use hits::{Hits, Marks, Ranges};
pub use postings::{in_order, SIZE};
pub use token_map::{pack_map, unpack_map, TokenMap};
