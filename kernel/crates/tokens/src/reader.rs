//! Texts of one family, read one after the other.

use super::careful_reading::{Care, Language};
use super::columns::TokenColumns;
use super::cutting::{Careful, Cutter};
use super::here_document_reading::HereDocuments;
use super::javascript_context::JavaScript;
use super::pieces::{Numbering, Pieces};
use super::places::Stop;
use super::quotes_reading::Quotes;
use super::tables::{CareTable, Tables};
use super::vocabulary::Vocabulary;
use winnow_pattern::Unserved;

/// Reads the texts of one family of languages.
pub struct Reader {
    cutter: Cutter,
    care: Option<Care>,
    vocabulary: Vocabulary,
    /// Of the pieces of the text that was read.
    numbers: Vec<u32>,
}

impl Reader {
    /// # Errors
    /// `Unserved`, if the tables hold a pattern that is not served.
    pub fn new(tables: &Tables) -> Result<Reader, Unserved> {
        Ok(Reader {
            cutter: Cutter::new(tables)?,
            care: care(tables)?,
            vocabulary: Vocabulary::new(tables)?,
            numbers: Vec::new(),
        })
    }

    /// Read a text, with care if it has to be and has at most so many bytes; whether it was.
    ///
    /// # Errors
    /// `Stop`, if Python has to do it.
    pub fn read(&mut self, text: &[u8], most_careful: usize) -> Result<bool, Stop> {
        self.cut(text, false)?;
        let careful = text.len() <= most_careful && self.is_doubtful()?;
        if careful {
            self.cut(text, true)?;
        }
        Ok(careful)
    }

    /// Read a text with care, whether it has to be or not.
    ///
    /// # Errors
    /// `Stop`, if its family has no other way, or Python has to do it.
    pub fn read_with_care(&mut self, text: &[u8]) -> Result<(), Stop> {
        self.cut(text, true)
    }

    /// The tokens of the text that was read, and its phrases.
    pub fn tokens(&self) -> TokenColumns {
        self.vocabulary.tokens(&self.numbers)
    }

    /// The pieces of the text that was read, each by its number; joined, they are the text with plain line ends.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The piece of a number.
    pub fn piece(&self, number: u32) -> &[u8] {
        self.vocabulary.piece(number)
    }

    /// Forget the pieces of earlier texts, if they are many.
    pub fn forget_much(&mut self) {
        self.vocabulary.forget_much();
    }

    fn cut(&mut self, text: &[u8], careful: bool) -> Result<(), Stop> {
        let care = match (careful, &mut self.care) {
            (true, None) => return Err(Stop),
            (true, Some(care)) => Some(care as &mut dyn Careful),
            (false, _) => None,
        };
        let (vocabulary, numbers) = (&mut self.vocabulary, &mut self.numbers);
        numbers.clear();
        let mut numbering = Numbering { vocabulary, numbers };
        self.cutter.cut(text, care, &mut numbering)
    }

    /// Whether the text that was read has to be read with care.
    fn is_doubtful(&mut self) -> Result<bool, Stop> {
        let Some(care) = &mut self.care else {
            return Ok(false);
        };
        let (vocabulary, numbers) = (&mut self.vocabulary, &self.numbers);
        let marked = vocabulary.marked(numbers, |piece| care.language.is_marked(piece))?;
        let pieces = Pieces { vocabulary, numbers };
        Ok(!marked.is_empty() && care.language.is_doubtful(pieces, &marked)?)
    }
}

/// What reads a family's texts with care, if one expression could misread them.
fn care(tables: &Tables) -> Result<Option<Care>, Unserved> {
    let of_table = |table| Care::new(tables, language(table)?);
    tables.care.as_ref().map(of_table).transpose()
}

fn language(table: &CareTable) -> Result<Box<dyn Language>, Unserved> {
    match (&table.javascript, &table.quotes, &table.here_documents) {
        (Some(javascript), None, None) => Ok(Box::new(JavaScript::new(javascript)?)),
        (None, Some(quotes), None) => Ok(Box::new(Quotes::new(quotes)?)),
        (None, Some(quotes), Some(table)) => Ok(Box::new(HereDocuments::new(table, quotes)?)),
        _ => Err(Unserved("another way to read with care".into())),
    }
}
