//! Lines that look like code (`winnow_ci.languages.code_in_text` defines them).

/// What code looks like: so many lines with so many marks somewhere, and with fewer on any of its lines.
#[derive(Clone, Copy)]
pub struct Dense {
    pub lines: usize,
    pub least: i64,
    pub fewer: i64,
}

/// How many marks of code each line has; an equals sign beside another is none.
pub fn code_marks(text: &[u8]) -> Vec<i64> {
    let mut marks = vec![0];
    let mut before = b'\n';
    for &byte in text {
        if byte == b'\n' {
            marks.push(0);
        } else if is_mark(byte) && !(byte == b'=' && before == b'=') {
            *marks.last_mut().expect("there is a first line") += 1;
        }
        before = byte;
    }
    marks
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b';' | b'=')
}

/// Which lines are in a passage with a line that is wanted.
pub fn passages(marks: &[i64], wanted: &[bool], code: Dense) -> Vec<bool> {
    let mut inside = near(marks, code.lines, code.fewer);
    let dense = near(marks, code.lines, code.least);
    let mut start = 0;
    for run in inside.chunk_by_mut(|one, next| one == next) {
        let lines = start..start + run.len();
        start = lines.end;
        let has = |those: &[bool]| those[lines.clone()].contains(&true);
        if !(has(&dense) && has(wanted)) {
            run.fill(false);
        }
    }
    inside
}

/// Which lines are among some lines with so many marks.
fn near(marks: &[i64], lines: usize, least: i64) -> Vec<bool> {
    let mut inside = vec![false; marks.len()];
    let mut done = 0;
    for (start, window) in marks.windows(lines.min(marks.len()).max(1)).enumerate() {
        if window.iter().sum::<i64>() >= least {
            let end = start + window.len();
            inside[done.max(start)..end].fill(true);
            done = end;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::{code_marks, passages, Dense};

    const CODE: Dense = Dense { lines: 8, least: 10, fewer: 4 };

    #[test]
    fn equals_signs_in_a_row_are_one_mark() {
        assert_eq!(code_marks(b"a === b;\n\n() ="), [2, 0, 3]);
    }

    #[test]
    fn a_passage_is_dense_somewhere_and_has_a_wanted_line() {
        let mut marks = [0; 18];
        (marks[8], marks[17]) = (12, 4);
        let mut wanted = [false; 18];
        wanted[0] = true;
        assert_eq!(passages(&marks, &wanted, CODE), [false; 18]);
        wanted[1] = true;
        assert_eq!(passages(&marks, &wanted, CODE)[..2], [false, true]);
        assert_eq!(passages(&marks, &wanted, CODE)[2..], [true; 16]);
        marks[8] = 9;
        assert_eq!(passages(&marks, &wanted, CODE), [false; 18]);
    }

    #[test]
    fn nothing_has_no_passage() {
        assert!(passages(&[], &[], CODE).is_empty());
        assert_eq!(passages(&[10], &[true], CODE), [true]);
    }
}
