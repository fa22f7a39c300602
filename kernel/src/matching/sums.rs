//! Sums and firsts as NumPy forms them, to the last bit.

/// The sum of an array: pairs of halves of more than 128 elements, below that eight sums side by side.
pub fn sum(values: &[f64]) -> f64 {
    if values.len() < 8 {
        return values.iter().fold(0.0, |so_far, value| so_far + value);
    }
    if values.len() > 128 {
        let half = values.len() / 2;
        let (first, second) = values.split_at(half - half % 8);
        return sum(first) + sum(second);
    }
    let mut lanes = [0.0; 8];
    lanes.copy_from_slice(&values[..8]);
    let eights = values[8..].chunks_exact(8);
    let rest = eights.remainder();
    for eight in eights {
        for (lane, value) in lanes.iter_mut().zip(eight) {
            *lane += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    rest.iter().fold(
        ((a + b) + (c + d)) + ((e + f) + (g + h)),
        |so_far, value| so_far + value,
    )
}

/// The sum of an array as one of the parts of `np.add.reduceat`: the first element, and the sum of the others.
pub fn reduced(values: &[f64]) -> f64 {
    match values.split_first() {
        Some((first, others)) if !others.is_empty() => first + sum(others),
        Some((first, _)) => *first,
        None => 0.0,
    }
}

/// The elements of which each has another key, the first of each key, by rising key.
pub fn firsts<T: Copy>(values: impl Iterator<Item = T>, key: impl Fn(T) -> u64) -> Vec<T> {
    let mut keyed: Vec<(u64, u32, T)> = values
        .enumerate()
        .map(|(n, one)| (key(one), n as u32, one))
        .collect();
    keyed.sort_unstable_by_key(|&(key, number, _)| (key, number));
    keyed.dedup_by_key(|&mut (key, ..)| key);
    keyed.into_iter().map(|(.., one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::{firsts, sum};

    #[test]
    fn firsts_are_by_key_and_the_first_of_each() {
        assert_eq!(
            firsts(
                [(3, 'a'), (1, 'b'), (3, 'c'), (1, 'd')].into_iter(),
                |one| one.0
            ),
            [(1, 'b'), (3, 'a')]
        );
    }

    #[test]
    fn whole_numbers_have_one_sum_in_any_order() {
        for length in [0, 7, 8, 9, 128, 129, 1000, 10_007] {
            let values: Vec<f64> = (0..length).map(f64::from).collect();
            assert_eq!(sum(&values), values.iter().sum::<f64>());
        }
    }
}
