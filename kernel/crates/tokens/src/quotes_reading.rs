//! Where strings end that hold code, which may hold strings, and strings that may span lines (`quotes_reading`).

use std::collections::HashSet;

use super::careful_reading::{CarefulReader, Language, Reading};
use super::pieces::Pieces;
use super::places::{is_space, Stop};
use super::tables::QuoteTable;
use winnow_pattern::{Found, Pattern, Unserved};

/// The strings of a language.
pub struct Quotes {
    plain: Pattern,
    may_open: Pattern,
    openers: Pattern,
    forms: Vec<Form>,
    /// Openers, what opens and closes around the code in a string, and the end of the text.
    code: Pattern,
    deepest: usize,
    near: usize,
}

/// A way to write strings.
struct Form {
    /// What may stand in such a string, and what each does.
    marks: Pattern,
    does: Vec<Does>,
    spans_lines: bool,
}

/// What a mark does where strings and code are within each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Nothing,
    BeginsCode,
    BeginsString(usize),
    Closes,
    EndsLine,
}

/// Where a string ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    At(usize),
    WithItsLine,
    Nowhere,
}

/// A string, or the number of brackets that are open in the code in one.
enum Within {
    String(usize),
    Code(usize),
}

impl Form {
    fn new(marks: &[(String, Vec<u8>)]) -> Result<Form, Unserved> {
        let does = |name: &str| match name {
            "code" => Does::BeginsCode,
            "closer" => Does::Closes,
            "line" => Does::EndsLine,
            _ => Does::Nothing,
        };
        let patterns: Vec<_> = marks.iter().map(|(_, pattern)| pattern).collect();
        let does: Vec<_> = marks.iter().map(|(name, _)| does(name)).collect();
        Ok(Form {
            marks: Pattern::new(&patterns)?,
            spans_lines: !does.contains(&Does::EndsLine),
            does,
        })
    }
}

impl Quotes {
    pub fn new(table: &QuoteTable) -> Result<Quotes, Unserved> {
        let forms = table.strings.iter().map(|marks| Form::new(marks));
        Ok(Quotes {
            plain: Pattern::new(&[&table.plain])?,
            may_open: Pattern::new(&[&table.may_open])?,
            openers: Pattern::new(&table.openers)?,
            forms: forms.collect::<Result<_, Unserved>>()?,
            code: Pattern::new(&table.code)?,
            deepest: table.deepest,
            near: table.near,
        })
    }

    fn end_of_string(&mut self, text: &[u8], form: usize, opened: usize) -> Result<End, Stop> {
        let (mut within, mut at) = (vec![Within::String(form)], opened);
        while let Some(top) = within.last() {
            let found = match top {
                Within::String(form) => self.forms[*form].marks.search(text, at)?,
                Within::Code(_) => self.code.search(text, at)?,
            };
            let is_mark = |mark: &Found| &text[mark.start..mark.end] != b"\0";
            let Some(mark) = found.filter(is_mark) else {
                return Ok(End::Nowhere);
            };
            if within.len() > self.deepest {
                return Ok(End::Nowhere);
            }
            at = mark.end;
            match self.done_by(mark.alternative as usize, &mut within) {
                Does::Nothing => (),
                Does::BeginsCode => within.push(Within::Code(0)),
                Does::BeginsString(form) => within.push(Within::String(form)),
                Does::EndsLine => return Ok(End::WithItsLine),
                Does::Closes => {
                    within.pop();
                }
            }
        }
        Ok(End::At(at))
    }

    /// What a mark does; in the code in a string come the openers, then the brackets.
    fn done_by(&self, mark: usize, within: &mut [Within]) -> Does {
        match within.last_mut() {
            Some(Within::String(form)) => self.forms[*form].does[mark],
            Some(Within::Code(_)) if mark < self.forms.len() => Does::BeginsString(mark),
            Some(Within::Code(depth)) if mark == self.forms.len() => {
                *depth += 1;
                Does::Nothing
            }
            Some(Within::Code(depth)) if *depth > 0 => {
                *depth -= 1;
                Does::Nothing
            }
            _ => Does::Closes,
        }
    }
}

// ---- doubts -----------------------------------------------------------------------------------------------------

impl Quotes {
    /// Whether something that spans lines follows a marked piece on its line, or the string may span lines.
    fn are_doubtful(&mut self, pieces: Pieces, strings: &[usize]) -> Result<bool, Stop> {
        for &place in strings {
            let (form, _) = self.openers.at(pieces.at(place), 0)?.ok_or(Stop)?;
            if self.forms[form as usize].spans_lines || self.is_followed_by_lines(pieces, place) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_followed_by_lines(&self, pieces: Pieces, place: usize) -> bool {
        let near = (place + 1..pieces.len().min(place + self.near)).map(|place| pieces.at(place));
        let mut with_lines = near.filter(|piece| piece.contains(&b'\n'));
        with_lines.next().is_none_or(|piece| !piece.iter().all(|&byte| is_space(byte)))
    }
}

impl Language for Quotes {
    /// Whether a piece begins a string that may go on behind it.
    fn is_marked(&mut self, piece: &[u8]) -> Result<bool, Stop> {
        if self.plain.at(piece, 0)?.is_some() || is_space(piece[0]) {
            return Ok(false);
        }
        let Some((form, opened)) = self.openers.at(piece, 0)? else {
            return Ok(false);
        };
        let text = [piece, b"\0"].concat();
        Ok(match self.end_of_string(&text, form as usize, opened)? {
            End::At(end) => end < piece.len(),
            End::WithItsLine => false,
            End::Nowhere => true,
        })
    }

    fn is_doubtful(&mut self, pieces: Pieces, marked: &[usize]) -> Result<bool, Stop> {
        self.are_doubtful(pieces, marked)
    }

    fn reading<'t>(&'t mut self, _: &'t [u8]) -> Box<dyn Reading + 't> {
        Box::new(QuotesReading::new(self))
    }
}

// ---- reading ----------------------------------------------------------------------------------------------------

/// Knows where strings end.
pub struct QuotesReading<'l> {
    quotes: &'l mut Quotes,
    endless: HashSet<Vec<u8>>,
}

impl<'l> QuotesReading<'l> {
    pub fn new(quotes: &'l mut Quotes) -> QuotesReading<'l> {
        QuotesReading { quotes, endless: HashSet::new() }
    }
}

impl Reading for QuotesReading<'_> {
    fn end(
        &mut self,
        reader: &mut CarefulReader,
        start: usize,
        guessed: usize,
    ) -> Result<Option<usize>, Stop> {
        let (text, quotes) = (reader.text, &mut *self.quotes);
        let piece = &text[start..guessed];
        if is_space(piece[0]) || quotes.may_open.at(piece, 0)?.is_none() {
            return Ok(None);
        }
        let Some((form, opened)) = quotes.openers.at(text, start)? else {
            return Ok(None);
        };
        let opener = &text[start..opened];
        if self.endless.contains(opener) {
            return Ok(None);
        }
        Ok(match quotes.end_of_string(text, form as usize, opened)? {
            End::At(end) => (end != guessed).then_some(end),
            End::WithItsLine => None,
            End::Nowhere => {
                self.endless.insert(opener.to_vec());
                None
            }
        })
    }

    fn follow(&mut self, _: &CarefulReader, _: usize, _: usize) -> Result<(), Stop> {
        Ok(())
    }
}
