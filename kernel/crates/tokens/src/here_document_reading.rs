//! Here-documents and documentation in Perl and Ruby (`here_document_reading`, which says what they are).

use std::collections::{HashMap, HashSet};

use memchr::{memchr, memchr2_iter};

use super::careful_reading::{CarefulReader, Language, Reading};
use super::classes::stripped;
use super::pieces::Pieces;
use super::places::{after, Stop};
use super::quotes_reading::{Quotes, QuotesReading};
use super::tables::{HereDocumentTable, QuoteTable};
use winnow_pattern::{Pattern, Unserved};

/// The strings, here-documents and documentation of a language.
pub struct HereDocuments {
    quotes: Quotes,
    marks: Marks,
}

/// What tells here-documents and documentation from operators.
struct Marks {
    /// Each with a name as its group; in the last one it has no quotation marks.
    openers: Pattern,
    plain_opener: u32,
    operand: Pattern,
    name: Pattern,
    subscript: Pattern,
    /// A name as its group, which gets a value.
    assigned: Pattern,
    prints: HashSet<Vec<u8>>,
    before_documentation: HashSet<Vec<u8>>,
    near: usize,
    assigned_near: usize,
    most_on_line: usize,
}

/// The last token before a piece, and the one before that.
#[derive(Default)]
struct Before {
    last: Vec<u8>,
    earlier: Vec<u8>,
}

/// Where lines and assignments are in a text, found when they are first asked for.
struct Places<'t> {
    text: &'t [u8],
    lines: Option<HashMap<&'t [u8], Vec<usize>>>,
    ends: HashMap<&'t [u8], Vec<usize>>,
    assignments: Option<HashMap<&'t [u8], Vec<usize>>>,
}

impl HereDocuments {
    pub fn new(table: &HereDocumentTable, quotes: &QuoteTable) -> Result<HereDocuments, Unserved> {
        let set = |words: &Vec<Vec<u8>>| words.iter().cloned().collect();
        let marks = Marks {
            openers: Pattern::new(&table.openers)?,
            plain_opener: table.openers.len() as u32 - 1,
            operand: Pattern::new(&[&table.operand])?,
            name: Pattern::new(&[&table.name])?,
            subscript: Pattern::new(&[&table.subscript])?,
            assigned: Pattern::new(&[&table.assigned])?,
            prints: set(&table.prints),
            before_documentation: set(&table.before_documentation),
            near: table.near,
            assigned_near: table.assigned_near,
            most_on_line: table.most_on_line,
        };
        let quotes = Quotes::new(quotes)?;
        Ok(HereDocuments { quotes, marks })
    }
}

impl Marks {
    fn is_documentation(&self, last: &[u8], piece: &[u8]) -> bool {
        self.before_documentation.contains(last) || piece.starts_with(b"=begin\n")
    }

    /// Where an operator, or more than one here-document, ends; none if it is one, or what it was taken for.
    fn end_of_here_document(
        &mut self,
        places: &mut Places,
        start: usize,
        before: &Before,
    ) -> Result<Option<usize>, Stop> {
        let text = places.text;
        if self.is_operand(places, start, before)? {
            return Ok(Some(start + 2));
        }
        // Without this, each of many shifts on a long line would have all of the line searched.
        if self.openers.at(text, start)?.is_none() {
            return Ok(None);
        }
        let Some(line) = memchr(b'\n', &text[start..]) else {
            return Ok(None);
        };
        let names = self.names(&text[..start + line], start)?;
        let mut at = start + line;
        for name in names.unwrap_or_default() {
            match places.line_behind(at, name) {
                Some(end) => at = end,
                None => return Ok(None),
            }
        }
        Ok((at > start + line).then_some(at))
    }

    /// The names of the here-documents that begin at a place and behind it, up to the end of the text; none if that is
    /// not more than one could be taken for.
    fn names<'t>(&mut self, text: &'t [u8], start: usize) -> Result<Option<Vec<&'t [u8]>>, Stop> {
        let (mut names, mut from, mut is_plain) = (Vec::new(), start, false);
        while let Some(opener) = self.openers.search(text, from)? {
            if names.is_empty() && opener.start != start {
                return Ok(None);
            }
            if names.len() == self.most_on_line {
                return Ok(None);
            }
            let group = self.openers.group(opener.alternative as usize);
            let (first, end) = group.ok_or(Stop)?;
            is_plain = opener.alternative == self.plain_opener;
            names.push(&text[first..end]);
            from = after(opener.start, opener.end)?;
        }
        let is_one = names.len() == 1 && is_plain;
        Ok((!is_one).then_some(names))
    }

    fn is_operand(
        &mut self,
        places: &mut Places,
        start: usize,
        before: &Before,
    ) -> Result<bool, Stop> {
        let last = before.last.as_slice();
        if last == b"class" {
            return Ok(true);
        }
        if last == b"}" {
            let near = &places.text[start.saturating_sub(self.near)..start];
            return Ok(self.subscript.search(near, 0)?.is_some());
        }
        if self.operand.at(last, 0)?.is_some() {
            return Ok(!self.prints.contains(&before.earlier));
        }
        if self.name.at(last, 0)?.is_none() {
            return Ok(false);
        }
        let near = start.saturating_sub(self.assigned_near);
        places.is_assigned(&mut self.assigned, last, near, start)
    }
}

