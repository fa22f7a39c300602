//! The pieces of a text that is read, and of one that was.

use super::classes::stripped;
use super::places::Stop;
use super::vocabulary::Vocabulary;

/// All pieces of a text, in order.
#[derive(Clone, Copy)]
pub struct Pieces<'v> {
    pub vocabulary: &'v Vocabulary,
    pub numbers: &'v [u32],
}

/// Numbers the pieces of a text.
pub struct Numbering<'v> {
    pub vocabulary: &'v mut Vocabulary,
    pub numbers: &'v mut Vec<u32>,
}

impl Numbering<'_> {
    /// Take a piece.
    pub fn take(&mut self, piece: &[u8]) -> Result<(), Stop> {
        self.numbers.push(self.vocabulary.number(piece)?);
        Ok(())
    }

    /// Take the piece of so many bytes that begins a text.
    #[inline]
    pub fn take_at(&mut self, text: &[u8], length: usize) -> Result<(), Stop> {
        self.numbers.push(self.vocabulary.number_at(text, length)?);
        Ok(())
    }
}

/// A text, and where its pieces begin; last, where it ends.
pub struct Joined {
    pub text: Vec<u8>,
    pub starts: Vec<usize>,
}

impl<'v> Pieces<'v> {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn at(&self, place: usize) -> &'v [u8] {
        self.vocabulary.piece(self.numbers[place])
    }

    /// Where a piece stands.
    pub fn places_of(&self, piece: &[u8]) -> impl Iterator<Item = usize> + 'v {
        let wanted = self.vocabulary.known(piece);
        let numbered = self.numbers.iter().enumerate();
        let found = numbered.filter(move |(_, &number)| Some(number) == wanted);
        found.map(|(place, _)| place)
    }

    /// A piece without white space at its ends.
    pub fn token(&self, place: usize) -> &'v [u8] {
        stripped(self.at(place))
    }

    pub fn joined(&self) -> Joined {
        let (mut text, mut starts) = (Vec::new(), Vec::with_capacity(self.len() + 1));
        for place in 0..self.len() {
            starts.push(text.len());
            text.extend_from_slice(self.at(place));
        }
        starts.push(text.len());
        Joined { text, starts }
    }
}
