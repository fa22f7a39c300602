//! Strings that may go on behind a piece (`quotes_reading.is_quote_marked`).

use super::careful::is_space;
use super::cutting::Stop;
use super::tables::QuoteTable;
use crate::pattern::{Pattern, Unserved};

/// The strings of a language.
pub struct Quotes {
    plain: Pattern,
    openers: Pattern,
    /// For each way to write strings, what may stand in one.
    strings: Vec<(Pattern, Vec<String>)>,
    /// Openers, what opens and closes around the code in a string, and the end of the text.
    code: Pattern,
    deepest: usize,
}

/// A string, or the number of brackets that are open in the code in one.
enum Within {
    String(usize),
    Code(usize),
}

impl Quotes {
    pub fn new(table: &QuoteTable) -> Result<Quotes, Unserved> {
        let strings = table.strings.iter().map(|marks| {
            let patterns: Vec<_> = marks.iter().map(|(_, pattern)| pattern).collect();
            Ok((
                Pattern::new(&patterns)?,
                marks.iter().map(|(name, _)| name.clone()).collect(),
            ))
        });
        Ok(Quotes {
            plain: Pattern::new(&[&table.plain])?,
            openers: Pattern::new(&table.openers)?,
            strings: strings.collect::<Result<_, Unserved>>()?,
            code: Pattern::new(&table.code)?,
            deepest: table.deepest,
        })
    }

    /// Whether a piece begins a string that may go on behind it.
    pub fn is_marked(&mut self, piece: &[u8]) -> Result<bool, Stop> {
        if self.plain.at(piece, 0)?.is_some() || is_space(piece[0]) {
            return Ok(false);
        }
        let Some((form, opened)) = self.openers.at(piece, 0)? else {
            return Ok(false);
        };
        let text = [piece, b"\0"].concat();
        let end = self.end(&text, form as usize, opened)?;
        Ok(end.is_some_and(|end| end < piece.len()))
    }

    /// Where a string ends; 0 if nothing ends it, none if its line does.
    fn end(&mut self, text: &[u8], form: usize, opened: usize) -> Result<Option<usize>, Stop> {
        let (mut within, mut at) = (vec![Within::String(form)], opened);
        while let Some(top) = within.last_mut() {
            let found = match top {
                Within::String(form) => self.strings[*form].0.search(text, at)?,
                Within::Code(_) => self.code.search(text, at)?,
            };
            let found = found.filter(|mark| &text[mark.start..mark.end] != b"\0");
            let Some(mark) = found else {
                return Ok(Some(0));
            };
            let number = mark.alternative as usize;
            let next = match top {
                Within::String(form) => match self.strings[*form].1[number].as_str() {
                    "closer" => Next::Close,
                    "code" => Next::Open(Within::Code(0)),
                    "line" => Next::Line,
                    _ => Next::Stay,
                },
                Within::Code(depth) => in_code(depth, number, self.strings.len()),
            };
            if within.len() > self.deepest {
                return Ok(Some(0));
            }
            at = mark.end;
            match next {
                Next::Stay => (),
                Next::Line => return Ok(None),
                Next::Open(inner) => within.push(inner),
                Next::Close => {
                    within.pop();
                }
            }
        }
        Ok(Some(at))
    }
}

/// What a mark does.
enum Next {
    Stay,
    Line,
    Open(Within),
    Close,
}

/// What a mark does in the code in a string: after the openers come the brackets.
fn in_code(depth: &mut usize, number: usize, openers: usize) -> Next {
    if number < openers {
        return Next::Open(Within::String(number));
    }
    if number == openers {
        *depth += 1;
    } else if *depth > 0 {
        *depth -= 1;
    } else {
        return Next::Close;
    }
    Next::Stay
}
