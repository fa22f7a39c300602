//! Places in a text that is read, and when the kernel leaves one to Python.

use winnow_pattern::TooMuch;

/// The kernel leaves this text to Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

impl From<TooMuch> for Stop {
    fn from(_: TooMuch) -> Stop {
        Stop
    }
}

/// Spans of which a text may have some, as bits.
pub type Spans = u32;

/// Start and end of a piece of a text.
pub type Place = (usize, usize);

/// Where to go on; the tables match nothing empty.
pub fn after(start: usize, end: usize) -> Result<usize, Stop> {
    if end > start {
        Ok(end)
    } else {
        Err(Stop)
    }
}

/// As `bytes.isspace` has it.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
