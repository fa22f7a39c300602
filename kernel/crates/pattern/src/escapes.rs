//! What stands after a backslash, and between brackets, in a pattern.

use super::byte_set::ByteSet;
use super::cursor::Cursor;
use super::node::Unserved;

const DIGITS: &[u8] = b"0123456789";
const SPACES: &[u8] = b" \t\n\r\x0b\x0c";

fn word_bytes() -> ByteSet {
    ByteSet::range(b'a', b'z')
        .or(&ByteSet::range(b'A', b'Z'))
        .or(&ByteSet::of(DIGITS))
        .or(&ByteSet::of(b"_"))
}

impl Cursor<'_> {
    /// The bytes that a byte after a backslash stands for.
    pub fn escaped_set(&mut self, byte: u8) -> Result<ByteSet, Unserved> {
        let class = match byte {
            b'd' | b'D' => ByteSet::of(DIGITS),
            b's' | b'S' => ByteSet::of(SPACES),
            b'w' | b'W' => word_bytes(),
            _ => return self.escaped_byte(byte).map(|byte| ByteSet::of(&[byte])),
        };
        Ok(if byte.is_ascii_uppercase() { class.not() } else { class })
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

    /// The bytes between brackets, of which the first was read.
    pub fn class(&mut self) -> Result<ByteSet, Unserved> {
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
