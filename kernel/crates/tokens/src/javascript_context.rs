//! What stands before a place in JavaScript: what is open there, and whether a slash would divide (`javascript_reading`).

use std::collections::HashMap;

use memchr::memmem;

use super::javascript_doubts::{Doubts, Words};
use super::places::Stop;
use super::tables::JavaScriptTable;
use super::word_set::WordSet;
use winnow_pattern::{Pattern, Unserved};

/// What opens something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Opener {
    Parenthesis,
    Bracket,
    Brace,
    Tag,
    Children,
}

/// Something open: a bracket, a tag, or the children of an element.
pub struct Frame {
    pub opener: Opener,
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
        Frame { opener, divides: true, is_block: false, pending: false, inside: 0, closes: false }
    }
}

/// What the tokens that have been followed say of the next one.
pub struct State {
    /// Templates around it.
    pub depth: usize,
    pub frames: Vec<Frame>,
    /// Whether a slash would divide.
    pub divides: bool,
    last: Vec<u8>,
    pub begins_line: bool,
    begins_statement: bool,
    /// Whether a function or class has begun that is an expression.
    is_expression: bool,
    /// Whether no template without an end has been met.
    pub templates_end: bool,
    /// A slash before this place begins no regular expression.
    pub no_regex_before: usize,
    /// Where marks stand last in the text, as far as that was asked for.
    places: HashMap<Vec<u8>, Option<usize>>,
}

impl State {
    /// Before a text, or code in so many templates.
    pub fn new(depth: usize) -> State {
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

/// What the language is made of, made once for many texts.
pub struct JavaScript {
    pub regex: Pattern,
    pub name: Pattern,
    pub element: Pattern,
    pub word: Pattern,
    pub template_mark: Pattern,
    pub words: Words,
    pub bodies: WordSet,
    pub before_statement: WordSet,
    pub deepest: usize,
    pub doubts: Doubts,
}

/// Follows one text, or the code within a template of it.
pub struct JavaScriptReading<'l> {
    pub language: &'l mut JavaScript,
    pub state: State,
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

impl JavaScriptReading<'_> {
    /// Follow a token in a tag or between tags.
    pub fn follow_element(&mut self, text: &[u8], start: usize, token: &[u8]) {
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
                self.state.frames.push(Frame { closes, ..Frame::new(Opener::Tag) });
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
            if state.frames.last().is_some_and(|outer| outer.opener == Opener::Children) {
                state.frames.pop();
            }
        } else if state.last != b"/" {
            state.frames.push(Frame::new(Opener::Children));
        }
        state.divides = true;
    }

    /// Follow any other token.
    pub fn follow_code(&mut self, text: &[u8], start: usize, token: &[u8]) -> Result<(), Stop> {
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
        let place = self.last_place(text, &closing).max(self.last_place(text, b"/>"));
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
    Frame { divides: false, is_block: true, ..Frame::new(Opener::Brace) }
}
