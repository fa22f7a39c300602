//! Which phrases of a document an index keeps (`winnow_ci.fingerprint` defines them).

/// A phrase: where it stands, its hash, and its number, which keeps equal ones in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Phrase {
    pub position: i32,
    pub hash: u64,
    pub number: usize,
}

/// The phrases of a document, given their hashes and positions.
pub fn numbered(hashes: &[u64], positions: &[i32]) -> Vec<Phrase> {
    (hashes.iter().zip(positions).enumerate())
        .map(|(number, (&hash, &position))| Phrase { position, hash, number })
        .collect()
}

/// Those that an index keeps: of each token so many phrases of least hash, of each phrase the first and the last place.
pub fn kept(mut phrases: Vec<Phrase>, at_one: usize) -> Vec<Phrase> {
    phrases.sort_unstable();
    let mut least: Vec<Phrase> = (0..phrases.len())
        .filter(|&n| n < at_one || phrases[n - at_one].position != phrases[n].position)
        .map(|n| phrases[n])
        .collect();
    least.sort_unstable_by_key(|one| (one.hash, one.position, one.number));
    let differ =
        |one: Option<&Phrase>, other: &Phrase| one.is_none_or(|one| one.hash != other.hash);
    let mut outermost: Vec<Phrase> = (0..least.len())
        .filter(|&n| {
            differ(n.checked_sub(1).map(|n| &least[n]), &least[n])
                || differ(least.get(n + 1), &least[n])
        })
        .map(|n| least[n])
        .collect();
    outermost.sort_unstable_by_key(|one| one.number);
    outermost
}
