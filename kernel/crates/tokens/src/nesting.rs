//! Where spans end that hold others of their kind.

use std::collections::HashMap;

use memchr::memmem;

use super::places::{after, Stop};
use super::tables::SpanTable;
use winnow_pattern::{Pattern, Unserved};

/// What finds the ends of one kind of span.
pub struct Nesting {
    opening: Vec<u8>,
    ends_by_marks: bool,
    openers: Pattern,
    /// What neither opens nor closes (0, if there is such a thing), what opens, what closes.
    marks: Pattern,
    first_mark: u32,
}

/// An opening mark that a text has not closed yet ends here.
type Opened = usize;

impl Nesting {
    pub fn new(table: &SpanTable) -> Result<Option<Nesting>, Unserved> {
        let Some((opening, closing)) = &table.nests else {
            return Ok(None);
        };
        let escaped = |mark: &[u8]| {
            mark.iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes()).collect()
        };
        let mut marks: Vec<Vec<u8>> = vec![escaped(opening), escaped(closing)];
        let has_between = !table.between.is_empty();
        if has_between {
            marks.insert(0, table.between.clone());
        }
        Ok(Some(Nesting {
            opening: opening.clone(),
            ends_by_marks: table.ends_by_marks,
            openers: Pattern::new(&table.openers)?,
            marks: Pattern::new(&marks)?,
            first_mark: u32::from(has_between),
        }))
    }

    /// Add start and end of each span of a text that holds others of its kind.
    pub fn far_ends(&mut self, text: &[u8], found: &mut HashMap<usize, usize>) -> Result<(), Stop> {
        if self.openers.search(text, 0)?.is_none() {
            return Ok(());
        }
        let ends = self.ends(text)?;
        let mut from = 0;
        while let Some(opener) = self.openers.search(text, from)? {
            if let Some(&end) = ends.get(&opener.end) {
                if self.ends_by_marks || holds(text, opener.end, end, &self.opening) {
                    found.insert(opener.start, end);
                }
            }
            from = after(opener.start, opener.end)?;
        }
        Ok(())
    }

    /// End of an opening mark → end of the mark that closes it.
    fn ends(&mut self, text: &[u8]) -> Result<HashMap<usize, usize>, Stop> {
        let (mut open, mut ends): (Vec<Opened>, _) = (Vec::new(), HashMap::new());
        let mut from = 0;
        while let Some(mark) = self.marks.search(text, from)? {
            let matched = &text[mark.start..mark.end];
            if matched == self.opening {
                open.push(mark.end);
            } else if mark.alternative == self.first_mark + 1 {
                if let Some(opened) = open.pop() {
                    ends.insert(opened, mark.end);
                }
            }
            from = after(mark.start, mark.end)?;
        }
        Ok(ends)
    }
}

/// Whether an opening mark stands between a span's opener and its end.
fn holds(text: &[u8], start: usize, end: usize, opening: &[u8]) -> bool {
    start < end && memmem::find(&text[start..end], opening).is_some()
}
