//! Sums of bits, and the first of each key.

/// The sum of bits, which are whole steps: exact in any order.
pub fn total(bits: impl Iterator<Item = f64>) -> f64 {
    // An empty `sum` would be -0.0.
    bits.fold(0.0, |so_far, one| so_far + one)
}

/// The elements of which each has another key, the first of each key, by rising key.
pub fn firsts<T: Copy>(values: impl Iterator<Item = T>, key: impl Fn(T) -> u64) -> Vec<T> {
    let mut keyed: Vec<(u64, u32, T)> =
        values.enumerate().map(|(n, one)| (key(one), n as u32, one)).collect();
    keyed.sort_unstable_by_key(|&(key, number, _)| (key, number));
    keyed.dedup_by_key(|&mut (key, ..)| key);
    keyed.into_iter().map(|(.., one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::firsts;

    #[test]
    fn firsts_are_by_key_and_the_first_of_each() {
        assert_eq!(
            firsts([(3, 'a'), (1, 'b'), (3, 'c'), (1, 'd')].into_iter(), |one| one.0),
            [(1, 'b'), (3, 'a')]
        );
    }
}
