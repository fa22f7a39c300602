//! Contents that are hardly there by chance (`winnow_ci.matching.telling`).

use super::shared::{Shared, WeighedFile};
use super::sums::firsts;

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
    let mut marks: Vec<bool> =
        said_together(file, shared).iter().map(|&bits| bits >= file.numbers.significant).collect();
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
    let (hits, numbers) = (hits(file, shared), file.numbers);
    let width = numbers.hit_band;
    let texts = file.summed_texts();
    for shift in [0, width / 2] {
        let band = |hit: &Hit| (hit.diagonal + shift).div_euclid(width);
        let mut order = hits.clone();
        order.sort_by_cached_key(|hit| (hit.owner, band(hit), hit.position, hit.end));
        let is_near = |one: &Hit, next: &Hit| {
            (one.owner, band(one)) == (next.owner, band(next))
                && next.position - one.position <= numbers.next_hit
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
        let begin = reached.max(hit.position + file.numbers.context as i64).min(hit.end);
        let structure = file.cumulative[hit.end as usize] - file.cumulative[begin as usize];
        let mut text = 0.0;
        if hit.verbatim {
            let begin = reached_text.max(hit.position).min(hit.end);
            text = texts[hit.end as usize] - texts[begin as usize];
            reached_text = reached_text.max(hit.end);
        }
        reached = reached.max(hit.end);
        of_tokens += new * structure.min(file.numbers.most_of_kgram) + text;
        of_phrases += new * hit.bits;
    }
    of_tokens + of_phrases.min(file.numbers.most_of_all)
}
