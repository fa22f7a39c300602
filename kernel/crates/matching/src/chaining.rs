//! Segments → chains: one copy that was edited here and there (`winnow_ci.matching.extension`).

use std::collections::HashSet;

use super::numbers::Numbers;
use super::values::Segment;

pub type Chain = Vec<Segment>;

/// What chains may be.
pub struct Wanted {
    /// What a chain must be worth, in bits.
    pub least: f64,
    /// Number of chains at most.
    pub most: usize,
    /// The largest share of a chain that may lie in an earlier one, in the change.
    pub most_shared: f64,
}

/// Chain segments of one content, ordered by start: best chain first, a later chain lies mostly outside earlier ones.
///
/// `cumulative` are the bits of the tokens before each, `texts` what equal text adds to the worth of each segment.
pub fn chains(
    segments: &[Segment],
    cumulative: &[f64],
    texts: &[f64],
    wanted: &Wanted,
    numbers: &Numbers,
) -> Vec<Chain> {
    let (scores, previous) = scored(segments, cumulative, texts, numbers);
    let mut ends: Vec<usize> =
        (0..segments.len()).filter(|&end| scores[end] >= wanted.least).collect();
    ends.sort_by(|&one, &other| scores[other].total_cmp(&scores[one]));
    let mut used = HashSet::new();
    let mut found: Vec<Chain> = Vec::new();
    for end in ends {
        if found.len() == wanted.most {
            break;
        }
        let path = unused_path(end, &previous, &mut used);
        if path.is_empty() {
            continue;
        }
        let chain = cut(path.iter().rev().map(|&n| segments[n]));
        if found.iter().all(|other| shared(&chain, other) <= wanted.most_shared) {
            found.push(chain);
        }
    }
    found
}

/// For each segment the score of the best chain that ends with it, and its predecessor in that chain.
fn scored(
    segments: &[Segment],
    cumulative: &[f64],
    texts: &[f64],
    numbers: &Numbers,
) -> (Vec<f64>, Vec<Option<usize>>) {
    let alone =
        |own: &Segment| cumulative[own.end] - cumulative[own.end.min(own.start + numbers.context)];
    let mut scores: Vec<f64> =
        segments.iter().zip(texts).map(|(own, text)| alone(own) + text).collect();
    let mut previous = vec![None; segments.len()];
    for n in 1..segments.len() {
        for before in n.saturating_sub(numbers.look_back)..n {
            let Some(gain) = gain(&segments[before], &segments[n], cumulative, numbers) else {
                continue;
            };
            let score = scores[before] + (gain + texts[n]);
            if score > scores[n] {
                (scores[n], previous[n]) = (score, Some(before));
            }
        }
    }
    (scores, previous)
}

/// What a segment adds to a chain that ends with an earlier one; None if it cannot continue the chain.
fn gain(before: &Segment, after: &Segment, cumulative: &[f64], numbers: &Numbers) -> Option<f64> {
    let gap = after.start as i64 - before.end as i64;
    let gap_there = gap + after.diagonal - before.diagonal;
    if gap.max(gap_there) > numbers.longest_gap {
        return None;
    }
    let overlap = -gap.min(gap_there).min(0);
    let begins = (after.start + overlap as usize + numbers.context).min(after.end);
    let rises = after.start as i64 + after.diagonal > before.start as i64 + before.diagonal;
    (begins < after.end && rises)
        .then(|| cumulative[after.end] - cumulative[begins] - cost(gap, gap_there, numbers))
}

/// Cost of continuing over a gap in the change and a gap in the content.
fn cost(gap: i64, gap_there: i64, numbers: &Numbers) -> f64 {
    let (shift, longest) = ((gap_there - gap).abs(), gap.max(gap_there).max(0));
    let changes = if shift > 0 { numbers.shift_cost } else { 0.0 };
    let of_gap = numbers.gap_cost + numbers.gap_token_cost * longest as f64;
    of_gap + changes + numbers.shift_token_cost * shift as f64
}

/// The way back from a segment, up to a chain that is taken already; it is taken, too.
fn unused_path(end: usize, previous: &[Option<usize>], used: &mut HashSet<usize>) -> Vec<usize> {
    let mut path = Vec::new();
    let mut next = Some(end);
    while let Some(place) = next.filter(|&place| used.insert(place)) {
        path.push(place);
        next = previous[place];
    }
    path
}

/// The share of a chain that lies in another, in the change.
fn shared(chain: &[Segment], other: &[Segment]) -> f64 {
    let span = |one: &[Segment]| (one[0].start as f64, one[one.len() - 1].end as f64);
    let ((start, end), (other_start, other_end)) = (span(chain), span(other));
    (end.min(other_end) - start.max(other_start)) / (end - start)
}

/// Cut the later of two neighbours where they overlap in the change or in the content.
fn cut(path: impl Iterator<Item = Segment>) -> Chain {
    let mut chain: Chain = Vec::new();
    for after in path {
        let start = chain.last().map_or(after.start, |before| {
            let there = before.end as i64 + before.diagonal - after.diagonal;
            after.start.max(before.end).max(there.max(0) as usize)
        });
        if start < after.end {
            chain.push(Segment { start, ..after });
        }
    }
    chain
}
