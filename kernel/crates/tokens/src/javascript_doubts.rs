//! Where JavaScript could be misread (`javascript_reading`, which says why).

use memchr::memchr;

use super::pieces::{Joined, Pieces};
use super::places::Stop;
use super::tables::JavaScriptTable;
use super::word_set::WordSet;
use winnow_pattern::{Pattern, Unserved};

/// Words that say what follows them.
pub struct Words {
    pub before_expression: WordSet,
    pub statement_heads: WordSet,
}

/// Tells whether a text may have to be cut otherwise than it was.
pub struct Doubts {
    marked: Pattern,
    plain_template: Pattern,
    template_with_templates: Pattern,
    opens_lines: Pattern,
    operand: Pattern,
    mark: Pattern,
    tag_begins: Pattern,
    before_tag: WordSet,
    long_line: usize,
    near: usize,
}

/// The place of the token before; if there is none, of the last piece of the text.
fn before(pieces: Pieces, place: usize) -> usize {
    token_before(pieces, place).unwrap_or(pieces.len() - 1)
}

fn token_before(pieces: Pieces, place: usize) -> Option<usize> {
    (0..place).rev().find(|&earlier| {
        let token = pieces.token(earlier);
        let is_comment = [&b"//"[..], b"/*", b"<!--"].iter().any(|mark| token.starts_with(mark));
        !token.is_empty() && !is_comment
    })
}

impl Doubts {
    pub fn new(table: &JavaScriptTable) -> Result<Doubts, Unserved> {
        let pattern = |pattern: &Vec<u8>| Pattern::new(&[pattern]);
        Ok(Doubts {
            marked: pattern(&table.marked)?,
            plain_template: pattern(&table.plain_template)?,
            template_with_templates: pattern(&table.template_with_templates)?,
            opens_lines: pattern(&table.opens_lines)?,
            operand: pattern(&table.operand)?,
            mark: pattern(&table.mark)?,
            tag_begins: pattern(&table.tag_begins)?,
            before_tag: WordSet::new(&table.before_tag),
            long_line: table.long_line,
            near: table.near,
        })
    }

    /// Whether a piece may be misread, or may be what others are misread for.
    pub fn is_marked(&mut self, piece: &[u8]) -> Result<bool, Stop> {
        Ok(self.marked.at(piece, 0)?.is_some())
    }

    /// Whether a text may have to be cut otherwise, given its pieces and the places of the marked ones.
    pub fn are_there(
        &mut self,
        words: &Words,
        pieces: Pieces,
        marked: &[usize],
    ) -> Result<bool, Stop> {
        let (mut slashes, mut templates, mut may_have_text) = (Vec::new(), Vec::new(), false);
        for &place in marked {
            let token = pieces.token(place);
            if token.starts_with(b"/") && !matches!(token.get(1), Some(b'/' | b'*')) {
                if !self.is_certain(words, pieces, place, token)? {
                    slashes.push(place);
                }
            } else if token == b"--" {
                if place + 1 < pieces.len() && pieces.at(place + 1) == b">" {
                    return Ok(true);
                }
            } else if token.starts_with(b"`") && self.plain_template.at(token, 0)?.is_none() {
                templates.push(place);
            } else {
                may_have_text = true;
            }
        }
        if may_have_text && self.has_element(pieces)? {
            return Ok(true);
        }
        Ok(!(slashes.is_empty() && templates.is_empty())
            && self.may_be_misread(pieces, &slashes, &templates)?)
    }

    /// Whether a slash was read as it has to be, whatever encloses it.
    fn is_certain(
        &mut self,
        words: &Words,
        pieces: Pieces,
        place: usize,
        token: &[u8],
    ) -> Result<bool, Stop> {
        let is_regex = token.len() > 1 && token != b"/=";
        let place_before = token_before(pieces, place);
        let last = place_before.map_or(&b""[..], |place| pieces.token(place));
        if let Some(word) = place_before.filter(|_| words.before_expression.has(last)) {
            let earlier = pieces.token(before(pieces, word));
            return Ok(is_regex && earlier != b"." && earlier != b"?.");
        }
        if is_regex {
            let is_mark = self.mark.search(last, 0)?.is_some();
            return Ok(is_mark && !matches!(last, b"++" | b"--" | b"!"));
        }
        match place_before {
            Some(closing) if last == b")" => Ok(self.closes_operand(words, pieces, closing)),
            _ => Ok(self.operand.search(last, 0)?.is_some() && last != b"of"),
        }
    }

    /// Whether a parenthesis, of which the beginning is near, does not end the head of a statement.
    fn closes_operand(&self, words: &Words, pieces: Pieces, place: usize) -> bool {
        let mut depth = 0;
        for near in (0..=place).rev().take(self.near) {
            match pieces.at(near) {
                b")" => depth += 1,
                b"(" => depth -= 1,
                _ => (),
            }
            if depth == 0 {
                let head = pieces.token(before(pieces, near));
                // for await (...)
                return !(words.statement_heads.has(head) || head == b"await");
            }
        }
        false
    }

    fn may_be_misread(
        &mut self,
        pieces: Pieces,
        slashes: &[usize],
        templates: &[usize],
    ) -> Result<bool, Stop> {
        let Joined { text, starts } = pieces.joined();
        for &place in slashes {
            let slash = memchr(b'/', &text[starts[place]..])
                .map_or(text.len(), |found| starts[place] + found);
            if self.opens_lines(&text, slash)? {
                return Ok(true);
            }
        }
        for &place in templates {
            let whole = self.template_with_templates.at(&text, starts[place])?;
            if whole.is_none_or(|(_, end)| starts.binary_search(&end).is_err()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether something that may span lines follows a slash on its line; on a long one, whatever follows.
    fn opens_lines(&mut self, text: &[u8], slash: usize) -> Result<bool, Stop> {
        let far = slash + self.long_line;
        let line = memchr(b'\n', &text[slash..far.min(text.len())]);
        if line.is_none() && far < text.len() {
            return Ok(true);
        }
        let end = line.map_or(far, |found| slash + found + 1).min(text.len());
        Ok(self.opens_lines.search(&text[..end], slash)?.is_some())
    }

    /// Whether there is an element (JSX).
    fn has_element(&mut self, pieces: Pieces) -> Result<bool, Stop> {
        for place in pieces.places_of(b"<") {
            if place + 1 < pieces.len()
                && self.tag_begins.at(pieces.at(place + 1), 0)?.is_some()
                && self.before_tag.has(pieces.token(before(pieces, place)))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
