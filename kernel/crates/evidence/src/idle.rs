//! Statements without effect (`winnow_ci.languages.statements` defines them).

use std::ops::Range;

use hashbrown::HashMap;

use super::document::Document;
use super::statements::{Known, Sketches};

/// What a token is, as bits.
const OPENS: u8 = 1;
const CLOSES: u8 = 2;
const ASSIGNS: u8 = 4;
const OF_ANOTHER: u8 = 8;
const NO_START: u8 = 16;
const NO_END: u8 = 32;
const JUMPS: u8 = 64;

/// What a family's tokens are, by structural ids.
pub struct IdleWords {
    pub most_in_a_row: usize,
    /// Tokens from one such statement to the next one, at most.
    pub near: usize,
    /// Tokens of a statement, at least.
    pub shortest: usize,
    pub known: Known,
    pub sketches: Sketches,
}

/// Lines outside of brackets.
struct Statement {
    tokens: Range<usize>,
    /// Whether it leads nowhere, and no other begins in it.
    is_whole: bool,
    /// Its first token outside of brackets that assigns.
    assigns: Option<usize>,
}

impl IdleWords {
    /// Which tokens stand in a statement without effect near another one.
    pub fn marks(&self, document: &Document) -> Vec<bool> {
        let mut marks = vec![false; document.structural.len()];
        let bits: Vec<u8> = document.structural.iter().map(|&id| self.known.bits(id)).collect();
        let statements = statements(document, &bits, self.shortest);
        let single = self.single(document, &statements, &bits);
        let idle: Vec<usize> = (0..statements.len())
            .filter(|&number| {
                let one = &statements[number];
                one.is_whole && (self.says_numbers(document, one) || single[number])
            })
            .collect();
        for number in self.scattered(&idle, |number| statements[number].tokens.start) {
            marks[statements[number].tokens.clone()].fill(true);
        }
        marks
    }

    /// Those of statements, given by rising numbers, that stand in no row, and near another one.
    fn scattered(&self, idle: &[usize], start_of: impl Fn(usize) -> usize) -> Vec<usize> {
        let rows = idle.chunk_by(|one, next| one + 1 == *next);
        let short: Vec<usize> =
            rows.filter(|row| row.len() <= self.most_in_a_row).flatten().copied().collect();
        let is_near = |pair: &[usize]| start_of(pair[1]) - start_of(pair[0]) <= self.near;
        let near: Vec<bool> = short.windows(2).map(is_near).collect();
        let has_near = |at: usize| {
            at.checked_sub(1).is_some_and(|before| near[before]) || near.get(at) == Some(&true)
        };
        (0..short.len()).filter(|&at| has_near(at)).map(|at| short[at]).collect()
    }

    /// Whether a statement has numbers and no name.
    fn says_numbers(&self, document: &Document, one: &Statement) -> bool {
        let sketch = &document.sketch[one.tokens.clone()];
        sketch.iter().any(|&one| self.sketches.is_number(one))
            && !sketch.iter().any(|&one| self.sketches.is_name(one))
    }

    /// Which of the whole statements first assign to a name that stands nowhere else.
    fn single(&self, document: &Document, statements: &[Statement], bits: &[u8]) -> Vec<bool> {
        let name = |one: &Statement| {
            let at = one.assigns.filter(|&at| one.is_whole && at > one.tokens.start)?;
            let is_own = bits[at.saturating_sub(2)] & OF_ANOTHER == 0;
            (self.sketches.is_name(document.sketch[at - 1]) && is_own)
                .then(|| document.verbatim[at - 1])
        };
        let names: Vec<Option<u64>> = statements.iter().map(name).collect();
        let mut counts: HashMap<u64, usize> =
            names.iter().flatten().map(|&name| (name, 0)).collect();
        if !counts.is_empty() {
            for (text, &sketch) in document.verbatim.iter().zip(document.sketch) {
                if self.sketches.is_name(sketch) {
                    counts.entry(*text).and_modify(|count| *count += 1);
                }
            }
        }
        names.iter().map(|name| name.is_some_and(|name| counts[&name] == 1)).collect()
    }
}

/// The statements of a document, given what its tokens are.
fn statements(document: &Document, bits: &[u8], shortest: usize) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    let (mut start, mut open, mut jumps, mut assigns, mut goes_on_here) =
        (0, 0i64, false, None, false);
    for (at, &one) in bits.iter().enumerate() {
        open += i64::from(one & OPENS > 0) - i64::from(one & CLOSES > 0);
        // A bracket that closes nothing is in no statement's way.
        open = open.max(0);
        jumps |= one & JUMPS > 0;
        if one & ASSIGNS > 0 && open == 0 {
            assigns = assigns.or(Some(at));
        }
        if at + 1 == bits.len() || (open == 0 && document.ends_line(at, bits.len())) {
            let goes_on = one & NO_END > 0;
            let is_long = at + 1 - start >= shortest;
            let is_whole =
                is_long && !goes_on && !goes_on_here && bits[start] & NO_START == 0 && !jumps;
            statements.push(Statement { tokens: start..at + 1, is_whole, assigns });
            goes_on_here = goes_on && one & NO_START == 0;
            (start, jumps, assigns) = (at + 1, false, None);
        }
    }
    statements
}
