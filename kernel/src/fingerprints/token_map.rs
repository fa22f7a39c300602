//! Token maps as bytes (`winnow_ci.index.schema.pack_map` describes them).

/// The bytes of a map, little endian: lengths, how many tokens start on each line, which span several, sketches.
///
/// `first` and `last` are the lines that tokens start and end on, none of them negative.
pub fn bytes(first: &[i32], last: &[i32], sketch: &[u8]) -> Vec<u8> {
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
