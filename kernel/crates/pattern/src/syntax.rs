//! Regular expressions of Python's `re` over bytes, parsed: the part of the syntax that the tables use.
//!
//! Whatever else a pattern holds is refused as `Unserved`, never read in another way than Python reads it.

use super::byte_set::ByteSet;
use super::cursor::Cursor;
use super::node::{Node, Place, Unserved, UNBOUNDED};

/// Parse a pattern.
///
/// # Errors
/// `Unserved`, if it holds anything that the kernel does not know.
pub fn parse(pattern: &[u8]) -> Result<(Node, usize), Unserved> {
    let mut parser = Parser {
        cursor: Cursor { pattern, at: 0 },
        groups: 0,
        closed: Vec::new(),
        names: Vec::new(),
        many_lines: false,
    };
    if pattern.starts_with(b"(?m)") {
        parser.many_lines = true;
        parser.cursor.at = 4;
    }
    let node = parser.either()?;
    if parser.cursor.at < pattern.len() {
        return parser.cursor.refuse("a parenthesis");
    }
    Ok((node, parser.groups))
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    groups: usize,
    closed: Vec<usize>,
    names: Vec<(&'a [u8], usize)>,
    many_lines: bool,
}

impl<'a> Parser<'a> {
    fn either(&mut self) -> Result<Node, Unserved> {
        let mut parts = vec![self.sequence()?];
        while self.cursor.take(b"|") {
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Node::Either(parts) })
    }

    fn sequence(&mut self) -> Result<Node, Unserved> {
        let mut parts = Vec::new();
        while !matches!(self.cursor.peek(), None | Some(b'|' | b')')) {
            let part = self.single()?;
            parts.push(self.repeated(part)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Node::Sequence(parts) })
    }

    fn single(&mut self) -> Result<Node, Unserved> {
        match self.cursor.next()? {
            b'(' => self.group(),
            b'[' => self.cursor.class().map(Node::Set),
            b'\\' => self.escape(),
            b'.' => Ok(Node::Set(ByteSet::of(b"\n").not())),
            b'^' if self.many_lines => Ok(Node::At(Place::LineStart)),
            b'^' => Ok(Node::At(Place::TextStart)),
            b'$' => self.cursor.refuse("a dollar sign"),
            b'*' | b'+' | b'?' => self.cursor.refuse("nothing to repeat"),
            byte => Ok(Node::Set(ByteSet::of(&[byte]))),
        }
    }

    fn escape(&mut self) -> Result<Node, Unserved> {
        match self.cursor.next()? {
            b'A' => Ok(Node::At(Place::TextStart)),
            b'Z' => Ok(Node::At(Place::TextEnd)),
            b'b' => Ok(Node::At(Place::WordEdge)),
            digit @ b'1'..=b'9' => {
                if self.cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    return self.cursor.refuse("a reference of two digits");
                }
                self.same(Some(usize::from(digit - b'0')))
            }
            byte => self.cursor.escaped_set(byte).map(Node::Set),
        }
    }

    fn repeated(&mut self, part: Node) -> Result<Node, Unserved> {
        let Some((least, most)) = self.bounds()? else {
            return Ok(part);
        };
        let greedy = !self.cursor.take(b"?");
        if self.cursor.peek() == Some(b'+')
            || matches!(self.cursor.peek(), Some(b'*' | b'?'))
            || least > most
        {
            return self.cursor.refuse("a repetition of a repetition");
        }
        if self.cursor.pattern[self.cursor.at..].starts_with(b"{") && self.bounds()?.is_some() {
            return self.cursor.refuse("a repetition of a repetition");
        }
        if most > 1 && part.widths().0 == 0 {
            return self.cursor.refuse("a repetition of what may be empty");
        }
        if part.holds_group() {
            return self.cursor.refuse("a repeated group");
        }
        Ok(Node::Repeat { part: Box::new(part), least, most, greedy })
    }

    fn bounds(&mut self) -> Result<Option<(u32, u32)>, Unserved> {
        let found = match self.cursor.peek() {
            Some(b'*') => (0, UNBOUNDED),
            Some(b'+') => (1, UNBOUNDED),
            Some(b'?') => (0, 1),
            Some(b'{') => return self.braces(),
            _ => return Ok(None),
        };
        self.cursor.at += 1;
        Ok(Some(found))
    }

    /// Bounds in braces; braces with anything else in them stand for themselves.
    fn braces(&mut self) -> Result<Option<(u32, u32)>, Unserved> {
        let begin = self.cursor.at;
        self.cursor.at += 1;
        if self.cursor.peek() == Some(b'}') {
            self.cursor.at = begin;
            return Ok(None);
        }
        let low = self.number();
        let high = if self.cursor.take(b",") { self.number() } else { low.clone() };
        if !self.cursor.take(b"}") {
            self.cursor.at = begin;
            return Ok(None);
        }
        let bound = |digits: String, otherwise| {
            let value = if digits.is_empty() { Ok(otherwise) } else { digits.parse::<u32>() };
            value.ok().filter(|&value| value <= 1 << 16 || value == otherwise)
        };
        match (bound(low, 0), bound(high, UNBOUNDED)) {
            (Some(least), Some(most)) => Ok(Some((least, most))),
            _ => self.cursor.refuse("a large bound"),
        }
    }

    fn number(&mut self) -> String {
        let mut digits = String::new();
        while let Some(byte) = self.cursor.peek().filter(u8::is_ascii_digit) {
            digits.push(char::from(byte));
            self.cursor.at += 1;
        }
        digits
    }

    fn group(&mut self) -> Result<Node, Unserved> {
        if self.cursor.take(b"?:") {
            let node = self.either()?;
            return self.closed(node);
        }
        for (mark, wanted, behind) in [
            (&b"?="[..], true, false),
            (b"?!", false, false),
            (b"?<=", true, true),
            (b"?<!", false, true),
        ] {
            if self.cursor.take(mark) {
                return self.look(wanted, behind);
            }
        }
        if self.cursor.take(b"?P=") {
            let name = self.name(b')')?;
            let known =
                self.names.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
            return self.same(known);
        }
        let named = self.cursor.take(b"?P<");
        if !named && self.cursor.peek() == Some(b'?') {
            return self.cursor.refuse("an extension");
        }
        self.groups += 1;
        let number = self.groups;
        if named {
            let name = self.name(b'>')?;
            self.names.push((name, number));
        }
        let part = Box::new(self.either()?);
        self.closed.push(number);
        self.closed(Node::Group { number, part })
    }

    fn closed(&mut self, node: Node) -> Result<Node, Unserved> {
        if self.cursor.take(b")") {
            return Ok(node);
        }
        self.cursor.refuse("no closing parenthesis")
    }

    fn name(&mut self, end: u8) -> Result<&'a [u8], Unserved> {
        let begin = self.cursor.at;
        while self.cursor.next()? != end {}
        Ok(&self.cursor.pattern[begin..self.cursor.at - 1])
    }

    fn same(&self, number: Option<usize>) -> Result<Node, Unserved> {
        match number {
            Some(number) if self.closed.contains(&number) => Ok(Node::Same { number }),
            _ => self.cursor.refuse("a reference to no group"),
        }
    }

    fn look(&mut self, wanted: bool, behind: bool) -> Result<Node, Unserved> {
        let node = self.either()?;
        if node.holds_group() {
            return self.cursor.refuse("a group in what looks around");
        }
        let (shortest, longest) = node.widths();
        if behind && shortest != longest {
            return self.cursor.refuse("looking behind for any width");
        }
        let part = Box::new(node);
        self.closed(Node::Look { part, wanted, behind: behind.then_some(shortest) })
    }
}
