//! Regular expressions of Python's `re` over bytes, parsed: the part of the syntax that the tables use.
//!
//! Whatever else a pattern holds is refused as `Unserved`, never read in another way than Python reads it.

use super::byte_set::ByteSet;

/// What a pattern holds that the kernel does not serve.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unserved(pub String);

/// A place between two bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    TextStart,
    LineStart,
    TextEnd,
    WordEdge,
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Set(ByteSet),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    Repeat {
        part: Box<Node>,
        least: u32,
        most: u32,
        greedy: bool,
    },
    Group {
        number: usize,
        part: Box<Node>,
    },
    Same {
        number: usize,
    },
    Look {
        part: Box<Node>,
        wanted: bool,
        behind: Option<usize>,
    },
    At(Place),
}

/// As `most` of a repetition: there is no bound.
pub const UNBOUNDED: u32 = u32::MAX;

impl Node {
    /// Bytes that the part matches at least and at most.
    pub fn widths(&self) -> (usize, usize) {
        match self {
            Node::Set(_) => (1, 1),
            Node::Sequence(parts) => parts.iter().map(Node::widths).fold((0, 0), |sum, width| {
                (sum.0 + width.0, sum.1.saturating_add(width.1))
            }),
            Node::Either(parts) => parts
                .iter()
                .map(Node::widths)
                .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
                .unwrap_or((0, 0)),
            Node::Repeat {
                part, least, most, ..
            } => {
                let (shortest, longest) = part.widths();
                let most = if *most == UNBOUNDED && longest > 0 {
                    usize::MAX
                } else {
                    *most as usize
                };
                (
                    shortest.saturating_mul(*least as usize),
                    longest.saturating_mul(most),
                )
            }
            Node::Group { part, .. } => part.widths(),
            Node::Same { .. } => (0, usize::MAX),
            Node::Look { .. } | Node::At(_) => (0, 0),
        }
    }

    fn holds_group(&self) -> bool {
        match self {
            Node::Set(_) | Node::Same { .. } | Node::At(_) => false,
            Node::Sequence(parts) | Node::Either(parts) => parts.iter().any(Node::holds_group),
            Node::Repeat { part, .. } | Node::Look { part, .. } => part.holds_group(),
            Node::Group { .. } => true,
        }
    }
}

/// Parse a pattern.
///
/// # Errors
/// `Unserved`, if it holds anything that the kernel does not know.
pub fn parse(pattern: &[u8]) -> Result<(Node, usize), Unserved> {
    let mut parser = Parser {
        pattern,
        at: 0,
        groups: 0,
        closed: Vec::new(),
        names: Vec::new(),
        many_lines: false,
    };
    if pattern.starts_with(b"(?m)") {
        parser.many_lines = true;
        parser.at = 4;
    }
    let node = parser.either()?;
    if parser.at < pattern.len() {
        return parser.refuse("a parenthesis");
    }
    Ok((node, parser.groups))
}

struct Parser<'a> {
    pattern: &'a [u8],
    at: usize,
    groups: usize,
    closed: Vec<usize>,
    names: Vec<(&'a [u8], usize)>,
    many_lines: bool,
}

const DIGITS: &[u8] = b"0123456789";
const SPACES: &[u8] = b" \t\n\r\x0b\x0c";

fn word_bytes() -> ByteSet {
    ByteSet::range(b'a', b'z')
        .or(&ByteSet::range(b'A', b'Z'))
        .or(&ByteSet::of(DIGITS))
        .or(&ByteSet::of(b"_"))
}

impl<'a> Parser<'a> {
    fn refuse<T>(&self, what: &str) -> Result<T, Unserved> {
        Err(Unserved(format!(
            "{what} at {} of {}",
            self.at,
            self.pattern.escape_ascii()
        )))
    }

    fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    fn take(&mut self, mark: &[u8]) -> bool {
        let found = self.pattern[self.at..].starts_with(mark);
        self.at += if found { mark.len() } else { 0 };
        found
    }

    fn next(&mut self) -> Result<u8, Unserved> {
        let Some(byte) = self.peek() else {
            return self.refuse("an early end");
        };
        self.at += 1;
        Ok(byte)
    }

