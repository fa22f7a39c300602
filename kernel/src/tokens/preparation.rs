//! Text with the marks that stand for others, and ready to be cut (`table_tokenizer`).

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::recent::WIDTH;

/// A normalised text with the marks that `\uXXXX` stands for; each word keeps its end, and what is free before it
/// becomes white space.
pub fn with_escaped_marks(text: &[u8]) -> Cow<'_, [u8]> {
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
        put_word(word, &mut changed[begun..]);
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

/// Write a word with its marks to the end of a place of its length.
fn put_word(word: &[u8], place: &mut [u8]) {
    let (mut written, mut at) = (Vec::with_capacity(word.len()), 0);
    while at < word.len() {
        let (bytes, mark) = match &word[at..] {
            [b'\\', b'\\', ..] => (2, None),
            [b'\\', b'u', ..] => escaped_mark(&word[at..]),
            _ => (1, None),
        };
        match mark {
            Some(mark) => written.push(mark),
            None => written.extend_from_slice(&word[at..at + bytes]),
        }
        at += bytes;
    }
    let free = place.len() - written.len();
    place[free..].copy_from_slice(&written);
}

/// Of what begins with `\u`: its bytes, and the mark that it stands for.
fn escaped_mark(text: &[u8]) -> (usize, Option<u8>) {
    let marks = 1 + text[1..].iter().take_while(|&&byte| byte == b'u').count();
    let mark = match text[marks..] {
        [b'0', b'0', b'0', b'a' | b'A' | b'd' | b'D', ..] => b'\r',
        [b'0', b'0', b'2', b'2', ..] => b'"',
        [b'0', b'0', b'2', b'7', ..] => b'\'',
        [b'0', b'0', b'2', b'a' | b'A', ..] => b'*',
        [b'0', b'0', b'2', b'f' | b'F', ..] => b'/',
        [b'0', b'0', b'5', b'c' | b'C', ..] => b'\\',
        _ => return (1, None),
    };
    (marks + 4, Some(mark))
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
        let length = text[start..]
            .iter()
            .take_while(|&&byte| byte == b'\\')
            .count();
        let middle = length.saturating_sub(ALWAYS_KEPT) / 2 * 2;
        text[start + 2..][..middle.min(length.saturating_sub(2))].fill(b'_');
        at = start + length;
    }
}
