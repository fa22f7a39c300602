//! Text without what hides code from a tokenizer (`winnow_ci.languages.normalisation`).

use std::borrow::Cow;
use std::ops::RangeInclusive;

use memchr::memchr;

/// Bytes that are looked at together for one beyond ASCII.
const TOGETHER: usize = 32;

/// A first and a last character in UTF-8, which differ in their last byte only.
pub type Run = (Vec<u8>, Vec<u8>);

/// Undoes what hides code.
pub struct Normaliser(Vec<Hiding>);

/// Characters beyond ASCII that hide something, and what stands in their place.
struct Hiding {
    runs: Vec<(Vec<u8>, RangeInclusive<u8>)>,
    /// Whether one begins with a byte.
    begins: [bool; 256],
    instead: Vec<u8>,
}

impl Normaliser {
    /// Runs of characters, and what stands in their place; None, if a run is none.
    pub fn new(hiding: Vec<(Vec<Run>, Vec<u8>)>) -> Option<Normaliser> {
        let hiding = hiding.into_iter();
        hiding
            .map(|(runs, instead)| Hiding::new(&runs, instead))
            .collect::<Option<_>>()
            .map(Normaliser)
    }

    /// A text without NUL with plain ends of lines and nothing that hides.
    pub fn plain_text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let text = with_line_ends(text);
        if first_beyond_ascii(&text, 0) == text.len() {
            return text;
        }
        self.0.iter().fold(text, |text, hiding| hiding.undone(text))
    }
}

impl Hiding {
    fn new(runs: &[Run], instead: Vec<u8>) -> Option<Hiding> {
        let of_run = |(first, last): &Run| {
            let (&from, front) = first.split_last()?;
            let (&to, same) = last.split_last()?;
            let is_one = front == same && front.first().is_some_and(|byte| !byte.is_ascii());
            is_one.then(|| (front.to_vec(), from..=to))
        };
        let runs: Vec<_> = runs.iter().map(of_run).collect::<Option<_>>()?;
        let mut begins = [false; 256];
        for (front, _) in &runs {
            begins[usize::from(front[0])] = true;
        }
        Some(Hiding { runs, begins, instead })
    }

    fn undone<'t>(&self, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        let (mut changed, mut from, mut at) = (Vec::new(), 0, 0);
        loop {
            at = first_beyond_ascii(&text, at);
            if at == text.len() {
                break;
            }
            let size = self.size(&text[at..]);
            if size > 0 {
                changed.extend_from_slice(&text[from..at]);
                changed.extend_from_slice(&self.instead);
                from = at + size;
            }
            at += size.max(1);
        }
        if from == 0 {
            return text;
        }
        changed.extend_from_slice(&text[from..]);
        Cow::Owned(changed)
    }

    /// The bytes of such a character at the beginning of a text, which is not empty; 0, if it begins with another one.
    fn size(&self, text: &[u8]) -> usize {
        if !self.begins[usize::from(text[0])] {
            return 0;
        }
        let is_begun = |(front, lasts): &&(Vec<u8>, RangeInclusive<u8>)| {
            let last = text.strip_prefix(front.as_slice()).and_then(<[u8]>::first);
            last.is_some_and(|last| lasts.contains(last))
        };
        let found = self.runs.iter().find(is_begun);
        found.map_or(0, |(front, _)| front.len() + 1)
    }
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
