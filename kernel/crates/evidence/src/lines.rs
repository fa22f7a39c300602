//! Lines of tokens, and rows of one shape (`winnow_ci.evidence.weights` defines them).

use winnow_fingerprints::polynomial;

/// Which tokens stand in further rows, given the line of each: so many of the lines before have the shape of theirs.
pub fn in_further_rows(
    structural: &[u64],
    lines: &[i32],
    (alike, before): (usize, usize),
) -> Vec<bool> {
    let mut marks = Vec::with_capacity(lines.len());
    let mut shapes: Vec<u64> = Vec::new();
    for line in in_lines(structural, lines) {
        let shape = polynomial(line);
        let last = &shapes[shapes.len().saturating_sub(before)..];
        let same = last.iter().filter(|&&other| other == shape).count();
        marks.resize(marks.len() + line.len(), same >= alike);
        shapes.push(shape);
    }
    marks
}

/// Lines of a document: a hash of the text of each, its first token, and how many it has.
#[derive(Default)]
pub struct LineHashes {
    pub hashes: Vec<u64>,
    pub starts: Vec<i64>,
    pub lengths: Vec<i64>,
}

/// The lines on which so many tokens begin, given the line of each.
pub fn line_hashes(verbatim: &[u64], lines: &[i32], shortest: usize) -> LineHashes {
    let mut found = LineHashes::default();
    let mut start = 0;
    for line in in_lines(verbatim, lines) {
        if line.len() >= shortest {
            found.hashes.push(polynomial(line));
            found.starts.push(start);
            found.lengths.push(line.len() as i64);
        }
        start += line.len() as i64;
    }
    found
}

/// The ids of each line.
fn in_lines<'a>(ids: &'a [u64], lines: &'a [i32]) -> impl Iterator<Item = &'a [u64]> {
    let mut start = 0;
    lines.chunk_by(|one, next| one == next).map(move |line| {
        start += line.len();
        &ids[start - line.len()..start]
    })
}

#[cfg(test)]
mod tests {
    use super::in_further_rows;

    #[test]
    fn the_fifth_row_of_a_shape_is_a_further_one() {
        let marks = in_further_rows(
            &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 3],
            &[1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5],
            (4, 6),
        );
        assert_eq!(marks, [false; 11]);
        let marks = in_further_rows(
            &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2],
            &[1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
            (4, 6),
        );
        assert_eq!(marks[..8], [false; 8]);
        assert_eq!(marks[8..], [true; 2]);
    }
}
