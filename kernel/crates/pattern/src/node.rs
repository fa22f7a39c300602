//! The parts of a pattern.

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
    Repeat { part: Box<Node>, least: u32, most: u32, greedy: bool },
    Group { number: usize, part: Box<Node> },
    Same { number: usize },
    Look { part: Box<Node>, wanted: bool, behind: Option<usize> },
    At(Place),
}

/// As `most` of a repetition: there is no bound.
pub const UNBOUNDED: u32 = u32::MAX;

impl Node {
    /// Bytes that the part matches at least and at most.
    pub fn widths(&self) -> (usize, usize) {
        match self {
            Node::Set(_) => (1, 1),
            Node::Sequence(parts) => parts
                .iter()
                .map(Node::widths)
                .fold((0, 0), |sum, width| (sum.0 + width.0, sum.1.saturating_add(width.1))),
            Node::Either(parts) => parts
                .iter()
                .map(Node::widths)
                .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
                .unwrap_or((0, 0)),
            Node::Repeat { part, least, most, .. } => {
                let (shortest, longest) = part.widths();
                let most =
                    if *most == UNBOUNDED && longest > 0 { usize::MAX } else { *most as usize };
                (shortest.saturating_mul(*least as usize), longest.saturating_mul(most))
            }
            Node::Group { part, .. } => part.widths(),
            Node::Same { .. } => (0, usize::MAX),
            Node::Look { .. } | Node::At(_) => (0, 0),
        }
    }

    /// Whether a group is in it.
    pub fn holds_group(&self) -> bool {
        match self {
            Node::Set(_) | Node::Same { .. } | Node::At(_) => false,
            Node::Sequence(parts) | Node::Either(parts) => parts.iter().any(Node::holds_group),
            Node::Repeat { part, .. } | Node::Look { part, .. } => part.holds_group(),
            Node::Group { .. } => true,
        }
    }
}
