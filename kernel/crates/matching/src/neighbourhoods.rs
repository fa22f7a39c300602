//! Segments → neighbourhoods, and everything that agrees there (`winnow_ci.matching.extension`).

use std::cmp::Reverse;

use super::values::{Segment, CONTEXT};

/// Largest distance between segments of one neighbourhood in tokens, and between their diagonals.
const NEAR: usize = 200;
const BAND: i64 = 40;
/// Tokens searched before and after a neighbourhood.
const REACH: usize = 120;
/// A shorter run is chance; off the diagonals of the seeds, so is a run that says less.
pub const SHORTEST: usize = 5;
const LEAST_ASIDE: f64 = 4.0;
/// Bounds of the work for hostile input.
const LARGEST: usize = 6000;
const WIDEST: i64 = 280;
const MOST_RUNS: usize = 400;
const GROUPS_COMPARED: usize = 6;

/// Group segments, ordered by start, that stand near each other on both sides.
pub fn neighbourhoods(segments: Vec<Segment>) -> Vec<Vec<Segment>> {
    let mut groups: Vec<Vec<Segment>> = Vec::new();
    for segment in segments {
        let last = groups.iter_mut().rev().take(GROUPS_COMPARED);
        let near = |group: &&mut Vec<Segment>| {
            group
                .iter()
                .rev()
                .take(GROUPS_COMPARED)
                .any(|other| is_near(&segment, other))
        };
        match { last }.find(near) {
            Some(group) => group.push(segment),
            None => groups.push(vec![segment]),
        }
    }
    groups
}

fn is_near(segment: &Segment, other: &Segment) -> bool {
    segment.start <= other.end + NEAR && (segment.diagonal - other.diagonal).abs() <= BAND
}

/// All runs of at least `SHORTEST` equal tokens in a neighbourhood, ordered by start, without seeds.
///
/// `here` and `there` are what is compared of each token, `group` has a segment at least, and `cumulative` are the bits of
/// the tokens before each.
pub fn runs_around(
    here: &[u8],
    there: &[u8],
    group: &[Segment],
    cumulative: &[f64],
) -> Vec<Segment> {
    let area = Area::of(group, here.len());
    let mut found = Vec::new();
    let lowest = area.diagonals[0] - BAND;
    let highest = (area.diagonals[area.diagonals.len() - 1] + BAND).min(lowest + WIDEST - 1);
    for diagonal in lowest..=highest {
        let is_aside = area.diagonals.binary_search(&diagonal).is_err();
        each_run(here, there, &area, diagonal, |run| {
            let worth = cumulative[run.end] - cumulative[run.end.min(run.start + CONTEXT)];
            if !is_aside || worth >= LEAST_ASIDE {
                found.push(run);
            }
        });
    }
    found.sort_by_key(|run| Reverse(run.len()));
    found.truncate(MOST_RUNS);
    found.sort_unstable();
    found
}

/// Tokens of the change that are searched, and the diagonals of the segments there, which are rising.
struct Area {
    start: usize,
    end: usize,
    diagonals: Vec<i64>,
}

impl Area {
    fn of(group: &[Segment], tokens: usize) -> Self {
        let start = group
            .iter()
            .map(|segment| segment.start)
            .min()
            .unwrap_or(0)
            .saturating_sub(REACH);
        let end = group.iter().map(|segment| segment.end).max().unwrap_or(0) + REACH;
        let mut diagonals: Vec<i64> = group.iter().map(|segment| segment.diagonal).collect();
        diagonals.sort_unstable();
        diagonals.dedup();
        Self {
            start,
            end: tokens.min(end).min(start + LARGEST),
            diagonals,
        }
    }
}

/// Tell the runs of one diagonal.
fn each_run(here: &[u8], there: &[u8], area: &Area, diagonal: i64, mut tell: impl FnMut(Segment)) {
    let start = (area.start as i64).max(-diagonal);
    let end = (area.end as i64).min(there.len() as i64 - diagonal);
    if end - start < SHORTEST as i64 {
        return;
    }
    let first = start as usize;
    let here = &here[first..end as usize];
    let there = &there[(start + diagonal) as usize..(end + diagonal) as usize];
    let mut from = 0;
    while let Some(at) = next_run(here, there, from) {
        let more = here[at + SHORTEST..].iter().zip(&there[at + SHORTEST..]);
        let length = SHORTEST + more.take_while(|(one, other)| one == other).count();
        tell(Segment {
            start: first + at,
            end: first + at + length,
            diagonal,
            seeds: 0,
        });
        from = at + length + 1;
    }
}

const _: () = assert!(SHORTEST == 5, "next_run looks for five in a row");

/// Where the next run of `SHORTEST` equal tokens begins.
///
/// It looks at sixteen tokens in one step, as bytes of a number: most have no run. Near the end it looks at `SHORTEST`
/// tokens, the last one first: if that differs, no run goes over it.
fn next_run(here: &[u8], there: &[u8], mut from: usize) -> Option<usize> {
    while let (Some(some), Some(others)) = (here.get(from..from + 16), there.get(from..from + 16)) {
        let mut equal = [0; 16];
        for (mark, (one, other)) in equal.iter_mut().zip(some.iter().zip(others)) {
            *mark = if one == other { u8::MAX } else { 0 };
        }
        let ones = u128::from_le_bytes(equal);
        let twos = ones & ones >> 8;
        // Five in a row: a pair, the pair two further on, and one more.
        let runs = twos & twos >> 16 & ones >> 32;
        if runs != 0 {
            return Some(from + runs.trailing_zeros() as usize / 8);
        }
        // The last of the sixteen may begin a run.
        from += 16 - (SHORTEST - 1);
    }
    while let (Some(some), Some(others)) = (
        here.get(from..from + SHORTEST),
        there.get(from..from + SHORTEST),
    ) {
        let mut pairs = some.iter().zip(others);
        match pairs.rposition(|(one, other)| one != other) {
            Some(differs) => from += differs + 1,
            None => return Some(from),
        }
    }
    None
}
