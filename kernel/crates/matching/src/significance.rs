//! Contents that are hardly there by chance (`winnow_ci.matching.telling`).

use super::judge::SAME;
use super::phrases::MOST_OF_ALL;
use super::shared::{Shared, WeighedFile};
use super::sums::firsts;
use super::values::CONTEXT;

/// The least bits of a content that is hardly there by chance.
const SIGNIFICANT: f64 = 80.0;
/// What one k-gram says at most by its structure.
const MOST_OF_KGRAM: f64 = 30.0;
/// Tokens whose text is the same say a bit each.
pub const LEAST_OF_TEXT: f64 = 1.0;
/// Tokens from one hit of a neighbourhood to the next one at most.
const NEXT_HIT: i64 = 120;
/// Diagonals of a neighbourhood lie in a band of this width; bands overlap by half.
const HIT_BAND: i64 = 80;

/// A seed or a shared phrase.
#[derive(Clone, Copy)]
struct Hit {
    owner: usize,
    position: i64,
    diagonal: i64,
    end: i64,
    hash: u64,
    verbatim: bool,
    bits: f64,
}

/// Which contents are hardly there by chance.
pub fn is_significant(file: &WeighedFile, shared: &Shared) -> Vec<bool> {
    let mut marks: Vec<bool> = said_together(file, shared)
        .iter()
        .map(|&bits| bits >= SIGNIFICANT)
        .collect();
    for (number, &owner) in shared.owners.iter().enumerate() {
        if shared.seeds.verbatim[number] && shared.seeds.telling[number] {
            marks[owner as usize] = true;
        }
    }
    marks
}

/// What the best neighbourhood of each content says.
fn said_together(file: &WeighedFile, shared: &Shared) -> Vec<f64> {
    let mut most = vec![0.0_f64; shared.contents];
    let hits = hits(file, shared);
    let texts = file.summed_texts(SAME, LEAST_OF_TEXT);
    for shift in [0, HIT_BAND / 2] {
        let band = |hit: &Hit| (hit.diagonal + shift).div_euclid(HIT_BAND);
        let mut order = hits.clone();
        order.sort_by_cached_key(|hit| (hit.owner, band(hit), hit.position, hit.end));
        let is_near = |one: &Hit, next: &Hit| {
            (one.owner, band(one)) == (next.owner, band(next))
                && next.position - one.position <= NEXT_HIT
        };
        for neighbourhood in order.chunk_by(is_near) {
            let own = &mut most[neighbourhood[0].owner];
            *own = own.max(said(neighbourhood, file, &texts));
        }
    }
    most
}

fn hits(file: &WeighedFile, shared: &Shared) -> Vec<Hit> {
    let mut hits: Vec<Hit> = (0..shared.owners.len())
        .map(|number| Hit {
            owner: shared.owners[number] as usize,
            position: shared.seeds.positions[number],
            diagonal: shared.seeds.diagonals[number],
            end: shared.seeds.positions[number] + file.k as i64,
            hash: file.hashes[shared.seeds.positions[number] as usize],
            verbatim: shared.seeds.verbatim[number],
            bits: 0.0,
        })
        .collect();
    for (owner, phrases) in &shared.phrases {
        hits.extend((0..phrases.positions.len()).map(|number| Hit {
            owner: *owner,
            position: phrases.positions[number],
            diagonal: phrases.diagonals[number],
            end: phrases.positions[number],
            hash: phrases.hashes[number],
            verbatim: false,
            bits: phrases.bits[number],
        }));
    }
    hits
}

/// What a neighbourhood says: each token and each k-gram once.
fn said(hits: &[Hit], file: &WeighedFile, texts: &[f64]) -> f64 {
    let numbers = firsts(0..hits.len(), |number| hits[number].hash);
    let mut new = vec![0.0; hits.len()];
    for number in numbers {
        new[number] = 1.0;
    }
    let (mut reached, mut reached_text) = (0, 0);
    let (mut of_tokens, mut of_phrases) = (0.0, 0.0);
    for (hit, new) in hits.iter().zip(new) {
        let begin = reached.max(hit.position + CONTEXT as i64).min(hit.end);
        let structure = file.cumulative[hit.end as usize] - file.cumulative[begin as usize];
        let mut text = 0.0;
        if hit.verbatim {
            let begin = reached_text.max(hit.position).min(hit.end);
            text = texts[hit.end as usize] - texts[begin as usize];
            reached_text = reached_text.max(hit.end);
        }
        reached = reached.max(hit.end);
        of_tokens += new * structure.min(MOST_OF_KGRAM) + text;
        of_phrases += new * hit.bits;
    }
    of_tokens + of_phrases.min(MOST_OF_ALL)
}
