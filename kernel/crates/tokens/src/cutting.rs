//! A text, cut into tokens, comments and runs of white space (`table_tokenizer`, which says how and why).

use std::collections::HashMap;

use memchr::{memchr, memmem};

use super::nesting::Nesting;
use super::pieces::Numbering;
use super::places::{after, Place, Spans, Stop};
use super::preparation::{unpadded, with_plain_line_ends, without_long_escapes, END, PADDING};
use super::tables::Tables;
use winnow_pattern::{Choice, Pattern, Unserved};

/// Reads the pieces of a text with care, as its language has them.
pub trait Careful {
    /// The pieces of a text that ends with NUL; so does the last one.
    fn places(
        &mut self,
        cutter: &mut Cutter,
        text: &[u8],
        spans: Spans,
    ) -> Result<Vec<Place>, Stop>;
}

struct Span {
    marker: Vec<u8>,
    sought: Pattern,
    opener: Pattern,
    is_long: bool,
    nesting: Option<Nesting>,
}

/// Cuts the texts of one family.
pub struct Cutter {
    line_comment: Vec<u8>,
    quotes: Vec<u8>,
    spans: Vec<Span>,
    pattern: Pattern,
    span_of: Vec<Option<usize>>,
    /// The alternatives of a text with these spans.
    choices: HashMap<Spans, Choice>,
    begins_as_text: Option<Pattern>,
    text_openers: Option<Pattern>,
    words: Pattern,
    rewritten: Vec<(Pattern, u8)>,
}

impl Cutter {
    pub fn new(tables: &Tables) -> Result<Cutter, Unserved> {
        if tables.spans.len() > Spans::BITS as usize {
            return Err(Unserved("more spans than bits".into()));
        }
        let spans = tables.spans.iter().map(|span| {
            Ok(Span {
                marker: span.marker.clone(),
                sought: Pattern::new(&span.sought)?,
                opener: Pattern::new(&span.openers)?,
                is_long: span.is_long,
                nesting: Nesting::new(span)?,
            })
        });
        let optional =
            |pattern: &Vec<u8>| (!pattern.is_empty()).then(|| Pattern::new(&[pattern])).transpose();
        let patterns: Vec<&Vec<u8>> =
            tables.alternatives.iter().map(|(_, pattern)| pattern).collect();
        let rewritten =
            tables.rewritten.iter().map(|(pattern, byte)| Ok((Pattern::new(&[pattern])?, *byte)));
        Ok(Cutter {
            line_comment: tables.line_comment.clone(),
            quotes: tables.quotes.clone(),
            spans: spans.collect::<Result<_, Unserved>>()?,
            pattern: Pattern::new(&patterns)?,
            span_of: tables.alternatives.iter().map(|(span, _)| *span).collect(),
            choices: HashMap::new(),
            begins_as_text: optional(&tables.begins_as_text)?,
            text_openers: match tables.text_openers.as_slice() {
                [] => None,
                openers => Some(Pattern::new(openers)?),
            },
            words: Pattern::new(&[&tables.words])?,
            rewritten: rewritten.collect::<Result<_, Unserved>>()?,
        })
    }

    /// Cut a normalised text, with care or without.
    ///
    /// # Errors
    /// `Stop`, if Python has to do it.
    pub fn cut(
        &mut self,
        text: &[u8],
        care: Option<&mut dyn Careful>,
        numbering: &mut Numbering,
    ) -> Result<(), Stop> {
        if u32::try_from(text.len()).is_err() {
            return Err(Stop);
        }
        let mut buffer = with_plain_line_ends(text);
        let start = if buffer.starts_with(b"#!") {
            let end = memchr(b'\n', &buffer).unwrap_or(text.len());
            let mut comment = self.line_comment.clone();
            comment.resize(end.max(comment.len()), b' ');
            self.give(&comment, numbering)?;
            end
        } else {
            0
        };
        let end = buffer.len() - PADDING;
        without_long_escapes(&mut buffer[start..end]);
        self.rewrite(&mut buffer[start..end])?;
        let code = start + self.first_text(&buffer[start..end], numbering)?;
        self.cut_code(&buffer[code..], care, numbering)
    }

    fn rewrite(&mut self, text: &mut [u8]) -> Result<(), Stop> {
        for (pattern, byte) in &mut self.rewritten {
            let (mut places, mut from) = (Vec::new(), 0);
            while let Some(found) = pattern.search(text, from)? {
                if found.end != found.start + 1 {
                    return Err(Stop);
                }
                places.push(found.start);
                from = found.end;
            }
            places.iter().for_each(|&place| text[place] = *byte);
        }
        Ok(())
    }

    /// Give the words before a file's code; where that begins.
    fn first_text(&mut self, text: &[u8], numbering: &mut Numbering) -> Result<usize, Stop> {
        let Some(pattern) = &mut self.begins_as_text else {
            return Ok(0);
        };
        let code = pattern
            .search(text, 0)?
            .filter(|found| found.start == found.end)
            .map_or(0, |found| found.start);
        let words = &text[..code];
        let mut from = 0;
        while let Some(word) = self.words.search(words, from)? {
            self.give(&words[word.start..word.end], numbering)?;
            from = after(word.start, word.end)?;
        }
        Ok(code)
    }

