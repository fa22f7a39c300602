//! Reading with care (`careful_reading`): a reading of the language says where the pieces end that could be misread.

use std::collections::HashMap;

use super::cutting::{Careful, Cutter};
use super::pieces::Pieces;
use super::places::{after, is_space, Place, Spans, Stop};
use super::tables::Tables;
use winnow_pattern::{Choice, Pattern, Unserved};

/// Bytes before a place that a look-behind may need.
const AROUND: usize = 32;

/// What a single expression cannot tell in a language.
pub trait Language: Send {
    /// Whether a piece may be misread, or may be what others are misread for.
    fn is_marked(&mut self, piece: &[u8]) -> Result<bool, Stop>;

    /// Whether a text may have to be cut otherwise, given its pieces and the places of the marked ones.
    fn is_doubtful(&mut self, pieces: Pieces, marked: &[usize]) -> Result<bool, Stop>;

    /// What knows the language, for one text.
    fn reading<'t>(&'t mut self, text: &'t [u8]) -> Box<dyn Reading + 't>;
}

/// What a language makes of pieces.
pub trait Reading {
    /// Where the piece that begins at `start` ends for the language, or none if it is as guessed.
    fn end(
        &mut self,
        reader: &mut CarefulReader,
        start: usize,
        guessed: usize,
    ) -> Result<Option<usize>, Stop>;

    /// Take note of a piece.
    fn follow(&mut self, reader: &CarefulReader, start: usize, end: usize) -> Result<(), Stop>;
}

/// What reads the texts of a family with care.
pub struct Care {
    pub language: Box<dyn Language>,
    openers: Openers,
}

/// The expression that cuts a text, but of spans it only has the openers.
struct Openers {
    pattern: Pattern,
    span_of: Vec<Option<usize>>,
    choices: HashMap<Spans, Choice>,
    /// For each span, what matches it whole; it may end with the text.
    wholes: Vec<Pattern>,
}

impl Care {
    pub fn new(tables: &Tables, language: Box<dyn Language>) -> Result<Care, Unserved> {
        let (mut patterns, mut span_of) = (Vec::new(), Vec::new());
        for (span, pattern) in &tables.alternatives {
            match span {
                None => patterns.push(pattern),
                Some(span) if span_of.contains(&Some(*span)) => continue,
                Some(span) => patterns.extend(&tables.spans[*span].openers),
            }
            span_of.resize(patterns.len(), *span);
        }
        let wholes = (0..tables.spans.len()).map(|number| {
            let own = tables.alternatives.iter().filter(|(span, _)| *span == Some(number));
            Pattern::new(&own.map(|(_, pattern)| pattern).collect::<Vec<_>>())
        });
        let openers = Openers {
            pattern: Pattern::new(&patterns)?,
            span_of,
            choices: HashMap::new(),
            wholes: wholes.collect::<Result<_, _>>()?,
        };
        Ok(Care { language, openers })
    }
}

impl Careful for Care {
    fn places(
        &mut self,
        cutter: &mut Cutter,
        text: &[u8],
        spans: Spans,
    ) -> Result<Vec<Place>, Stop> {
        let far_ends = cutter.far_ends(spans, text)?;
        let openers = &mut self.openers;
        let choice = openers.choice(spans);
        let mut reader = CarefulReader { text, cutter, openers, spans, choice, far_ends };
        reader.pieces(&mut *self.language.reading(text))
    }
}

impl Openers {
    fn choice(&mut self, spans: Spans) -> Choice {
        let (pattern, span_of) = (&mut self.pattern, &self.span_of);
        let is_in = |number: usize| span_of[number].is_none_or(|span| spans >> span & 1 == 1);
        *self.choices.entry(spans).or_insert_with(|| pattern.only(is_in))
    }
}

/// Cuts one text, which ends with NUL.
pub struct CarefulReader<'r> {
    pub text: &'r [u8],
    cutter: &'r mut Cutter,
    openers: &'r mut Openers,
    spans: Spans,
    choice: Choice,
    far_ends: HashMap<usize, usize>,
}

/// A piece as guessed, of a span only the opener.
struct Guess {
    start: usize,
    end: usize,
    is_span: bool,
}

impl<'r> CarefulReader<'r> {
    /// All pieces; the last one ends with NUL.
    pub fn pieces(&mut self, reading: &mut dyn Reading) -> Result<Vec<Place>, Stop> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.text.len() {
            at = self.read_on(reading, at, &mut found)?;
        }
        Ok(found)
    }

    /// Where the piece that begins at `start` ends for a reading.
    pub fn end_of_piece(&mut self, start: usize, reading: &mut dyn Reading) -> Result<usize, Stop> {
        let guess = self.guess(start)?;
        match reading.end(self, start, guess.end)? {
            Some(end) => Ok(end),
            None => self.end(&guess),
        }
    }

    fn guess(&mut self, start: usize) -> Result<Guess, Stop> {
        let found = self.openers.pattern.one_at(self.choice, self.text, start)?;
        let (alternative, end) = found.ok_or(Stop)?;
        after(start, end)?;
        let is_span = self.openers.span_of[alternative as usize].is_some();
        Ok(Guess { start, end, is_span })
    }

    /// Read up to the end of a span or a doubtful line.
    fn read_on(
        &mut self,
        reading: &mut dyn Reading,
        from: usize,
        found: &mut Vec<Place>,
    ) -> Result<usize, Stop> {
        let mut at = from;
        while at < self.text.len() {
            let guess = self.guess(at)?;
            if let Some(end) = reading.end(self, at, guess.end)? {
                return self.read_line(reading, at, end, found);
            }
            let end = self.end(&guess)?;
            reading.follow(self, at, end)?;
            found.push((at, end));
            at = end;
        }
        Ok(at)
    }

    fn end(&mut self, guess: &Guess) -> Result<usize, Stop> {
        if !guess.is_span {
            return Ok(guess.end);
        }
        if let Some(&end) = self.far_ends.get(&guess.start) {
            return Ok(end);
        }
        for (number, whole) in self.openers.wholes.iter_mut().enumerate() {
            if self.spans >> number & 1 == 1 {
                if let Some((_, end)) = whole.at(self.text, guess.start)? {
                    return Ok(end);
                }
            }
        }
        Ok(guess.end)
    }

    /// Read from a piece with a known end up to the end of a line, or as far as a span goes from there.
    fn read_line(
        &mut self,
        reading: &mut dyn Reading,
        first: usize,
        first_end: usize,
        found: &mut Vec<Place>,
    ) -> Result<usize, Stop> {
        let (mut start, mut end, mut as_read) = (first, first_end, Vec::new());
        loop {
            after(start, end)?;
            reading.follow(self, start, end)?;
            as_read.push((start, end));
            let piece = &self.text[start..end];
            let ends_line = piece.contains(&b'\n') && piece.iter().all(|&byte| is_space(byte));
            if ends_line || matches!(self.text.get(end), None | Some(b'\n' | b'\0')) {
                break;
            }
            start = end;
            end = self.end_of_piece(end, reading)?;
        }
        let around = first.saturating_sub(AROUND);
        let mut part = self.text[around..end].to_vec();
        part.push(b'\0');
        let mut guessed = self.cutter.places(&part, self.spans, first - around)?;
        let last_is_end = guessed.pop() == Some((part.len() - 1, part.len()));
        if last_is_end && self.text[end - 1] != b'\0' {
            found.extend(guessed.iter().map(|(start, end)| (start + around, end + around)));
        } else {
            found.append(&mut as_read);
        }
        Ok(end)
    }
}
