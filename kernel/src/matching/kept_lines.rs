//! Which of the lines that are whole on both sides have kept their text, or their names
//! (`winnow_ci.matching.kept_lines`).

use std::ops::Range;

use super::candidate::Candidate;
use super::layout::SHORTEST_LINE;
use super::values::{is_identifier, Change};

/// How many long lines of a row have to be equal.
const ROW: usize = 2;

/// Lines that are whole on both sides.
#[derive(Default)]
pub struct KeptLines {
    /// How many long ones have all of their tokens added, and the same on both sides.
    pub equal: usize,
    /// How many long ones are equal, or added with all of their names the same, of which they have some.
    pub equal_or_named: usize,
    /// The tokens of rows of equal lines, long ones among them.
    pub rows: Vec<Range<usize>>,
}

pub fn kept_lines(candidate: &Candidate, change: &Change) -> KeptLines {
    let mut kept = KeptLines::default();
    let mut row: Option<(Range<usize>, usize)> = None;
    for line in &candidate.layout.whole {
        let (is_equal, is_named) = kept_in(line, candidate, change);
        let is_long = line.len() >= SHORTEST_LINE;
        kept.equal += usize::from(is_equal && is_long);
        kept.equal_or_named += usize::from((is_equal || is_named) && is_long);
        row = match row {
            Some((tokens, long)) if is_equal && tokens.end == line.start => {
                Some((tokens.start..line.end, long + usize::from(is_long)))
            }
            other => {
                kept.end(other);
                is_equal.then(|| (line.clone(), usize::from(is_long)))
            }
        };
    }
    kept.end(row);
    kept
}

impl KeptLines {
    fn end(&mut self, row: Option<(Range<usize>, usize)>) {
        self.rows.extend(
            row.filter(|&(_, long)| long >= ROW)
                .map(|(tokens, _)| tokens),
        );
    }
}

/// Whether all tokens of a line are added and the same, and whether they are added and its names, one at least, are,
/// and it is no row of a table.
fn kept_in(line: &Range<usize>, candidate: &Candidate, change: &Change) -> (bool, bool) {
    let place = |token: usize| {
        candidate
            .here
            .partition_point(|&here| (here as usize) < token)
    };
    let numbers = place(line.start)..place(line.end);
    let is_same =
        |number: usize| change.sketch[candidate.here[number] as usize] == candidate.there[number];
    let is_name = |number: usize| is_identifier(change.sketch[candidate.here[number] as usize]);
    let is_added = numbers.len() == line.len()
        && (numbers.clone()).all(|number| change.added[candidate.here[number] as usize]);
    let mut names = numbers.clone().filter(|&number| is_name(number)).peekable();
    let has_names = names.peek().is_some();
    (
        is_added && numbers.clone().all(is_same),
        is_added && has_names && !change.further_rows[line.start] && names.all(is_same),
    )
}
