//! A pattern that is read, byte by byte.

use super::node::Unserved;

pub struct Cursor<'a> {
    pub pattern: &'a [u8],
    pub at: usize,
}

impl Cursor<'_> {
    pub fn refuse<T>(&self, what: &str) -> Result<T, Unserved> {
        Err(Unserved(format!("{what} at {} of {}", self.at, self.pattern.escape_ascii())))
    }

    pub fn peek(&self) -> Option<u8> {
        self.pattern.get(self.at).copied()
    }

    pub fn take(&mut self, mark: &[u8]) -> bool {
        let found = self.pattern[self.at..].starts_with(mark);
        self.at += if found { mark.len() } else { 0 };
        found
    }

    pub fn next(&mut self) -> Result<u8, Unserved> {
        let Some(byte) = self.peek() else {
            return self.refuse("an early end");
        };
        self.at += 1;
        Ok(byte)
    }
}
