//! Which k-grams become fingerprints (`winnow_ci.winnowing.schemes` defines the schemes).
//!
//! The least hash of every window comes from two runs of minima, one back from each w-th place and one on from it (van
//! Herk 1992): a few steps a hash, whatever w and the hashes are.

use super::kgrams::kgram_hashes;

/// What the schemes need to know beside the length of a window.
#[derive(Clone, Copy)]
pub struct Numbers {
    /// Windows in which anchors are chosen, in k-grams.
    pub anchored: usize,
    /// The least length of the t-grams of mod-minimizers.
    pub shortest_gram: usize,
    /// How many k-grams `bottom-s` selects.
    pub bottom: usize,
}

/// Rising places of the selected k-grams; None if this kernel does not know the scheme.
///
/// `ids` are the tokens of the k-grams, and `w`, the length of a window, is at least 1.
pub fn selected(
    hashes: &[u64],
    w: usize,
    scheme: &str,
    ids: &[u64],
    numbers: &Numbers,
) -> Option<Vec<usize>> {
    if hashes.is_empty() {
        return Some(Vec::new());
    }
    let w = w.min(hashes.len());
    match scheme {
        "anchored" => Some(anchored(hashes, w, numbers.anchored)),
        "winnowing" => Some(winnowing(hashes, w)),
        "robust" => Some(robust(hashes, w)),
        "mod-minimizer" => Some(mod_minimizer(hashes, w, ids, numbers.shortest_gram)),
        "mod-p" => Some(mod_p(hashes, w)),
        "bottom-s" => Some(bottom_s(hashes, numbers.bottom)),
        _ => None,
    }
}

/// Every w-th k-gram from each anchor on, and before the first.
fn anchored(hashes: &[u64], w: usize, window: usize) -> Vec<usize> {
    let anchors = robust(hashes, window.max(w).min(hashes.len()));
    let mut chosen = Vec::with_capacity(hashes.len() / w + anchors.len() + 1);
    let mut start = anchors[0] % w;
    for end in anchors.into_iter().chain([hashes.len()]) {
        chosen.extend((start..end).step_by(w));
        start = end;
    }
    chosen
}

/// The rightmost minimum of each window.
fn winnowing(hashes: &[u64], w: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    each_rightmost_minimum(hashes, w, |_, minimum| {
        if chosen.last() != Some(&minimum) {
            chosen.push(minimum);
        }
    });
    chosen
}

/// The same, but the choice of the window before is kept while it is a minimum of this one.
fn robust(hashes: &[u64], w: usize) -> Vec<usize> {
    let mut chosen = Thinned::new(hashes);
    each_rightmost_minimum(hashes, w, |window, minimum| chosen.add(window, minimum));
    chosen.places
}

/// By the smallest t-gram of each window.
fn mod_minimizer(hashes: &[u64], w: usize, ids: &[u64], shortest: usize) -> Vec<usize> {
    let k = ids.len() - hashes.len() + 1;
    let shortest = shortest.min(k);
    let t = shortest + (k - shortest) % w;
    let mut chosen = Thinned::new(hashes);
    each_rightmost_minimum(&kgram_hashes(ids, t), w + k - t, |window, smallest| {
        chosen.add(window, window + (smallest - window) % w);
    });
    chosen.places
}

/// The hashes that are 0 modulo (w + 1) / 2.
fn mod_p(hashes: &[u64], w: usize) -> Vec<usize> {
    let p = w.div_ceil(2) as u64;
    (0..hashes.len()).filter(|&place| hashes[place] % p == 0).collect()
}

/// The first place of each of the smallest distinct hashes.
fn bottom_s(hashes: &[u64], most: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..hashes.len()).collect();
    places.sort_unstable_by_key(|&place| (hashes[place], place));
    places.dedup_by_key(|place| hashes[*place]);
    places.truncate(most);
    places.sort_unstable();
    places
}

/// Choices of windows, without those of a window that still holds the choice before, if that has the same hash.
struct Thinned<'a> {
    hashes: &'a [u64],
    places: Vec<usize>,
}

impl<'a> Thinned<'a> {
    fn new(hashes: &'a [u64]) -> Self {
        Self { hashes, places: Vec::new() }
    }

    fn add(&mut self, window: usize, choice: usize) {
        let is_held = |&last: &usize| last >= window && self.hashes[last] == self.hashes[choice];
        if !self.places.last().is_some_and(is_held) {
            self.places.push(choice);
        }
    }
}

/// Tell the first place of each window of `w` hashes, 1 ≤ w ≤ their number, and the place of its rightmost minimum.
fn each_rightmost_minimum(hashes: &[u64], w: usize, mut tell: impl FnMut(usize, usize)) {
    let windows = hashes.len() + 1 - w;
    // Of each place of a stretch of w: the rightmost minimum from there to the end of the stretch.
    let mut backward = vec![0; w];
    for stretch in (0..windows).step_by(w) {
        let next = stretch + w;
        backward[w - 1] = next - 1;
        for place in (0..w - 1).rev() {
            let after = backward[place + 1];
            backward[place] =
                if hashes[stretch + place] < hashes[after] { stretch + place } else { after };
        }
        let mut forward = backward[0];
        tell(stretch, forward);
        for window in stretch + 1..next.min(windows) {
            let entered = window + w - 1;
            forward = if entered == next || hashes[entered] <= hashes[forward] {
                entered
            } else {
                forward
            };
            let before = backward[window - stretch];
            tell(window, if hashes[forward] <= hashes[before] { forward } else { before });
        }
    }
}
