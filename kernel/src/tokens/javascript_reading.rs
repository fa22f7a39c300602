//! What a slash, a backtick and a smaller-than sign mean in JavaScript (`javascript_reading`, which says why).

use std::collections::HashMap;

use memchr::{memchr, memmem};

use super::careful_reading::{is_space, CarefulReader, Language, Reading};
use super::classes::stripped;
use super::cutting::Stop;
use super::javascript_doubts::Doubts;
use super::pieces::Pieces;
use super::tables::JavaScriptTable;
use super::word_set::WordSet;
use crate::pattern::{Pattern, Unserved};

/// What the language is made of, made once for many texts.
pub struct JavaScript {
    regex: Pattern,
    name: Pattern,
    element: Pattern,
    word: Pattern,
    template_mark: Pattern,
    words: Words,
    bodies: WordSet,
    before_statement: WordSet,
    deepest: usize,
    doubts: Doubts,
}

/// Words that say what follows them.
pub struct Words {
    pub before_expression: WordSet,
    pub statement_heads: WordSet,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Opener {
    Parenthesis,
    Bracket,
    Brace,
    Tag,
    Children,
}

/// Something open: a bracket, a tag, or the children of an element.
struct Frame {
    opener: Opener,
    /// Whether a slash after its end divides.
    divides: bool,
    /// Whether it encloses statements.
    is_block: bool,
    /// Whether the body that follows its end is that of an expression.
    pending: bool,
    /// Questions that wait for their colon, or smaller-than signs that wait for their end.
    inside: usize,
    /// Whether it is a closing tag.
    closes: bool,
}

impl Frame {
    fn new(opener: Opener) -> Frame {
        Frame {
            opener,
            divides: true,
            is_block: false,
            pending: false,
            inside: 0,
            closes: false,
        }
    }
}

impl Language for JavaScript {
    fn is_marked(&mut self, piece: &[u8]) -> Result<bool, Stop> {
        self.doubts.is_marked(piece)
    }

    fn is_doubtful(&mut self, pieces: Pieces, marked: &[usize]) -> Result<bool, Stop> {
        self.doubts.are_there(&self.words, pieces, marked)
    }

    fn reading<'t>(&'t mut self, _: &'t [u8]) -> Box<dyn Reading + 't> {
        Box::new(JavaScriptReading {
            language: self,
            state: State::new(0),
        })
    }
}

/// Follows one text, or the code within a template of it.
struct JavaScriptReading<'l> {
    language: &'l mut JavaScript,
    state: State,
}

struct State {
    depth: usize,
    frames: Vec<Frame>,
    divides: bool,
    last: Vec<u8>,
    begins_line: bool,
    begins_statement: bool,
    is_expression: bool,
    templates_end: bool,
    no_regex_before: usize,
    places: HashMap<Vec<u8>, Option<usize>>,
}

impl State {
    fn new(depth: usize) -> State {
        State {
            depth,
            frames: Vec::new(),
            divides: false,
            last: Vec::new(),
            begins_line: true,
            begins_statement: true,
            is_expression: false,
            templates_end: true,
            no_regex_before: 0,
            places: HashMap::new(),
        }
    }
}

impl JavaScript {
    pub fn new(table: &JavaScriptTable) -> Result<JavaScript, Unserved> {
        let set = |words: &Vec<Vec<u8>>| WordSet::new(words);
        Ok(JavaScript {
            regex: Pattern::new(&[&table.regex])?,
            name: Pattern::new(&[&table.name])?,
            element: Pattern::new(&[&table.element])?,
            word: Pattern::new(&[&table.word])?,
            template_mark: Pattern::new(&[&table.template_mark])?,
            words: Words {
                before_expression: set(&table.before_expression),
                statement_heads: set(&table.statement_heads),
            },
            bodies: set(&table.bodies),
            before_statement: set(&table.before_statement),
            deepest: table.deepest_template,
            doubts: Doubts::new(table)?,
        })
    }
}

