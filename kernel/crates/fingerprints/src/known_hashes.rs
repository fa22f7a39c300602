//! Known hashes, of which only the sorted upper halves are kept: as they are, or as the distances between them.

use super::hash_table::{upper, HashTable};

/// How many distances are added to find out whether a hash is known, about.
const STEPS: usize = 32;
/// Most bits of a hash that say where to begin.
const MOST_BITS: u32 = 16;

pub enum Known {
    Sorted(HashTable),
    Apart(Distances),
}

impl Known {
    pub fn has(&self, hash: u64) -> bool {
        match self {
            Self::Sorted(table) => table.has(hash),
            Self::Apart(distances) => distances.has(upper(hash)),
        }
    }
}

/// Rising numbers as distances: the first from 0, each other one from the one before.
pub struct Distances {
    distances: Vec<u16>,
    /// For each possible value of the upper bits, the first distance that leads to it or beyond, and the number before.
    begins: Vec<(u32, u32)>,
    bits: u32,
}

impl Distances {
    /// None if there are more distances, or larger numbers, than 32 bits can tell.
    pub fn new(distances: &[u16]) -> Option<Self> {
        u32::try_from(distances.len()).ok()?;
        let bits = (distances.len() / STEPS).max(2).ilog2().min(MOST_BITS);
        let mut begins = Vec::with_capacity(1 << bits);
        let mut before = 0_u32;
        for (place, &distance) in distances.iter().enumerate() {
            let number = before.checked_add(u32::from(distance))?;
            while begins.len() <= (number >> (u32::BITS - bits)) as usize {
                begins.push((place as u32, before));
            }
            before = number;
        }
        begins.resize(1 << bits, (distances.len() as u32, before));
        Some(Self { distances: distances.to_vec(), begins, bits })
    }

    fn has(&self, wanted: u32) -> bool {
        let (place, mut number) = self.begins[(wanted >> (u32::BITS - self.bits)) as usize];
        for &distance in &self.distances[place as usize..] {
            number += u32::from(distance);
            if number >= wanted {
                return number == wanted;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Distances;

    fn numbers(distances: &[u16]) -> Vec<u32> {
        let mut number = 0;
        let add = |&distance: &u16| {
            number += u32::from(distance);
            number
        };
        distances.iter().map(add).collect()
    }

    #[test]
    fn what_the_distances_lead_to_is_known() {
        let far = vec![u16::MAX; 65_537];
        let near: Vec<u16> = (0..20_000_u32).map(|n| (n * n % 701) as u16).collect();
        let some: [&[u16]; 6] = [&[], &[0], &[7], &[0, 0, 3, 0, 9], &far, &near];
        for distances in some {
            let (known, own) = (Distances::new(distances).unwrap(), numbers(distances));
            let around = own.iter().flat_map(|&n| [n.wrapping_sub(1), n, n.wrapping_add(1)]);
            for number in around.chain([0, 1, u32::MAX / 2, u32::MAX]) {
                assert_eq!(known.has(number), own.binary_search(&number).is_ok());
            }
        }
    }

    #[test]
    fn larger_numbers_are_none() {
        assert!(Distances::new(&vec![u16::MAX; 65_538]).is_none());
    }
}