    /// Cut code that ends with NUL, and has more behind it; where a span is never closed, only its opener is kept, and
    /// the rest is read again.
    fn cut_code(
        &mut self,
        buffer: &[u8],
        mut care: Option<&mut dyn Careful>,
        numbering: &mut Numbering,
    ) -> Result<(), Stop> {
        let (mut spans, mut rest) = (self.spans_in(unpadded(buffer))?, buffer);
        loop {
            let start = match &mut care {
                Some(care) => self.cut_carefully(rest, spans, *care, numbering)?,
                None => self.cut_once(rest, spans, numbering)?,
            };
            let unclosed = unpadded(&rest[start..]);
            if unclosed == END {
                return Ok(());
            }
            let (span, end) = self.opened_by(spans, unclosed)?;
            let opener = &unclosed[..end];
            let is_quote = memmem::find(&self.quotes, opener).is_some();
            rest = &rest[start..];
            if self.spans[span].is_long || !is_quote {
                self.give(opener, numbering)?;
                rest = &rest[end..];
            }
            spans &= !(1 << span);
        }
    }

    /// Where the last piece begins, which ends with NUL: only that, or a span that nothing closes.
    fn cut_once(
        &mut self,
        buffer: &[u8],
        spans: Spans,
        numbering: &mut Numbering,
    ) -> Result<usize, Stop> {
        let text = unpadded(buffer);
        let (choice, far_ends) = (self.choice(spans), self.far_ends(spans, text)?);
        let mut at = 0;
        loop {
            let end = self.end_of_piece(choice, &far_ends, text, at)?;
            if end == text.len() {
                return Ok(at);
            }
            self.give_at(&buffer[at..], end - at, numbering)?;
            at = end;
        }
    }

    #[inline]
    fn end_of_piece(
        &mut self,
        choice: Choice,
        far_ends: &HashMap<usize, usize>,
        text: &[u8],
        at: usize,
    ) -> Result<usize, Stop> {
        if let Some(&end) = far_ends.get(&at) {
            return Ok(end);
        }
        let found = self.pattern.one_at(choice, text, at)?;
        after(at, found.map_or(at, |(_, end)| end))
    }

    /// The pieces of a text from a place on, the last one, too.
    pub fn places(&mut self, text: &[u8], spans: Spans, from: usize) -> Result<Vec<Place>, Stop> {
        let (choice, far_ends) = (self.choice(spans), self.far_ends(spans, text)?);
        let (mut found, mut at) = (Vec::new(), from);
        while at < text.len() {
            let end = self.end_of_piece(choice, &far_ends, text, at)?;
            found.push((at, end));
            at = end;
        }
        Ok(found)
    }

    /// As `cut_once`, but as the language has it.
    fn cut_carefully(
        &mut self,
        buffer: &[u8],
        spans: Spans,
        care: &mut dyn Careful,
        numbering: &mut Numbering,
    ) -> Result<usize, Stop> {
        let mut found = care.places(self, unpadded(buffer), spans)?;
        let last = found.pop().ok_or(Stop)?;
        for (start, end) in found {
            self.give_at(&buffer[start..], end - start, numbering)?;
        }
        Ok(last.0)
    }

    fn choice(&mut self, spans: Spans) -> Choice {
        let (pattern, span_of) = (&mut self.pattern, &self.span_of);
        let is_in =
            |alternative: usize| span_of[alternative].is_none_or(|span| spans >> span & 1 == 1);
        *self.choices.entry(spans).or_insert_with(|| pattern.only(is_in))
    }

    fn spans_in(&mut self, text: &[u8]) -> Result<Spans, Stop> {
        let mut spans = 0;
        for (number, span) in self.spans.iter_mut().enumerate() {
            if memmem::find(text, &span.marker).is_some() && span.sought.search(text, 0)?.is_some()
            {
                spans |= 1 << number;
            }
        }
        Ok(spans)
    }

    pub fn far_ends(&mut self, spans: Spans, text: &[u8]) -> Result<HashMap<usize, usize>, Stop> {
        let mut ends = HashMap::new();
        for (number, span) in self.spans.iter_mut().enumerate() {
            if let Some(nesting) = span.nesting.as_mut().filter(|_| spans >> number & 1 == 1) {
                nesting.far_ends(text, &mut ends)?;
            }
        }
        Ok(ends)
    }

    /// The first span that may have begun a piece, and where its opener ends.
    fn opened_by(&mut self, spans: Spans, piece: &[u8]) -> Result<(usize, usize), Stop> {
        for (number, span) in self.spans.iter_mut().enumerate() {
            if spans >> number & 1 == 1 {
                if let Some((_, end)) = span.opener.at(piece, 0)? {
                    return Ok((number, end));
                }
            }
        }
        Err(Stop)
    }

    /// Give the piece of so many bytes that begins a text.
    #[inline]
    fn give_at(
        &mut self,
        text: &[u8],
        length: usize,
        numbering: &mut Numbering,
    ) -> Result<(), Stop> {
        match self.text_openers {
            None => numbering.take_at(text, length),
            Some(_) => self.give(&text[..length], numbering),
        }
    }

    /// Give a piece or, of a text without code, its words.
    #[inline]
    fn give(&mut self, piece: &[u8], numbering: &mut Numbering) -> Result<(), Stop> {
        let Some(openers) = &mut self.text_openers else {
            return numbering.take(piece);
        };
        if openers.at(piece, 0)?.is_none() {
            return numbering.take(piece);
        }
        let mut from = 0;
        while let Some(word) = self.words.search(piece, from)? {
            numbering.take(&piece[word.start..word.end])?;
            from = after(word.start, word.end)?;
        }
        Ok(())
    }
}
