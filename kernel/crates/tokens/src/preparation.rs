//! Text with the characters that escapes stand for, and ready to be cut (`table_tokenizer`).

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::recent::WIDTH;

/// A normalised text with the characters that `\uXXXX` stands for, of ASCII only some; each word keeps its end, and what
/// is free before it becomes white space.
pub fn unescaped<'t>(text: &'t [u8], ascii: &[u8]) -> Cow<'t, [u8]> {
    let escapes = memmem::Finder::new(b"\\u");
    let (mut changed, mut from) = (Vec::new(), 0);
    while let Some(found) = escapes.find(&text[from..]) {
        let (before, after) = text[from..].split_at(found);
        let start = before.iter().rposition(is_blank).map_or(0, |at| at + 1);
        let end = found + after.iter().position(is_blank).unwrap_or(after.len());
        let word = &text[from + start..from + end];
        changed.extend_from_slice(&before[..start]);
        let begun = changed.len();
        changed.resize(begun + word.len(), b' ');
        put_word(word, ascii, &mut changed[begun..]);
        from += end;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    changed.extend_from_slice(&text[from..]);
    Cow::Owned(changed)
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, 1..=0x20)
}

/// Write a word with its characters to the end of a place of its length.
fn put_word(word: &[u8], ascii: &[u8], place: &mut [u8]) {
    let (mut written, mut at) = (Vec::with_capacity(word.len()), 0);
    while at < word.len() {
        let escape =
            escape(&word[at..]).filter(|(_, it)| !it.is_ascii() || ascii.contains(&(*it as u8)));
        if let Some((bytes, character)) = escape {
            written.extend_from_slice(counted(character).encode_utf8(&mut [0; 4]).as_bytes());
            at += bytes;
            continue;
        }
        // An escaped backslash begins no escape.
        let bytes = 1 + usize::from(word[at..].starts_with(b"\\\\"));
        written.extend_from_slice(&word[at..at + bytes]);
        at += bytes;
    }
    let free = place.len() - written.len();
    place[free..].copy_from_slice(&written);
}

/// A line feed that an escape stands for ends a line, but is not counted.
fn counted(character: char) -> char {
    if character == '\n' {
        '\r'
    } else {
        character
    }
}

/// Of what begins with an escape: its bytes, and the character that it and perhaps the next one stand for.
fn escape(text: &[u8]) -> Option<(usize, char)> {
    let (bytes, unit) = code_unit(text)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((bytes, character));
    }
    let (more, low) = code_unit(&text[bytes..])?;
    let units = [unit as u16, low as u16];
    let mut pair = char::decode_utf16(units);
    Some((bytes + more, pair.next()?.ok()?))
}

/// Of what begins with an escape: its bytes, and its number.
fn code_unit(text: &[u8]) -> Option<(usize, u32)> {
    let marks = text.strip_prefix(b"\\")?.iter().take_while(|&&byte| byte == b'u').count();
    let digits = text.get(1 + marks..5 + marks).filter(|_| marks > 0)?;
    let value = |&digit: &u8| char::from(digit).to_digit(16);
    let number = digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + value(digit)?))?;
    Some((5 + marks, number))
}

// ---- what is cut ------------------------------------------------------------------------------------------------

/// As many bytes as a key may have stand from each byte of a text on.
pub const PADDING: usize = WIDTH - 1;
pub const END: &[u8] = b"\0";
const LONG_ESCAPES: &[u8] = &[b'\\'; 13];
const ALWAYS_KEPT: usize = 12;

/// A buffer's text, with NUL at its end.
pub fn unpadded(buffer: &[u8]) -> &[u8] {
    &buffer[..buffer.len() - PADDING]
}

/// The text with `\n` for `\r`, NUL at its end, and more behind it.
pub fn with_plain_line_ends(text: &[u8]) -> Vec<u8> {
    let mut buffer = Vec::with_capacity(text.len() + END.len() + PADDING);
    buffer.extend_from_slice(text);
    let mut from = 0;
    while let Some(place) = memchr(b'\r', &buffer[from..]) {
        buffer[from + place] = b'\n';
        from += place + 1;
    }
    buffer.extend_from_slice(END);
    buffer.resize(buffer.len() + PADDING, 0);
    buffer
}

/// Of more backslashes in a row than any expression looks back over, an even number in the middle does not count.
pub fn without_long_escapes(text: &mut [u8]) {
    if memmem::find(text, LONG_ESCAPES).is_none() {
        return;
    }
    let mut at = 0;
    while let Some(found) = memchr(b'\\', &text[at..]) {
        let start = at + found;
        let length = text[start..].iter().take_while(|&&byte| byte == b'\\').count();
        let middle = length.saturating_sub(ALWAYS_KEPT) / 2 * 2;
        text[start + 2..][..middle.min(length.saturating_sub(2))].fill(b'_');
        at = start + length;
    }
}
