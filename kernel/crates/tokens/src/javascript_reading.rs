//! What a slash, a backtick and a smaller-than sign mean in JavaScript (`javascript_reading`, which says why).

use memchr::memchr;

use super::careful_reading::{CarefulReader, Language, Reading};
use super::classes::stripped;
use super::javascript_context::{JavaScript, JavaScriptReading, Opener, State};
use super::pieces::Pieces;
use super::places::{is_space, Stop};

impl Language for JavaScript {
    fn is_marked(&mut self, piece: &[u8]) -> Result<bool, Stop> {
        self.doubts.is_marked(piece)
    }

    fn is_doubtful(&mut self, pieces: Pieces, marked: &[usize]) -> Result<bool, Stop> {
        self.doubts.are_there(&self.words, pieces, marked)
    }

    fn reading<'t>(&'t mut self, _: &'t [u8]) -> Box<dyn Reading + 't> {
        Box::new(JavaScriptReading { language: self, state: State::new(0) })
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
        } else if ![&b"//"[..], b"/*", b"<!--", b"-->"].iter().any(|mark| token.starts_with(mark)) {
            self.follow_code(text, start, token)?;
            self.state.begins_line = false;
        }
        Ok(())
    }
}

impl JavaScriptReading<'_> {
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
        let end = self.language.word.at(text, start)?.map_or(start + 1, |(_, end)| end);
        let opens_span = piece == b"`" || piece == b"/*";
        Ok((end != start + piece.len() || opens_span).then_some(end))
    }
}

fn end_of_line(text: &[u8], start: usize) -> usize {
    memchr(b'\n', &text[start..]).map_or(text.len() - 1, |place| start + place)
}
