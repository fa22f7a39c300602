//! How the lines of both sides agree (`winnow_ci.matching.judge`).

use std::ops::Range;

use super::values::{Change, Content, Segment};

/// How the lines of segments agree.
pub struct Layout {
    /// Lines of the change that lie in a segment as a whole and are whole lines of the source, too: their tokens.
    pub whole: Vec<Range<usize>>,
    /// Number of pairs of lines with more blank lines and comments between them on one side.
    pub other_gaps: usize,
}

impl Layout {
    pub fn of(change: &Change, content: &Content, parts: &[Segment]) -> Self {
        let mut layout = Self { whole: Vec::new(), other_gaps: 0 };
        for part in parts {
            layout.add(part, change, content);
        }
        layout
    }

    fn add(&mut self, part: &Segment, change: &Change, content: &Content) {
        let steps = part.here().chain([part.end]).zip(part.there().start..).map(|(here, there)| {
            (
                step(change.first_lines, change.last_lines, here),
                step(content.first_lines, content.last_lines, there),
            )
        });
        let mut line: Option<usize> = None;
        for (token, (here, there)) in (part.start..).zip(steps) {
            if here > 0 || there > 0 {
                let both = here > 0 && there > 0;
                self.whole.extend(line.filter(|_| both).map(|start| start..token));
                line = both.then_some(token);
            }
            let is_inside = token != part.start && token != part.end;
            self.other_gaps += usize::from(is_inside && here != there && here.max(there) > 1);
        }
    }
}

/// How many lines below its predecessor a token begins; 1 at the edges of the document.
fn step(first_lines: &[i32], last_lines: &[i32], token: usize) -> i32 {
    match (first_lines.get(token), token.checked_sub(1)) {
        (Some(first), Some(before)) => first.wrapping_sub(last_lines[before]),
        _ => 1,
    }
}
