//! Chance tokens, and chance segments, at the ends of a copy (`winnow_ci.matching.trimming`).

use super::values::Segment;

/// At most this many tokens, if they are at most half of their line, may be there by chance.
pub const MOST_STRAY: usize = 8;
/// More lines than these without a token divide a segment, for the question whether its end belongs to the copy.
const MOST_EMPTY: i32 = 3;
/// What a segment at an end has to say, in bits: at least, and more for each line between it and the next one.
const LEAST_END: f64 = 8.0;
const EACH_LINE: f64 = 1.5;
/// What each break between several such segments takes off.
const EACH_BREAK: f64 = 2.0;

/// Cut segments, ordered by start, at both ends that say too little for their distance from the rest.
///
/// `lines` and `lines_there` are the lines of the tokens of both sides, `worth` tells what a segment says, in bits.
pub fn without_loose_ends(
    parts: &[Segment],
    lines: &[i32],
    lines_there: &[i32],
    worth: impl Fn(&Segment) -> f64,
) -> Vec<Segment> {
    let mut kept: Vec<Segment> = parts
        .iter()
        .flat_map(|part| pieces(part, lines, lines_there))
        .collect();
    kept.reverse();
    kept.drain(..loose(&kept, lines, &worth));
    kept.reverse();
    kept.drain(..loose(&kept, lines, &worth));
    merged(kept)
}

/// How many of the first segments say too little together for their distance from the next one.
fn loose(parts: &[Segment], lines: &[i32], worth: impl Fn(&Segment) -> f64) -> usize {
    let (mut loose, mut said) = (0, 0.0);
    for (number, pair) in (1..).zip(parts.windows(2)) {
        said += worth(&pair[0]) - if number > 1 { EACH_BREAK } else { 0.0 };
        if said < LEAST_END + EACH_LINE * f64::from(lines_between(&pair[0], &pair[1], lines)) {
            loose = number;
        }
    }
    loose
}

/// A segment, cut where more than a few lines without tokens lie in it, and not as many in the source.
fn pieces(part: &Segment, lines: &[i32], lines_there: &[i32]) -> Vec<Segment> {
    let (here, there) = (&lines[part.here()], &lines_there[part.there()]);
    let mut found = Vec::new();
    let mut start = part.start;
    for (end, (one, other)) in (part.start + 1..).zip(here.windows(2).zip(there.windows(2))) {
        let (step, step_there) = (one[1].wrapping_sub(one[0]), other[1].wrapping_sub(other[0]));
        if step > MOST_EMPTY && step != step_there {
            found.push(Segment {
                start,
                end,
                ..*part
            });
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

/// Cut tokens that are a small part of their line off both ends of each block of a copy.
///
/// `parts` are ordered by start; a block ends where the next segment stands earlier in the source. A segment is not cut
/// below `least` tokens.
pub fn without_stray_ends(parts: &[Segment], lines: &[i32], least: usize) -> Vec<Segment> {
    let mut trimmed = parts.to_vec();
    for block in trimmed.chunk_by_mut(|one, other| other.there().start >= one.there().start) {
        trim(block, lines, least as i64);
    }
    trimmed
}

fn trim(block: &mut [Segment], lines: &[i32], least: i64) {
    if let Some(last) = block.last_mut() {
        let end = last.end - stray(lines, last.end - 1, true);
        if end as i64 - last.start as i64 >= least {
            last.end = end;
        }
    }
    if let Some(first) = block.first_mut() {
        let start = first.start + stray(lines, first.start, false);
        if first.end as i64 - start as i64 >= least {
            first.start = start;
        }
    }
}

/// How many tokens of its line begin or end with this token, if they are at most half of the line; else 0.
fn stray(lines: &[i32], token: usize, before: bool) -> usize {
    let line = lines[token];
    let start = lines.partition_point(|&other| other < line);
    let end = lines.partition_point(|&other| other <= line);
    let count = if before {
        token + 1 - start
    } else {
        end - token
    };
    if count <= MOST_STRAY && 2 * count <= end - start {
        count
    } else {
        0
    }
}
