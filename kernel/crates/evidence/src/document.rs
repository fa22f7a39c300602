//! The tokens of a document (`winnow_ci.model.Tokens`).

/// A document, all of whose columns have the same length.
pub struct Document<'a> {
    pub structural: &'a [u64],
    pub verbatim: &'a [u64],
    pub sketch: &'a [u8],
    pub first_lines: &'a [i32],
    pub last_lines: &'a [i32],
}

impl Document<'_> {
    /// Whether the next token stands on a later line, or there is none before `end`.
    pub fn ends_line(&self, at: usize, end: usize) -> bool {
        at + 1 >= end || self.first_lines[at + 1] > self.last_lines[at]
    }
}
