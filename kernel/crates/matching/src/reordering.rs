//! Blocks of one copy in another order (`winnow_ci.matching.chaining`).

use std::collections::VecDeque;
use std::ops::Range;

use super::candidate::Candidate;
use super::neighbourhoods::SHORTEST;
use super::values::Segment;

/// Most tokens between two blocks of one copy, in the change and in the content.
const APART: usize = 60;
const APART_THERE: usize = 120;
/// A block of fewer tokens is chance, and so are two blocks worth less than this together, in bits.
const LEAST_BLOCK: usize = 12;
const LEAST_TOGETHER: f64 = 24.0;
/// A run is chance beside one that is so many times as long.
const LONGER: usize = 3;
/// Bounds the work for hostile input.
const MOST_CANDIDATES: usize = 12;

/// Join candidates of one content that are blocks of one copy: best first, each with its score.
pub fn joined(
    candidates: Vec<Candidate>,
    score: impl Fn(&Candidate) -> f64,
    candidate: impl Fn(Vec<Segment>) -> Candidate,
) -> Vec<(Candidate, f64)> {
    let mut scored: Vec<(Candidate, f64)> = candidates
        .into_iter()
        .map(|one| (score(&one), one))
        .map(|(bits, one)| (one, bits))
        .collect();
    scored.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut left = VecDeque::from(scored);
    let mut done = Vec::new();
    while let Some((mut best, mut most)) = left.pop_front() {
        // Which of the others have been looked at, and are left.
        let (mut looked, mut next) = (0, 0);
        while next < left.len() && looked < MOST_CANDIDATES && most + left[next].1 >= LEAST_TOGETHER
        {
            looked += 1;
            let better = together(&best, &left[next].0)
                .map(&candidate)
                .map(|one| (score(&one), one));
            match better.filter(|&(more, _)| more > most) {
                Some((more, one)) => {
                    (best, most) = (one, more);
                    left.remove(next);
                }
                None => next += 1,
            }
        }
        done.push((best, most));
    }
    done
}

/// The segments of both, cut where they overlap; None if the candidates are not near each other.
fn together(best: &Candidate, other: &Candidate) -> Option<Vec<Segment>> {
    if is_apart(&best.span(), &other.span(), APART)
        || is_apart(&best.span_there(), &other.span_there(), APART_THERE)
    {
        return None;
    }
    let (chance, mut parts): (Vec<Segment>, Vec<Segment>) = best
        .segments
        .iter()
        .partition(|&part| other.segments.iter().any(|one| is_chance(part, one)));
    let added = all_beside(&other.segments, &parts);
    if added.iter().map(Segment::len).sum::<usize>() < LEAST_BLOCK {
        return None;
    }
    let left = all_beside(&chance, &added);
    parts.extend(added);
    parts.extend(left);
    parts.sort_unstable();
    Some(parts)
}

/// Whether a segment stands, in the change, in a much longer one.
fn is_chance(segment: &Segment, other: &Segment) -> bool {
    segment.start < other.end && other.start < segment.end && LONGER * segment.len() <= other.len()
}

fn all_beside(segments: &[Segment], taken: &[Segment]) -> Vec<Segment> {
    segments
        .iter()
        .filter_map(|part| beside(part, taken))
        .collect()
}

fn is_apart(one: &Range<usize>, other: &Range<usize>, most: usize) -> bool {
    one.start > other.end + most || other.start > one.end + most
}

/// What is left of a segment beside others, on both sides; None if that is too little.
fn beside(segment: &Segment, taken: &[Segment]) -> Option<Segment> {
    let (mut start, mut end) = (segment.start as i64, segment.end as i64);
    for other in taken {
        let shift = other.diagonal - segment.diagonal;
        for (low, high) in [
            (other.start as i64, other.end as i64),
            (other.start as i64 + shift, other.end as i64 + shift),
        ] {
            if low <= start && start < high {
                start = high;
            } else if start < low && low < end {
                end = low;
            }
        }
    }
    (end - start >= SHORTEST as i64).then_some(Segment {
        start: start as usize,
        end: end as usize,
        ..*segment
    })
}