impl Reading for JavaScriptReading<'_> {
    fn end(
        &mut self,
        reader: &mut CarefulReader,
        start: usize,
        guessed: usize,
    ) -> Result<Option<usize>, Stop> {
        let text = reader.text;
        let piece = &text[start..guessed];
        match self.state.frames.last().map(|frame| frame.opener) {
            Some(Opener::Children) if piece == b"{" => return Ok(None),
            Some(Opener::Children) => return self.end_of_word(text, start, piece),
            Some(Opener::Tag) => return self.end_in_tag(text, start, piece),
            _ => (),
        }
        match piece[0] {
            b'`' => self.end_of_template(reader, start),
            b'-' if self.state.begins_line && text[start..].starts_with(b"-->") => {
                Ok(Some(end_of_line(text, start)))
            }
            first if first == b'/' || (is_space(first) && piece.contains(&b'/')) => {
                self.end_of_slash(text, start, piece)
            }
            _ => Ok(None),
        }
    }

    fn follow(&mut self, reader: &CarefulReader, start: usize, end: usize) -> Result<(), Stop> {
        let (text, piece) = (reader.text, &reader.text[start..end]);
        let token = stripped(piece);
        let within = self.state.frames.last().map(|frame| frame.opener);
        if matches!(within, Some(Opener::Tag | Opener::Children)) {
            self.follow_element(text, start, token);
        } else if token.is_empty() {
            self.state.begins_line |= piece.contains(&b'\n');
        } else if ![&b"//"[..], b"/*", b"<!--", b"-->"]
            .iter()
            .any(|mark| token.starts_with(mark))
        {
            self.follow_code(text, start, token)?;
            self.state.begins_line = false;
        }
        Ok(())
    }
}

