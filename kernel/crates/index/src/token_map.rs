//! Token maps as bytes (`winnow_ci.index.coding.pack_map` describes them).

use super::packing::{compressed, digest, inflated};

/// What an index keeps of a content's tokens: the lines that they start and end on, and their sketches.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenMap {
    pub first_lines: Vec<i32>,
    pub last_lines: Vec<i32>,
    pub sketch: Vec<u8>,
}

/// The digest of a map's bytes, and these compressed; none if it has no such lines.
pub fn pack_map(
    first: &[i32],
    last: &[i32],
    sketch: &[u8],
    level: i32,
) -> Option<([u8; 16], Vec<u8>)> {
    if first.len() != last.len() || first.iter().any(|&line| line < 0) {
        return None;
    }
    let bytes = bytes(first, last, sketch);
    Some((digest(&bytes), compressed(&bytes, level)?))
}

/// Undo `pack_map`; none, if there is anything strange.
pub fn unpack_map(expected: &[u8], packed: &[u8]) -> Option<TokenMap> {
    let bytes = inflated(packed).filter(|bytes| digest(bytes) == expected)?;
    of_bytes(&bytes)
}

/// The bytes of a map, little endian: lengths, how many tokens start on each line, which span several, sketches.
///
/// `first` and `last` are the lines that tokens start and end on, none of them negative.
fn bytes(first: &[i32], last: &[i32], sketch: &[u8]) -> Vec<u8> {
    let mut starts = vec![0u32; first.iter().max().map_or(0, |&line| line as usize + 1)];
    let mut pairs: Vec<u32> = Vec::new();
    for (number, (&first, &last)) in first.iter().zip(last).enumerate() {
        starts[first as usize] += 1;
        if last != first {
            pairs.extend([number as u32, last.wrapping_sub(first) as u32]);
        }
    }
    let lengths = [starts.len(), pairs.len() / 2, sketch.len()].map(|length| length as u32);
    let numbers = lengths.iter().chain(&starts).chain(&pairs);
    let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend_from_slice(sketch);
    bytes
}

/// Undo `bytes`; none, if they are not what it makes.
fn of_bytes(data: &[u8]) -> Option<TokenMap> {
    let (lengths, rest) = data.split_at_checked(12)?;
    let [lines, long, count] = [0, 4, 8].map(|at| number(&lengths[at..at + 4]) as usize);
    let (starts, rest) = rest.split_at_checked(lines.checked_mul(4)?)?;
    let (pairs, sketch) = rest.split_at_checked(long.checked_mul(8)?)?;
    let total: u64 = starts.chunks_exact(4).map(|start| u64::from(number(start))).sum();
    if sketch.len() != count || total != count as u64 {
        return None;
    }
    let mut first = Vec::with_capacity(count);
    for (line, start) in starts.chunks_exact(4).enumerate() {
        first.resize(first.len() + number(start) as usize, line as i32);
    }
    let mut last = first.clone();
    let mut before = None;
    for pair in pairs.chunks_exact(8) {
        let token = number(&pair[..4]) as usize;
        if before.is_some_and(|before| token <= before) {
            return None;
        }
        let line = last.get_mut(token)?;
        *line = line.wrapping_add(number(&pair[4..]) as i32);
        before = Some(token);
    }
    Some(TokenMap { first_lines: first, last_lines: last, sketch: sketch.to_vec() })
}

/// Four bytes, little endian.
fn number(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
