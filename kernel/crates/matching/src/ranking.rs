//! Which contents say most (`winnow_ci.matching.telling`).

use std::cmp::Ordering;

use super::numbers::Numbers;
use super::shared::{Shared, WeighedFile};
use super::sums;

/// What a k-gram or phrase of a content in a band of diagonals says.
#[derive(Clone, Copy)]
struct Said {
    owner: usize,
    band: i64,
    position: usize,
    bits: f64,
    verbatim: bool,
}

/// The numbers of the contents, those that say most first.
pub fn ranked(file: &WeighedFile, shared: &Shared) -> Vec<i64> {
    let said = distinct(said(file, shared));
    let mut total = vec![0.0; shared.contents];
    for one in &said {
        total[one.owner] += one.bits;
    }
    let verbatim: Vec<Said> = said.iter().copied().filter(|one| one.verbatim).collect();
    let (all, of_text) =
        (votes(&said, &total, file.numbers), votes(&verbatim, &total, file.numbers));
    let votes: Vec<f64> = all.iter().zip(of_text).map(|(one, two)| one + two).collect();
    let mut order: Vec<usize> = (0..shared.contents).collect();
    order.sort_by(|&one, &two| {
        falling(votes[one], votes[two]).then(falling(total[one], total[two]))
    });
    order.into_iter().map(|number| number as i64).collect()
}

fn falling(one: f64, two: f64) -> Ordering {
    two.partial_cmp(&one).unwrap_or(Ordering::Equal)
}

/// What each seed and each shared phrase says.
fn said(file: &WeighedFile, shared: &Shared) -> Vec<Said> {
    let (literals, numbers) = (file.summed_literals(), file.numbers);
    let of_seed = |number: usize| {
        let at = shared.seeds.positions[number] as usize;
        let structure = file.cumulative[at + file.k] - file.cumulative[at + numbers.context];
        let least = numbers.least_of_text * file.k as f64;
        let whole = numbers.text_gain * structure.max(least) + literals[at + file.k] - literals[at];
        let verbatim = shared.seeds.verbatim[number];
        Said {
            owner: shared.owners[number] as usize,
            band: shared.seeds.diagonals[number].div_euclid(numbers.voting_band),
            position: at,
            bits: if verbatim { whole } else { structure },
            verbatim,
        }
    };
    let mut said: Vec<Said> = (0..shared.owners.len()).map(of_seed).collect();
    for (owner, phrases) in &shared.phrases {
        said.extend((0..phrases.positions.len()).map(|number| Said {
            owner: *owner,
            band: phrases.diagonals[number].div_euclid(numbers.voting_band),
            position: phrases.positions[number] as usize,
            bits: phrases.bits[number],
            verbatim: true,
        }));
    }
    said
}

/// The best of each k-gram of a content in a band.
fn distinct(mut said: Vec<Said>) -> Vec<Said> {
    let key = |one: &Said| (one.owner, one.band, one.position);
    said.sort_by_cached_key(key);
    said.dedup_by(|next, one| {
        let is_same = key(next) == key(one);
        if is_same && next.bits > one.bits {
            *one = *next;
        }
        is_same
    });
    said
}

/// The votes of all windows, given what is said by content and band.
fn votes(said: &[Said], total: &[f64], numbers: &Numbers) -> Vec<f64> {
    let mut votes = vec![0.0; total.len()];
    for half in [0, 1] {
        let mut own = vec![0.0; total.len()];
        for voting in windows(said, half, numbers.window).iter().filter(|voting| !voting.is_empty())
        {
            let (winner, worth) = winner(voting, total, numbers.nearly);
            own[winner] += worth;
        }
        for (sum, own) in votes.iter_mut().zip(own) {
            *sum += own;
        }
    }
    votes
}

/// What is said in each window, in the order in which it is given.
fn windows(said: &[Said], half: usize, length: usize) -> Vec<Vec<Said>> {
    let mut windows = Vec::new();
    for one in said {
        let window = (one.position / (length / 2) + half) / 2;
        if windows.len() <= window {
            windows.resize(window + 1, Vec::new());
        }
        windows[window].push(*one);
    }
    windows
}

/// The content that wins a window, and the bits that it has there.
fn winner(voting: &[Said], total: &[f64], share: f64) -> (usize, f64) {
    let together = |one: &Said, next: &Said| (one.owner, one.band) == (next.owner, next.band);
    let sum = |some: &[Said]| (some[0].owner, sums::total(some.iter().map(|one| one.bits)));
    let sums: Vec<(usize, f64)> = voting.chunk_by(together).map(sum).collect();
    let best = sums.iter().map(|one| one.1).fold(f64::NEG_INFINITY, f64::max);
    let better = |one: &(usize, f64), two: &(usize, f64)| {
        let nearly = |bits: f64| bits < share * best;
        nearly(one.1)
            .cmp(&nearly(two.1))
            .then(falling(total[one.0], total[two.0]))
            .then(falling(one.1, two.1))
            .then(one.0.cmp(&two.0))
    };
    let first = |one, two| if better(&two, &one).is_lt() { two } else { one };
    sums.into_iter().reduce(first).unwrap_or_default()
}
