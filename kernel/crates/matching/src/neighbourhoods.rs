//! Segments → neighbourhoods, and everything that agrees there (`winnow_ci.matching.extension`).

use std::cmp::Reverse;

use super::numbers::Numbers;
use super::values::{Change, Segment};

/// Group segments, ordered by start, that stand near each other on both sides.
pub fn neighbourhoods(segments: Vec<Segment>, numbers: &Numbers) -> Vec<Vec<Segment>> {
    let mut groups: Vec<Vec<Segment>> = Vec::new();
    for segment in segments {
        let last = groups.iter_mut().rev().take(numbers.groups_compared);
        let near = |group: &&mut Vec<Segment>| {
            group
                .iter()
                .rev()
                .take(numbers.groups_compared)
                .any(|other| is_near(&segment, other, numbers))
        };
        match { last }.find(near) {
            Some(group) => group.push(segment),
            None => groups.push(vec![segment]),
        }
    }
    groups
}

fn is_near(segment: &Segment, other: &Segment, numbers: &Numbers) -> bool {
    segment.start <= other.end + numbers.near
        && (segment.diagonal - other.diagonal).abs() <= numbers.band
}

/// All runs of at least `shortest` classes that are equal in a neighbourhood, ordered by start, without seeds.
///
/// `there` are the classes of the content, and `group` has a segment at least.
pub fn runs_around(change: &Change, there: &[u8], group: &[Segment]) -> Vec<Segment> {
    let (here, cumulative, numbers) = (&change.classes, change.cumulative, change.numbers);
    let area = Area::of(group, here.len(), numbers);
    let mut found = Vec::new();
    let lowest = area.diagonals[0] - numbers.band;
    let highest =
        (area.diagonals[area.diagonals.len() - 1] + numbers.band).min(lowest + numbers.widest - 1);
    for diagonal in lowest..=highest {
        let is_aside = area.diagonals.binary_search(&diagonal).is_err();
        each_run(here, there, &area, diagonal, |run| {
            let worth = cumulative[run.end] - cumulative[run.end.min(run.start + numbers.context)];
            if !is_aside || worth >= numbers.least_aside {
                found.push(run);
            }
        });
    }
    found.sort_by_key(|run| Reverse(run.len()));
    found.truncate(numbers.most_runs);
    found.sort_unstable();
    found
}

/// Tokens of the change that are searched, and the diagonals of the segments there, which are rising.
struct Area {
    start: usize,
    end: usize,
    diagonals: Vec<i64>,
    /// The length of the shortest run.
    shortest: usize,
}

impl Area {
    fn of(group: &[Segment], tokens: usize, numbers: &Numbers) -> Self {
        let start = group
            .iter()
            .map(|segment| segment.start)
            .min()
            .unwrap_or(0)
            .saturating_sub(numbers.reach);
        let end = group.iter().map(|segment| segment.end).max().unwrap_or(0) + numbers.reach;
        let mut diagonals: Vec<i64> = group.iter().map(|segment| segment.diagonal).collect();
        diagonals.sort_unstable();
        diagonals.dedup();
        Self {
            start,
            end: tokens.min(end).min(start + numbers.largest),
            diagonals,
            shortest: numbers.shortest,
        }
    }
}

/// Tell the runs of one diagonal.
fn each_run(here: &[u8], there: &[u8], area: &Area, diagonal: i64, mut tell: impl FnMut(Segment)) {
    let start = (area.start as i64).max(-diagonal);
    let end = (area.end as i64).min(there.len() as i64 - diagonal);
    let shortest = area.shortest;
    if end - start < shortest as i64 {
        return;
    }
    let first = start as usize;
    let here = &here[first..end as usize];
    let there = &there[(start + diagonal) as usize..(end + diagonal) as usize];
    let mut from = 0;
    while let Some(at) = next_run(here, there, from, shortest) {
        let more = here[at + shortest..].iter().zip(&there[at + shortest..]);
        let length = shortest + more.take_while(|(one, other)| one == other).count();
        tell(Segment { start: first + at, end: first + at + length, diagonal, seeds: 0 });
        from = at + length + 1;
    }
}

/// Where the next run of `shortest` equal tokens begins.
///
/// It looks at sixteen tokens in one step, as bytes of a number: most have no run. Near the end it looks at `shortest`
/// tokens, the last one first: if that differs, no run goes over it.
fn next_run(here: &[u8], there: &[u8], mut from: usize, shortest: usize) -> Option<usize> {
    while let (Some(some), Some(others)) = (here.get(from..from + 16), there.get(from..from + 16)) {
        let mut equal = [0; 16];
        for (mark, (one, other)) in equal.iter_mut().zip(some.iter().zip(others)) {
            *mark = if one == other { u8::MAX } else { 0 };
        }
        // Runs of one token become runs of two, four and so on, up to the shortest that is wanted.
        let (mut runs, mut length) = (u128::from_le_bytes(equal), 1);
        while length < shortest {
            let more = length.min(shortest - length);
            runs &= runs >> (8 * more);
            length += more;
        }
        if runs != 0 {
            return Some(from + runs.trailing_zeros() as usize / 8);
        }
        // The last of the sixteen may begin a run.
        from += 16 - (shortest - 1);
    }
    while let (Some(some), Some(others)) =
        (here.get(from..from + shortest), there.get(from..from + shortest))
    {
        let mut pairs = some.iter().zip(others);
        match pairs.rposition(|(one, other)| one != other) {
            Some(differs) => from += differs + 1,
            None => return Some(from),
        }
    }
    None
}
