//! What a piece is, and its ids (`table_tokenizer.classifier`, `tokens.Alphabet`).

use std::borrow::Cow;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::places::{is_space, Stop};
use super::tables::{SketchTable, Tables};
use super::word_set::WordSet;
use winnow_pattern::{Pattern, Unserved};

/// What stands for a token's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenIds {
    pub structural: u64,
    pub verbatim: u64,
    pub sketch: u8,
}

/// For what is no token.
pub const NO_IDS: TokenIds = TokenIds { structural: 0, verbatim: 0, sketch: 0 };

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    String,
    Number,
    Name,
    Word,
}

/// Tells the ids of the pieces of one family.
pub struct Classes {
    pub sketches: SketchTable,
    seed: u64,
    identifier: u64,
    number: u64,
    string: u64,
    pattern: Pattern,
    kinds: Vec<Kind>,
    keywords: WordSet,
    spellings: Vec<(Vec<u8>, Vec<u8>)>,
    any_case: Vec<Kind>,
}

impl Classes {
    pub fn new(tables: &Tables) -> Result<Classes, Unserved> {
        let seed = xxh3_64(&tables.name);
        let hash = |text: &[u8]| xxh3_64_with_seed(text, seed);
        let patterns: Vec<&Vec<u8>> = tables.kinds.iter().map(|(_, pattern)| pattern).collect();
        Ok(Classes {
            sketches: tables.sketches,
            seed,
            identifier: hash(b"\0identifier"),
            number: hash(b"\0number"),
            string: hash(b"\0string"),
            pattern: Pattern::new(&patterns)?,
            kinds: tables.kinds.iter().map(|(kind, _)| kind_of(kind)).collect::<Result<_, _>>()?,
            keywords: WordSet::new(&tables.keywords),
            spellings: tables.spellings.clone(),
            any_case: tables.any_case.iter().map(|kind| kind_of(kind)).collect::<Result<_, _>>()?,
        })
    }

    /// The ids of a piece without white space at its ends; none for comments and white space.
    ///
    /// # Errors
    /// `Stop`, if Python has to tell them.
    pub fn ids(&mut self, token: &[u8]) -> Result<Option<TokenIds>, Stop> {
        let found = self.pattern.at(token, 0)?;
        let kind = found.map_or(Kind::Word, |(alternative, _)| self.kinds[alternative as usize]);
        if kind == Kind::Nothing {
            return Ok(None);
        }
        let token = self.respelled(token, kind);
        let in_case = |kind| {
            if self.any_case.contains(&kind) {
                Cow::Owned(token.to_ascii_lowercase())
            } else {
                Cow::Borrowed(&*token)
            }
        };
        let word = in_case(Kind::Word);
        if kind == Kind::Word || self.keywords.has(&word) {
            let own = self.hash(&word);
            return Ok(Some(TokenIds {
                structural: own,
                verbatim: own,
                sketch: sketch(self.sketches.words, own),
            }));
        }
        let (structural, values) = match kind {
            Kind::String => (self.string, self.sketches.strings),
            Kind::Number => (self.number, self.sketches.numbers),
            _ => (self.identifier, self.sketches.names),
        };
        let text = in_case(kind);
        let own = if kind == Kind::String {
            self.hash(&without_quote_style(&text))
        } else {
            self.hash(&text)
        };
        Ok(Some(TokenIds { structural, verbatim: own, sketch: sketch(values, own) }))
    }

    /// A name on one line, or the other spelling of a token.
    fn respelled<'t>(&'t self, token: &'t [u8], kind: Kind) -> Cow<'t, [u8]> {
        if kind == Kind::Name && token.contains(&b'\n') {
            return Cow::Owned(unspliced(token));
        }
        let found = self.spellings.iter().find(|(one, _)| one == token);
        Cow::Borrowed(found.map_or(token, |(_, other)| other))
    }

    fn hash(&self, text: &[u8]) -> u64 {
        xxh3_64_with_seed(text, self.seed)
    }
}

fn kind_of(name: &str) -> Result<Kind, Unserved> {
    match name {
        "blank" | "comment" | "mark" => Ok(Kind::Nothing),
        "string" => Ok(Kind::String),
        "number" => Ok(Kind::Number),
        "name" => Ok(Kind::Name),
        "word" => Ok(Kind::Word),
        _ => Err(Unserved(format!("the kind {name}"))),
    }
}

fn sketch((first, count): (u8, u64), own: u64) -> u8 {
    first + (own % count) as u8
}

/// A piece without white space at its ends.
pub fn stripped(piece: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| !is_space(*byte);
    match (piece.iter().position(is_text), piece.iter().rposition(is_text)) {
        (Some(first), Some(last)) => &piece[first..=last],
        _ => &[],
    }
}

/// A name without backslashes that join lines, and the white space behind them.
fn unspliced(name: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(name.len());
    for line in name.split_inclusive(|&byte| byte == b'\n') {
        let is_kept = |byte: &u8| !b" \t\n\\".contains(byte);
        let end = line.iter().rposition(is_kept).map_or(0, |at| at + 1);
        joined.extend_from_slice(if line.ends_with(b"\n") { &line[..end] } else { line });
    }
    joined
}

/// A string as if it were enclosed by `"`, with the letters before it in lower case.
fn without_quote_style(text: &[u8]) -> Vec<u8> {
    let letters = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (prefix, rest) = text.split_at(letters);
    let mark: &[u8] = match rest {
        [b'\'', b'\'', b'\'', ..] | [b'"', b'"', b'"', ..] => &rest[..3],
        [b'\'' | b'"' | b'`', ..] => &rest[..1],
        _ => return text.to_vec(),
    };
    let body = &rest[mark.len()..];
    [&prefix.to_ascii_lowercase(), &b"\""[..], body.strip_suffix(mark).unwrap_or(body)].concat()
}