    fn either(&mut self) -> Result<Node, Unserved> {
        let mut parts = vec![self.sequence()?];
        while self.take(b"|") {
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Node::Either(parts)
        })
    }

    fn sequence(&mut self) -> Result<Node, Unserved> {
        let mut parts = Vec::new();
        while !matches!(self.peek(), None | Some(b'|' | b')')) {
            let part = self.single()?;
            parts.push(self.repeated(part)?);
        }
        Ok(if parts.len() == 1 {
            parts.remove(0)
        } else {
            Node::Sequence(parts)
        })
    }

    fn single(&mut self) -> Result<Node, Unserved> {
        match self.next()? {
            b'(' => self.group(),
            b'[' => self.class().map(Node::Set),
            b'\\' => self.escape(),
            b'.' => Ok(Node::Set(ByteSet::of(b"\n").not())),
            b'^' if self.many_lines => Ok(Node::At(Place::LineStart)),
            b'^' => Ok(Node::At(Place::TextStart)),
            b'$' => self.refuse("a dollar sign"),
            b'*' | b'+' | b'?' => self.refuse("nothing to repeat"),
            byte => Ok(Node::Set(ByteSet::of(&[byte]))),
        }
    }

    fn repeated(&mut self, part: Node) -> Result<Node, Unserved> {
        let Some((least, most)) = self.bounds()? else {
            return Ok(part);
        };
        let greedy = !self.take(b"?");
        if self.peek() == Some(b'+') || matches!(self.peek(), Some(b'*' | b'?')) || least > most {
            return self.refuse("a repetition of a repetition");
        }
        if self.pattern[self.at..].starts_with(b"{") && self.bounds()?.is_some() {
            return self.refuse("a repetition of a repetition");
        }
        if most > 1 && part.widths().0 == 0 {
            return self.refuse("a repetition of what may be empty");
        }
        if part.holds_group() {
            return self.refuse("a repeated group");
        }
        Ok(Node::Repeat {
            part: Box::new(part),
            least,
            most,
            greedy,
        })
    }

    fn bounds(&mut self) -> Result<Option<(u32, u32)>, Unserved> {
        let found = match self.peek() {
            Some(b'*') => (0, UNBOUNDED),
            Some(b'+') => (1, UNBOUNDED),
            Some(b'?') => (0, 1),
            Some(b'{') => return self.braces(),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(found))
    }

    /// Bounds in braces; braces with anything else in them stand for themselves.
    fn braces(&mut self) -> Result<Option<(u32, u32)>, Unserved> {
        let begin = self.at;
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at = begin;
            return Ok(None);
        }
        let low = self.number();
        let high = if self.take(b",") {
            self.number()
        } else {
            low.clone()
        };
        if !self.take(b"}") {
            self.at = begin;
            return Ok(None);
        }
        let bound = |digits: String, otherwise| {
            let value = if digits.is_empty() {
                Ok(otherwise)
            } else {
                digits.parse::<u32>()
            };
            value
                .ok()
                .filter(|&value| value <= 1 << 16 || value == otherwise)
        };
        match (bound(low, 0), bound(high, UNBOUNDED)) {
            (Some(least), Some(most)) => Ok(Some((least, most))),
            _ => self.refuse("a large bound"),
        }
    }

    fn number(&mut self) -> String {
        let mut digits = String::new();
        while let Some(byte) = self.peek().filter(u8::is_ascii_digit) {
            digits.push(char::from(byte));
            self.at += 1;
        }
        digits
    }

    fn group(&mut self) -> Result<Node, Unserved> {
        if self.take(b"?:") {
            let node = self.either()?;
            return self.closed(node);
        }
        for (mark, wanted, behind) in [
            (&b"?="[..], true, false),
            (b"?!", false, false),
            (b"?<=", true, true),
            (b"?<!", false, true),
        ] {
            if self.take(mark) {
                return self.look(wanted, behind);
            }
        }
        if self.take(b"?P=") {
            let name = self.name(b')')?;
            let known = self
                .names
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, number)| *number);
            return self.same(known);
        }
        let named = self.take(b"?P<");
        if !named && self.peek() == Some(b'?') {
            return self.refuse("an extension");
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
        if self.take(b")") {
            return Ok(node);
        }
        self.refuse("no closing parenthesis")
    }

    fn name(&mut self, end: u8) -> Result<&'a [u8], Unserved> {
        let begin = self.at;
        while self.next()? != end {}
        Ok(&self.pattern[begin..self.at - 1])
    }

    fn same(&self, number: Option<usize>) -> Result<Node, Unserved> {
        match number {
            Some(number) if self.closed.contains(&number) => Ok(Node::Same { number }),
            _ => self.refuse("a reference to no group"),
        }
    }

    fn look(&mut self, wanted: bool, behind: bool) -> Result<Node, Unserved> {
        let node = self.either()?;
        if node.holds_group() {
            return self.refuse("a group in what looks around");
        }
        let (shortest, longest) = node.widths();
        if behind && shortest != longest {
            return self.refuse("looking behind for any width");
        }
        let part = Box::new(node);
        self.closed(Node::Look {
            part,
            wanted,
            behind: behind.then_some(shortest),
        })
    }

    fn escape(&mut self) -> Result<Node, Unserved> {
        match self.next()? {
            b'A' => Ok(Node::At(Place::TextStart)),
            b'Z' => Ok(Node::At(Place::TextEnd)),
            b'b' => Ok(Node::At(Place::WordEdge)),
            digit @ b'1'..=b'9' => {
                if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    return self.refuse("a reference of two digits");
                }
                self.same(Some(usize::from(digit - b'0')))
            }
            byte => self.escaped_set(byte).map(Node::Set),
        }
    }

    fn escaped_set(&mut self, byte: u8) -> Result<ByteSet, Unserved> {
        let class = match byte {
            b'd' | b'D' => ByteSet::of(DIGITS),
            b's' | b'S' => ByteSet::of(SPACES),
            b'w' | b'W' => word_bytes(),
            _ => return self.escaped_byte(byte).map(|byte| ByteSet::of(&[byte])),
        };
        Ok(if byte.is_ascii_uppercase() {
            class.not()
        } else {
            class
        })
    }

    fn escaped_byte(&mut self, byte: u8) -> Result<u8, Unserved> {
        match byte {
            b'n' => Ok(b'\n'),
            b't' => Ok(b'\t'),
            b'r' => Ok(b'\r'),
            b'f' => Ok(0x0c),
            b'v' => Ok(0x0b),
            b'a' => Ok(0x07),
            b'0' if !matches!(self.peek(), Some(b'0'..=b'7')) => Ok(0),
            b'x' => {
                let digits = [self.next()?, self.next()?];
                let text = std::str::from_utf8(&digits).ok();
                match text.and_then(|text| u8::from_str_radix(text, 16).ok()) {
                    Some(value) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(value),
                    _ => self.refuse("a hexadecimal escape"),
                }
            }
            byte if byte.is_ascii_alphanumeric() => self.refuse("an escape"),
            byte => Ok(byte),
        }
    }

    fn class(&mut self) -> Result<ByteSet, Unserved> {
        let negated = self.take(b"^");
        let mut set = ByteSet::NONE;
        let begin = self.at;
        loop {
            let byte = self.next()?;
            if byte == b']' && self.at > begin + 1 {
                break;
            }
            let first = self.member(byte)?;
            if self.peek() != Some(b'-') || self.pattern.get(self.at + 1) == Some(&b']') {
                set = set.or(&first);
                continue;
            }
            self.at += 1;
            let byte = self.next()?;
            let last = self.member(byte)?;
            match (first.bytes().as_slice(), last.bytes().as_slice()) {
                (&[first], &[last]) if first <= last => set = set.or(&ByteSet::range(first, last)),
                _ => return self.refuse("a range"),
            }
        }
        Ok(if negated { set.not() } else { set })
    }

    fn member(&mut self, byte: u8) -> Result<ByteSet, Unserved> {
        match byte {
            b'\\' => match self.next()? {
                b'b' => Ok(ByteSet::of(b"\x08")),
                byte => self.escaped_set(byte),
            },
            byte => Ok(ByteSet::of(&[byte])),
        }
    }
}
