//! Rows of one shape (`winnow_ci.evidence.lines` defines them).

use crate::fingerprints::kgrams::polynomial;

/// A line is a further row if so many of the lines before it have its shape.
const ROWS_ALIKE: usize = 4;
const BEFORE: usize = 6;

/// Which tokens stand in further rows, given the line of each.
pub fn in_further_rows(structural: &[u64], lines: &[i32]) -> Vec<bool> {
    let mut marks = Vec::with_capacity(lines.len());
    let mut shapes: Vec<u64> = Vec::new();
    for line in structural_lines(structural, lines) {
        let shape = polynomial(line);
        let before = &shapes[shapes.len().saturating_sub(BEFORE)..];
        let same = before.iter().filter(|&&other| other == shape).count();
        marks.resize(marks.len() + line.len(), same >= ROWS_ALIKE);
        shapes.push(shape);
    }
    marks
}

fn structural_lines<'a>(
    structural: &'a [u64],
    lines: &'a [i32],
) -> impl Iterator<Item = &'a [u64]> {
    let mut start = 0;
    lines.chunk_by(|one, next| one == next).map(move |line| {
        start += line.len();
        &structural[start - line.len()..start]
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
        );
        assert_eq!(marks, [false; 11]);
        let marks = in_further_rows(
            &[1, 2, 1, 2, 1, 2, 1, 2, 1, 2],
            &[1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
        );
        assert_eq!(marks[..8], [false; 8]);
        assert_eq!(marks[8..], [true; 2]);
    }
}
