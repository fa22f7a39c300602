//! Token maps as bytes (`winnow_ci.index.coding.pack_map` describes them).

const HEADER: usize = 9;

/// What an index keeps of a content's tokens: the lines that they start and end on, and their sketches.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenMap {
    pub first_lines: Vec<i32>,
    pub last_lines: Vec<i32>,
    pub sketch: Vec<u8>,
}

/// The bytes of a map; none if it has no such lines.
///
/// `first` and `last` are the lines that tokens start and end on, none of them negative.
pub fn pack_map(first: &[i32], last: &[i32], sketch: &[u8]) -> Option<Vec<u8>> {
    if first.len() != last.len() || first.iter().any(|&line| line < 0) {
        return None;
    }
    let mut starts = vec![0u32; first.iter().max().map_or(0, |&line| line as usize + 1)];
    let (mut tokens, mut more, mut before): (Vec<u32>, Vec<u32>, u32) = (Vec::new(), Vec::new(), 0);
    for (number, (&first, &last)) in first.iter().zip(last).enumerate() {
        starts[first as usize] += 1;
        if last != first {
            tokens.push(number as u32 - before);
            more.push(last.wrapping_sub(first) as u32);
            before = number as u32;
        }
    }
    let width = match starts.iter().max() {
        Some(&most) if most > 0xFFFF => 4,
        Some(&most) if most > 0xFF => 2,
        _ => 1,
    };
    let mut bytes = (starts.len() as u32).to_le_bytes().to_vec();
    bytes.extend((tokens.len() as u32).to_le_bytes());
    bytes.push(width);
    starts.iter().for_each(|start| bytes.extend(&start.to_le_bytes()[..width as usize]));
    tokens.iter().chain(&more).for_each(|number| bytes.extend(number.to_le_bytes()));
    bytes.extend(sketch);
    Some(bytes)
}

/// Undo `pack_map`; none, if there is anything strange.
pub fn unpack_map(bytes: &[u8]) -> Option<TokenMap> {
    let (header, rest) = bytes.split_at_checked(HEADER)?;
    let [lines, long] = [0, 4].map(|at| number(&header[at..at + 4]) as usize);
    let width = usize::from(header[8]);
    if ![1, 2, 4].contains(&width) {
        return None;
    }
    let (starts, rest) = rest.split_at_checked(lines.checked_mul(width)?)?;
    let (tokens, rest) = rest.split_at_checked(long.checked_mul(4)?)?;
    let (more, sketch) = rest.split_at_checked(long.checked_mul(4)?)?;
    let starts: Vec<u32> = starts.chunks_exact(width).map(number).collect();
    if starts.iter().map(|&start| u64::from(start)).sum::<u64>() != sketch.len() as u64 {
        return None;
    }
    let mut first = Vec::with_capacity(sketch.len());
    for (line, &start) in starts.iter().enumerate() {
        first.resize(first.len() + start as usize, line as i32);
    }
    let (mut last, mut token) = (first.clone(), 0usize);
    for (nth, (after, more)) in tokens.chunks_exact(4).zip(more.chunks_exact(4)).enumerate() {
        if nth > 0 && number(after) == 0 {
            return None;
        }
        token = token.checked_add(number(after) as usize)?;
        let line = last.get_mut(token)?;
        *line = line.wrapping_add(number(more) as i32);
    }
    Some(TokenMap { first_lines: first, last_lines: last, sketch: sketch.to_vec() })
}

/// At most four bytes, little endian.
fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}
