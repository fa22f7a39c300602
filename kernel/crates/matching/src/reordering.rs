//! Blocks of one copy in another order (`winnow_ci.matching.judge`).

use std::collections::VecDeque;
use std::ops::Range;

use super::candidate::Candidate;
use super::numbers::Numbers;
use super::values::Segment;

/// Join candidates of one content that are blocks of one copy: best first, each with its score.
pub fn joined(
    candidates: Vec<Candidate>,
    score: impl Fn(&Candidate) -> f64,
    candidate: impl Fn(Vec<Segment>) -> Candidate,
    numbers: &Numbers,
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
        while next < left.len()
            && looked < numbers.most_candidates
            && most + left[next].1 >= numbers.least_together
        {
            looked += 1;
            let better = together(&best, &left[next].0, numbers)
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
fn together(best: &Candidate, other: &Candidate, numbers: &Numbers) -> Option<Vec<Segment>> {
    if is_apart(&best.span(), &other.span(), numbers.apart)
        || is_apart(&best.span_there(), &other.span_there(), numbers.apart_there)
    {
        return None;
    }
    let (chance, mut parts): (Vec<Segment>, Vec<Segment>) = best
        .segments
        .iter()
        .partition(|&part| other.segments.iter().any(|one| is_chance(part, one, numbers.longer)));
    let added = all_beside(&other.segments, &parts, numbers.shortest);
    if added.iter().map(Segment::len).sum::<usize>() < numbers.least_block {
        return None;
    }
    let left = all_beside(&chance, &added, numbers.shortest);
    parts.extend(added);
    parts.extend(left);
    parts.sort_unstable();
    Some(parts)
}

/// Whether a segment stands, in the change, in one that is so many times as long.
fn is_chance(segment: &Segment, other: &Segment, longer: usize) -> bool {
    segment.start < other.end && other.start < segment.end && longer * segment.len() <= other.len()
}

fn all_beside(segments: &[Segment], taken: &[Segment], shortest: usize) -> Vec<Segment> {
    segments.iter().filter_map(|part| beside(part, taken, shortest)).collect()
}

fn is_apart(one: &Range<usize>, other: &Range<usize>, most: usize) -> bool {
    one.start > other.end + most || other.start > one.end + most
}

/// What is left of a segment beside others, on both sides; None if that is too little.
fn beside(segment: &Segment, taken: &[Segment], shortest: usize) -> Option<Segment> {
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
    (end - start >= shortest as i64).then_some(Segment {
        start: start as usize,
        end: end as usize,
        ..*segment
    })
}
