//! What an index keeps of a document (`winnow_ci.fingerprint`, whose results these are).

use super::kgrams::{checks, kgram_hashes};
use super::phrases::{kept, numbered};
use super::selection::{selected, Numbers};

/// A document: the ids of its tokens, of which it has as many of both, and its phrases with the tokens that they are at.
pub struct Document<'a> {
    pub structural: &'a [u64],
    pub verbatim: &'a [u64],
    pub phrases: &'a [u64],
    pub positions: &'a [i32],
}

/// Which of its k-grams are kept; all of them and all phrases, if there is no scheme.
pub struct Selection<'a> {
    pub k: usize,
    pub w: usize,
    pub scheme: Option<&'a str>,
    pub numbers: Numbers,
    /// How many of the phrases at one token are kept, the lines of a long comment.
    pub lines_at_one: usize,
    /// Marks the position of a phrase.
    pub phrase: u32,
}

/// Columns of fingerprints.
pub struct Fingerprints {
    pub hashes: Vec<u64>,
    pub checks: Vec<u32>,
    pub positions: Vec<u32>,
}

/// The selected k-grams of a document, and its phrases; none if the scheme is not known here.
pub fn index_fingerprints(document: &Document, selection: &Selection) -> Option<Fingerprints> {
    let (k, ids) = (selection.k, document.structural);
    let all = kgram_hashes(ids, k);
    let places = match selection.scheme {
        Some(scheme) => selected(&all, selection.w, scheme, ids, &selection.numbers)?,
        None => (0..all.len()).collect(),
    };
    let mut found = Fingerprints {
        hashes: places.iter().map(|&place| all[place]).collect(),
        checks: checks(document.verbatim, k, places.iter().copied()),
        positions: places.iter().map(|&place| place as u32).collect(),
    };
    if !places.is_empty() {
        let own = numbered(document.phrases, document.positions);
        let own = if selection.scheme.is_some() { kept(own, selection.lines_at_one) } else { own };
        for phrase in own {
            found.hashes.push(phrase.hash);
            found.checks.push(0);
            found.positions.push(phrase.position as u32 + selection.phrase);
        }
    }
    Some(found)
}
