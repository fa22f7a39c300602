//! Statements that import something (`winnow_ci.languages.statements` defines them).

use super::document::Document;
use super::statements::{Known, Sketches};

/// What a token is, as bits.
const FITS: u8 = 1;
const OPENS: u8 = 2;
const CLOSES: u8 = 4;
const ENDS: u8 = 8;

/// How a front end's statements begin, and what they are made of; by verbatim ids.
pub struct ImportWords {
    /// Tokens of the last statement at most.
    pub longest: usize,
    pub words: Vec<u64>,
    /// What the second token has to be; any, if there are none.
    pub directives: Vec<u64>,
    pub known: Known,
    pub sketches: Sketches,
}

/// Where a statement that begins somewhere ends.
struct Walk {
    /// Its last token, if it is whole.
    stop: Option<usize>,
    is_one_line: bool,
    /// The first token that fits into no statement.
    limit: usize,
}

impl ImportWords {
    /// Which tokens stand in such a statement.
    pub fn marks(&self, document: &Document) -> Vec<bool> {
        let mut marks = vec![false; document.verbatim.len()];
        let starts = self.starts(document);
        let Some(&last) = starts.last() else {
            return marks;
        };
        let end = (last + self.longest).min(marks.len());
        let mut before = 0;
        for start in starts {
            let walk = self.walk(document, start, end, start < before);
            if !walk.is_one_line {
                // Of what is not whole, nothing is looked at twice.
                if start < before {
                    continue;
                }
                before = walk.limit;
            }
            if let Some(stop) = walk.stop {
                marks[start..=stop].fill(true);
            }
        }
        marks
    }

    /// The tokens that begin a line and may begin a statement.
    fn starts(&self, document: &Document) -> Vec<usize> {
        let texts = document.verbatim;
        let begins = |at: usize| {
            let next = texts[(at + 1).min(texts.len() - 1)];
            (at == 0 || document.ends_line(at - 1, texts.len()))
                && (self.directives.is_empty() || self.directives.contains(&next))
        };
        (0..texts.len()).filter(|&at| self.words.contains(&texts[at]) && begins(at)).collect()
    }

    /// Go on to where brackets that were opened are closed at the end of a line, or to the end of the line if only a
    /// statement of one is wanted.
    fn walk(&self, document: &Document, start: usize, end: usize, one_line: bool) -> Walk {
        let (mut open, mut lines, mut stop, mut is_one_line) = (0i64, 0, None, false);
        for at in start..end {
            let bits = self.bits(document, at);
            if at > start {
                if bits == 0 {
                    return Walk { stop, is_one_line, limit: at };
                }
                open += i64::from(bits & OPENS > 0) - i64::from(bits & CLOSES > 0);
            }
            if bits & ENDS > 0 || document.ends_line(at, end) {
                if stop.is_none() && open <= 0 {
                    (stop, is_one_line) = (Some(at), lines == 0);
                }
                lines += 1;
                if is_one_line || one_line {
                    break;
                }
            }
        }
        Walk { stop, is_one_line, limit: end }
    }

    fn bits(&self, document: &Document, at: usize) -> u8 {
        let sketch = document.sketch[at];
        let fits = self.sketches.is_name(sketch) || self.sketches.is_string(sketch);
        self.known.bits(document.verbatim[at]) | if fits { FITS } else { 0 }
    }
}
