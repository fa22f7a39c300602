//! Chance tokens, and chance segments, at the ends of a copy (`winnow_ci.matching.extension`).

use super::numbers::Numbers;
use super::values::Segment;

/// Cut segments, ordered by start, at both ends that say too little for their distance from the rest.
///
/// `lines` and `lines_there` are the lines of the tokens of both sides, `worth` tells what a segment says, in bits.
pub fn without_loose_ends(
    parts: &[Segment],
    lines: &[i32],
    lines_there: &[i32],
    worth: impl Fn(&Segment) -> f64,
    numbers: &Numbers,
) -> Vec<Segment> {
    let mut kept: Vec<Segment> = parts
        .iter()
        .flat_map(|part| pieces(part, lines, lines_there, numbers.most_empty))
        .collect();
    kept.reverse();
    kept.drain(..loose(&kept, lines, &worth, numbers));
    kept.reverse();
    kept.drain(..loose(&kept, lines, &worth, numbers));
    merged(kept)
}

/// How many of the first segments say too little together for their distance from the next one.
fn loose(
    parts: &[Segment],
    lines: &[i32],
    worth: impl Fn(&Segment) -> f64,
    numbers: &Numbers,
) -> usize {
    let (mut loose, mut said) = (0, 0.0);
    for (number, pair) in (1..).zip(parts.windows(2)) {
        let each_break = if number > 1 { numbers.each_break } else { 0.0 };
        let between = f64::from(lines_between(&pair[0], &pair[1], lines));
        said += worth(&pair[0]) - each_break;
        if said < numbers.least_end + numbers.each_line * between {
            loose = number;
        }
    }
    loose
}

/// A segment, cut where more than a few lines without tokens lie in it, and not as many in the source.
fn pieces(part: &Segment, lines: &[i32], lines_there: &[i32], most_empty: i32) -> Vec<Segment> {
    let (here, there) = (&lines[part.here()], &lines_there[part.there()]);
    let mut found = Vec::new();
    let mut start = part.start;
    for (end, (one, other)) in (part.start + 1..).zip(here.windows(2).zip(there.windows(2))) {
        let (step, step_there) = (one[1].wrapping_sub(one[0]), other[1].wrapping_sub(other[0]));
        if step > most_empty && step != step_there {
            found.push(Segment { start, end, ..*part });
            start = end;
        }
    }
    found.push(Segment { start, ..*part });
    found
}

/// Segments, in one where one goes on with the other.
fn merged(parts: Vec<Segment>) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    for part in parts {
        match found
            .last_mut()
            .filter(|last| (last.end, last.diagonal) == (part.start, part.diagonal))
        {
            Some(last) => last.end = part.end,
            None => found.push(part),
        }
    }
    found
}

fn lines_between(one: &Segment, other: &Segment, lines: &[i32]) -> i32 {
    let (before, after) = (one.min(other), one.max(other));
    (lines[after.start] - lines[before.end - 1] - 1).max(0)
}

/// Cut tokens that are a small part of their line, at most so many, off both ends of each block of a copy.
///
/// `parts` are ordered by start; a block ends where the next segment stands earlier in the source. A segment is not cut
/// below `least` tokens.
pub fn without_stray_ends(
    parts: &[Segment],
    lines: &[i32],
    least: usize,
    most: usize,
) -> Vec<Segment> {
    let mut trimmed = parts.to_vec();
    for block in trimmed.chunk_by_mut(|one, other| other.there().start >= one.there().start) {
        trim(block, lines, least as i64, most);
    }
    trimmed
}

fn trim(block: &mut [Segment], lines: &[i32], least: i64, most: usize) {
    if let Some(last) = block.last_mut() {
        let end = last.end - stray(lines, last.end - 1, true, most);
        if end as i64 - last.start as i64 >= least {
            last.end = end;
        }
    }
    if let Some(first) = block.first_mut() {
        let start = first.start + stray(lines, first.start, false, most);
        if first.end as i64 - start as i64 >= least {
            first.start = start;
        }
    }
}

/// How many tokens of its line begin or end with this token, if they are at most half of the line; else 0.
fn stray(lines: &[i32], token: usize, before: bool, most: usize) -> usize {
    let line = lines[token];
    let start = lines.partition_point(|&other| other < line);
    let end = lines.partition_point(|&other| other <= line);
    let count = if before { token + 1 - start } else { end - token };
    if count <= most && 2 * count <= end - start {
        count
    } else {
        0
    }
}