impl JavaScriptReading<'_> {
    // ---- where pieces end ---------------------------------------------------------------------------------------

    fn end_of_slash(
        &mut self,
        text: &[u8],
        start: usize,
        piece: &[u8],
    ) -> Result<Option<usize>, Stop> {
        let blanks = piece.iter().take_while(|&&byte| is_space(byte)).count();
        let token = &piece[blanks..];
        if token.starts_with(b"//") || token.starts_with(b"/*") {
            return Ok(None);
        }
        let slash = start + blanks;
        let is_regex = token.len() > 1 && token != b"/=";
        if self.state.divides {
            let end = if slash > start { slash } else { slash + 1 };
            return Ok(is_regex.then_some(end));
        }
        if is_regex || slash < self.state.no_regex_before {
            return Ok(None);
        }
        let found = self.language.regex.at(text, slash)?;
        if found.is_none() {
            self.state.no_regex_before = end_of_line(text, slash);
        }
        Ok(found.map(|(_, end)| end))
    }

    fn end_of_template(
        &mut self,
        reader: &mut CarefulReader,
        start: usize,
    ) -> Result<Option<usize>, Stop> {
        if !self.state.templates_end || self.state.depth >= self.language.deepest {
            return Ok(None);
        }
        let text = reader.text;
        let (mut at, mut substitutes) = (start + 1, false);
        while let Some(mark) = self.language.template_mark.search(text, at)? {
            at = mark.end;
            match &text[mark.start..mark.end] {
                b"`" => return Ok(substitutes.then_some(at)),
                b"\0" => break,
                b"${" => {
                    substitutes = true;
                    at = self.end_of_substitution(reader, at)?;
                }
                _ => (),
            }
        }
        self.state.templates_end = false;
        Ok(None)
    }

    /// Where the code in a template ends; the end of the text if it does not.
    fn end_of_substitution(
        &mut self,
        reader: &mut CarefulReader,
        from: usize,
    ) -> Result<usize, Stop> {
        let mut inner = JavaScriptReading {
            language: &mut *self.language,
            state: State::new(self.state.depth + 1),
        };
        let mut at = from;
        while at < reader.text.len() {
            let end = reader.end_of_piece(at, &mut inner)?;
            // Where a template within does not end, neither does this one; each depth would read all of the text.
            if !inner.state.templates_end {
                break;
            }
            if &reader.text[at..end] == b"}" && inner.state.frames.is_empty() {
                return Ok(end);
            }
            inner.follow(reader, at, end)?;
            at = end;
        }
        Ok(reader.text.len())
    }

    fn end_in_tag(
        &mut self,
        text: &[u8],
        start: usize,
        piece: &[u8],
    ) -> Result<Option<usize>, Stop> {
        let first = piece[0];
        if matches!(first, b'"' | b'\'') {
            let end = memchr(first, &text[start + 1..]).map(|place| start + 1 + place + 1);
            return Ok(end.filter(|&end| end != start + piece.len()));
        }
        if first == b'{'
            || first.is_ascii_alphabetic()
            || piece.starts_with(b"//")
            || piece.starts_with(b"/*")
        {
            return Ok(None);
        }
        self.end_of_word(text, start, piece)
    }

    /// The end of a word, blanks or a mark, as which text is read.
    fn end_of_word(
        &mut self,
        text: &[u8],
        start: usize,
        piece: &[u8],
    ) -> Result<Option<usize>, Stop> {
        let end = self
            .language
            .word
            .at(text, start)?
            .map_or(start + 1, |(_, end)| end);
        let opens_span = piece == b"`" || piece == b"/*";
        Ok((end != start + piece.len() || opens_span).then_some(end))
    }

    // ---- what stands before -------------------------------------------------------------------------------------

    fn follow_element(&mut self, text: &[u8], start: usize, token: &[u8]) {
        let Some(frame) = self.state.frames.last_mut() else {
            return;
        };
        let is_tag = frame.opener == Opener::Tag;
        match token {
            b"{" => {
                self.state.frames.push(Frame::new(Opener::Brace));
                self.state.divides = false;
            }
            b"<" if is_tag => frame.inside += 1,
            b"<" => {
                let closes = text.get(start + 1) == Some(&b'/');
                self.state.frames.push(Frame {
                    closes,
                    ..Frame::new(Opener::Tag)
                });
            }
            b">" if is_tag => self.end_tag(),
            _ => (),
        }
        if !token.is_empty() {
            self.set_last(token);
        }
    }

    fn end_tag(&mut self) {
        let state = &mut self.state;
        let Some(mut frame) = state.frames.pop() else {
            return;
        };
        if frame.inside > 0 {
            frame.inside -= 1;
            state.frames.push(frame);
            return;
        }
        if frame.closes {
            if state
                .frames
                .last()
                .is_some_and(|outer| outer.opener == Opener::Children)
            {
                state.frames.pop();
            }
        } else if state.last != b"/" {
            state.frames.push(Frame::new(Opener::Children));
        }
        state.divides = true;
    }

    fn follow_code(&mut self, text: &[u8], start: usize, token: &[u8]) -> Result<(), Stop> {
        if self.language.name.at(token, 0)?.is_some() {
            self.follow_name(token);
            return Ok(());
        }
        match token {
            b"(" => self.open(Opener::Parenthesis),
            b"[" => self.open(Opener::Bracket),
            b"{" => self.open(Opener::Brace),
            b")" | b"]" | b"}" => self.close(),
            b"<" if !self.state.divides && self.is_element(text, start)? => {
                self.state.frames.push(Frame::new(Opener::Tag));
            }
            _ => self.follow_mark(token),
        }
        self.set_last(token);
        Ok(())
    }

    fn follow_name(&mut self, token: &[u8]) {
        let state = &mut self.state;
        if state.last == b"." || state.last == b"?." {
            state.divides = true;
            state.last = [b".", token].concat();
            return;
        }
        if self.language.bodies.has(token) {
            let begins = self.statement_begins();
            let last = self.state.last.as_slice();
            self.state.is_expression =
                !(begins || matches!(last, b"export" | b"default" | b"async"));
        }
        let state = &mut self.state;
        let is_of = token == b"of" && state.divides;
        state.divides = !is_of && !self.language.words.before_expression.has(token);
        // for await (...)
        if !(token == b"await" && state.last == b"for") {
            self.set_last(token);
        }
    }

    fn statement_begins(&self) -> bool {
        let state = &self.state;
        if self.language.before_statement.has(&state.last) {
            return true;
        }
        if matches!(state.last.as_slice(), b"{" | b"}" | b")" | b":") {
            return state.begins_statement;
        }
        state.divides && state.begins_line
    }

    fn open(&mut self, opener: Opener) {
        let mut frame = Frame::new(opener);
        match opener {
            Opener::Parenthesis => {
                frame.divides = !self.language.words.statement_heads.has(&self.state.last);
                frame.pending = std::mem::take(&mut self.state.is_expression);
            }
            Opener::Brace => {
                frame.is_block = self.opens_block();
                frame.divides = !frame.is_block || self.state.is_expression;
                self.state.is_expression = false;
            }
            _ => (),
        }
        self.state.divides = false;
        self.state.begins_statement = frame.is_block;
        self.state.frames.push(frame);
    }

    fn opens_block(&self) -> bool {
        let last = self.state.last.as_slice();
        if self.language.before_statement.has(last) || last == b")" || self.state.divides {
            return true;
        }
        matches!(last, b"{" | b"}" | b":") && self.state.begins_statement
    }

    fn close(&mut self) {
        let frame = self.state.frames.pop().unwrap_or_else(outside);
        self.state.divides = frame.divides;
        self.state.begins_statement = !frame.divides;
        if frame.opener == Opener::Parenthesis {
            self.state.is_expression = frame.pending;
        }
    }

    fn follow_mark(&mut self, token: &[u8]) {
        let state = &mut self.state;
        if matches!(token, b"++" | b"--") || (token == b"!" && state.divides) {
            return;
        }
        let mut none = outside();
        let frame = state.frames.last_mut().unwrap_or(&mut none);
        if token == b"?" {
            frame.inside += 1;
        } else if token == b":" {
            state.begins_statement = frame.is_block && frame.inside == 0;
            frame.inside = frame.inside.saturating_sub(1);
        }
        let operand = match token[0] {
            b'"' | b'\'' | b'`' | b'0'..=b'9' => true,
            b'/' | b'.' => token.len() > 1,
            _ => false,
        };
        state.divides = operand && token != b"/=" && token != b"...";
    }

    fn is_element(&mut self, text: &[u8], start: usize) -> Result<bool, Stop> {
        if self.language.element.at(text, start)?.is_none() {
            return Ok(false);
        }
        let Some((from, to)) = self.language.element.group(0) else {
            return Ok(true);
        };
        let closing = [b"</", &text[from..to]].concat();
        let place = self
            .last_place(text, &closing)
            .max(self.last_place(text, b"/>"));
        Ok(place.is_some_and(|place| place > start))
    }

    fn last_place(&mut self, text: &[u8], mark: &[u8]) -> Option<usize> {
        if let Some(&known) = self.state.places.get(mark) {
            return known;
        }
        let place = memmem::rfind(text, mark);
        self.state.places.insert(mark.to_vec(), place);
        place
    }

    fn set_last(&mut self, token: &[u8]) {
        self.state.last.clear();
        self.state.last.extend_from_slice(token);
    }
}

/// What encloses all that no bracket encloses.
fn outside() -> Frame {
    Frame {
        divides: false,
        is_block: true,
        ..Frame::new(Opener::Brace)
    }
}

fn end_of_line(text: &[u8], start: usize) -> usize {
    memchr(b'\n', &text[start..]).map_or(text.len() - 1, |place| start + place)
}
