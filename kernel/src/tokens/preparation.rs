//! Text without what hides code from a tokenizer (`normalisation`), with the marks that stand for others, and ready to be
//! cut (`table_tokenizer`).

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::recent::WIDTH;

/// Bytes that are looked at together for one beyond ASCII.
const TOGETHER: usize = 32;

/// What a character beyond ASCII that hides something becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hiding {
    Space,
    Nothing,
    LineEnd,
}

/// A text without NUL with `\n` at its ends of lines, spaces for those beyond ASCII, and nothing that has no width.
pub fn plain_text(text: &[u8]) -> Cow<'_, [u8]> {
    let text = with_line_ends(text);
    if first_beyond_ascii(&text, 0) == text.len() {
        return text;
    }
    // As what has no width goes away, what stood around it may become the end of a line.
    let text = replaced(text, |hiding| match hiding {
        Hiding::Space => Some(b" "),
        Hiding::Nothing => Some(b""),
        Hiding::LineEnd => None,
    });
    replaced(text, |hiding| (hiding == Hiding::LineEnd).then_some(b"\r"))
}

fn with_line_ends(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr(b'\r', text) else {
        return Cow::Borrowed(text);
    };
    let has_feeds = memchr(b'\n', text).is_some();
    let mut plain = Vec::with_capacity(text.len());
    let (mut from, mut next) = (0, Some(first));
    while let Some(place) = next {
        plain.extend_from_slice(&text[from..place]);
        match (has_feeds, text.get(place + 1)) {
            (true, Some(b'\n')) => (),
            (true, _) => plain.push(b'\r'),
            (false, _) => plain.push(b'\n'),
        }
        from = place + 1;
        next = memchr(b'\r', &text[from..]).map(|more| from + more);
    }
    plain.extend_from_slice(&text[from..]);
    Cow::Owned(plain)
}

/// Where the first byte beyond ASCII stands from a place on; the end, if there is none.
fn first_beyond_ascii(text: &[u8], from: usize) -> usize {
    let rest = &text[from..];
    if rest.first().is_some_and(|byte| !byte.is_ascii()) {
        return from;
    }
    let plain = rest.chunks(TOGETHER).take_while(|chunk| chunk.is_ascii());
    let near = (plain.count() * TOGETHER).min(rest.len());
    let found = rest[near..].iter().position(|byte| !byte.is_ascii());
    found.map_or(text.len(), |more| from + near + more)
}

/// The text with something else for some of the characters that hide something.
fn replaced(
    text: Cow<'_, [u8]>,
    instead: impl Fn(Hiding) -> Option<&'static [u8]>,
) -> Cow<'_, [u8]> {
    let (mut changed, mut from, mut at) = (Vec::new(), 0, 0);
    loop {
        at = first_beyond_ascii(&text, at);
        if at == text.len() {
            break;
        }
        let found = hiding(&text[at..]).and_then(|(what, size)| Some((instead(what)?, size)));
        at += 1;
        if let Some((other, size)) = found {
            changed.extend_from_slice(&text[from..at - 1]);
            changed.extend_from_slice(other);
            at += size - 1;
            from = at;
        }
    }
    if from == 0 {
        return text;
    }
    changed.extend_from_slice(&text[from..]);
    Cow::Owned(changed)
}

/// Which such character a text begins with, and its bytes.
fn hiding(text: &[u8]) -> Option<(Hiding, usize)> {
    match text {
        [0xC2, 0xA0, ..] => Some((Hiding::Space, 2)),
        [0xC2, 0xAD, ..] => Some((Hiding::Nothing, 2)),
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => Some((Hiding::Space, 3)),
        [0xE2, 0x80, 0x8B..=0x8F | 0xAA..=0xAE, ..]
        | [0xE2, 0x81, 0xA0..=0xA4 | 0xA6..=0xA9, ..]
        | [0xEF, 0xBB, 0xBF, ..] => Some((Hiding::Nothing, 3)),
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => Some((Hiding::LineEnd, 3)),
        _ => None,
    }
}

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