impl<'t> Places<'t> {
    fn new(text: &'t [u8]) -> Places<'t> {
        Places { text, lines: None, ends: HashMap::new(), assignments: None }
    }

    /// The end of the next line that has nothing but a name behind its indentation.
    fn line_behind(&mut self, at: usize, name: &'t [u8]) -> Option<usize> {
        let text = self.text;
        let lines = self.lines.get_or_insert_with(|| lines(text));
        let ends = self.ends.entry(name).or_insert_with(|| {
            let ends = lines.get(unindented(name)).into_iter().flatten().copied();
            ends.filter(|&end| text[..end].ends_with(name)).collect()
        });
        ends.get(ends.partition_point(|&end| end <= at)).copied()
    }

    /// Whether a name gets a value between two places.
    fn is_assigned(
        &mut self,
        assigned: &mut Pattern,
        name: &[u8],
        from: usize,
        to: usize,
    ) -> Result<bool, Stop> {
        if self.assignments.is_none() {
            self.assignments = Some(assignments(assigned, self.text)?);
        }
        let starts = self.assignments.as_ref().and_then(|all| all.get(name));
        Ok(starts.is_some_and(|starts| {
            let next = starts.get(starts.partition_point(|&start| start < from));
            next.is_some_and(|&start| start < to)
        }))
    }
}

/// What stands on each line but the first one, behind its indentation, with the ends of such lines.
fn lines(text: &[u8]) -> HashMap<&[u8], Vec<usize>> {
    let mut found: HashMap<&[u8], Vec<usize>> = HashMap::new();
    let mut start = None;
    for end in memchr2_iter(b'\n', b'\0', text) {
        if let Some(start) = start {
            found.entry(unindented(&text[start..end])).or_default().push(end);
        }
        start = Some(end + 1);
    }
    found
}

/// Each name that gets a value, with the places where it does.
fn assignments<'t>(
    assigned: &mut Pattern,
    text: &'t [u8],
) -> Result<HashMap<&'t [u8], Vec<usize>>, Stop> {
    let (mut found, mut from): (HashMap<&[u8], Vec<usize>>, _) = (HashMap::new(), 0);
    while let Some(place) = assigned.search(text, from)? {
        let (start, end) = assigned.group(0).ok_or(Stop)?;
        found.entry(&text[start..end]).or_default().push(start);
        from = after(place.start, place.end)?;
    }
    Ok(found)
}

fn unindented(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    &line[blanks.count()..]
}

// ---- doubts -----------------------------------------------------------------------------------------------------

impl Language for HereDocuments {
    fn is_marked(&mut self, piece: &[u8]) -> Result<bool, Stop> {
        Ok(piece.starts_with(b"<<") || names_something(piece) || self.quotes.is_marked(piece)?)
    }

    fn is_doubtful(&mut self, pieces: Pieces, marked: &[usize]) -> Result<bool, Stop> {
        let mut strings = Vec::new();
        for &place in marked {
            if self.quotes.is_marked(pieces.at(place))? {
                strings.push(place);
            }
        }
        if self.quotes.is_doubtful(pieces, &strings)? {
            return Ok(true);
        }
        let mut joined = pieces.joined();
        joined.text.push(b'\0');
        let mut places = Places::new(&joined.text);
        for &place in marked {
            let (piece, before) = (pieces.at(place), before(pieces, place));
            if piece.starts_with(b"=") && !self.marks.is_documentation(&before.last, piece) {
                return Ok(true);
            }
            if piece.starts_with(b"<<") {
                let start = joined.starts[place];
                let end = self.marks.end_of_here_document(&mut places, start, &before)?;
                if end.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn reading<'t>(&'t mut self, text: &'t [u8]) -> Box<dyn Reading + 't> {
        Box::new(HereDocumentReading {
            quotes: QuotesReading::new(&mut self.quotes),
            marks: &mut self.marks,
            places: Places::new(text),
            before: Before::default(),
        })
    }
}

/// Whether a piece is `=` and a name.
fn names_something(piece: &[u8]) -> bool {
    piece[0] == b'=' && piece.get(1).is_some_and(u8::is_ascii_alphabetic)
}

/// The last tokens before a piece.
fn before(pieces: Pieces, place: usize) -> Before {
    let tokens = (0..place).rev().map(|earlier| pieces.token(earlier));
    let mut told = tokens.filter_map(told).map(<[u8]>::to_vec);
    Before { last: told.next().unwrap_or_default(), earlier: told.next().unwrap_or_default() }
}

/// A token as what follows it has to know it; none if it says nothing.
fn told(token: &[u8]) -> Option<&[u8]> {
    let ends = token.starts_with(b"<<") || token.starts_with(b"=");
    match token.first() {
        None | Some(b'#') => None,
        Some(_) if ends && token.contains(&b'\n') => Some(b";"),
        Some(_) => Some(token),
    }
}

// ---- reading ----------------------------------------------------------------------------------------------------

/// Knows where strings, here-documents and documentation end.
struct HereDocumentReading<'t> {
    quotes: QuotesReading<'t>,
    marks: &'t mut Marks,
    places: Places<'t>,
    before: Before,
}

impl Reading for HereDocumentReading<'_> {
    fn end(
        &mut self,
        reader: &mut CarefulReader,
        start: usize,
        guessed: usize,
    ) -> Result<Option<usize>, Stop> {
        let piece = &reader.text[start..guessed];
        if piece.starts_with(b"<<") {
            return self.marks.end_of_here_document(&mut self.places, start, &self.before);
        }
        if names_something(piece) {
            let is_documentation = self.marks.is_documentation(&self.before.last, piece);
            return Ok((!is_documentation).then_some(start + 1));
        }
        self.quotes.end(reader, start, guessed)
    }

    fn follow(&mut self, reader: &CarefulReader, start: usize, end: usize) -> Result<(), Stop> {
        if let Some(token) = told(stripped(&reader.text[start..end])) {
            std::mem::swap(&mut self.before.last, &mut self.before.earlier);
            self.before.last.clear();
            self.before.last.extend_from_slice(token);
        }
        Ok(())
    }
}
