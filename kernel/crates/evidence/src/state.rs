//! What state has around variables (`winnow_ci.languages.statements` defines it).

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::document::Document;
use super::statements::{Known, Sketches};

/// What a token is, as bits.
const SELF: u8 = 1;
const READS: u8 = 2;
const OPENS_ITEM: u8 = 4;
const CLOSES_ITEM: u8 = 8;
const SETS: u8 = 16;
const GOES_ON: u8 = 32;

/// What a family's tokens are, by structural ids.
pub struct StateWords {
    /// Attributes or items of an object that are set, at least.
    pub fewest_set: usize,
    /// Tokens on each side, and how many of them are around variables, at least.
    pub reach: usize,
    pub least_around: usize,
    pub known: Known,
    pub sketches: Sketches,
}

/// An attribute or item of an object: all of its tokens, and the one of its own name or string.
struct Variable {
    tokens: Range<usize>,
    at: usize,
}

impl StateWords {
    /// Which tokens stand around variables, where many do.
    pub fn marks(&self, document: &Document) -> Vec<bool> {
        let bits: Vec<u8> = document.structural.iter().map(|&id| self.known.bits(id)).collect();
        let variables = self.variables(document, &bits);
        let fields = fields(document, &bits, &variables);
        let is_state = |one: &&Variable| {
            let object = document.verbatim[one.tokens.start];
            fields.get(&object).is_some_and(|own| {
                let is_self = self.known.bits(object) & SELF > 0;
                let is_field = own.contains(&document.verbatim[one.at]) || !is_self;
                own.len() >= self.fewest_set && is_field
            })
        };
        let mut marks = vec![false; bits.len()];
        for one in variables.iter().filter(is_state) {
            marks[one.tokens.clone()].fill(true);
            marks[one.at] = false;
        }
        self.where_many_are(&marks)
    }

    fn variables(&self, document: &Document, bits: &[u8]) -> Vec<Variable> {
        let bit = |at: usize| bits.get(at).copied().unwrap_or(0);
        let is_name = |at: usize| self.sketches.is_name(document.sketch[at]);
        let variable = |at: usize| {
            let is_part = at > 0 && bits[at - 1] & READS > 0;
            if is_part || !(is_name(at) || bits[at] & SELF > 0) {
                return None;
            }
            let is_item = bits[at + 1] & OPENS_ITEM > 0
                && self.sketches.is_string(document.sketch[at + 2])
                && bit(at + 3) & CLOSES_ITEM > 0;
            let is_attribute = bits[at + 1] & READS > 0 && is_name(at + 2);
            let end = if is_item { at + 4 } else { at + 3 };
            (is_item || is_attribute).then_some(Variable { tokens: at..end, at: at + 2 })
        };
        (0..bits.len().saturating_sub(2)).filter_map(variable).collect()
    }

    fn where_many_are(&self, marks: &[bool]) -> Vec<bool> {
        let mut before = Vec::with_capacity(marks.len() + 1);
        before.push(0);
        before.extend(marks.iter().scan(0, |sum, &mark| {
            *sum += usize::from(mark);
            Some(*sum)
        }));
        let many = |at: usize| {
            let end = (at + self.reach + 1).min(marks.len());
            before[end] - before[at.saturating_sub(self.reach)] >= self.least_around
        };
        marks.iter().enumerate().map(|(at, &mark)| mark && many(at)).collect()
    }
}

/// The attributes that are set, and the items, of each object.
fn fields(document: &Document, bits: &[u8], variables: &[Variable]) -> HashMap<u64, HashSet<u64>> {
    let mut fields: HashMap<u64, HashSet<u64>> = HashMap::new();
    let (mut is_set, mut after) = (false, None);
    for one in variables.iter().rev() {
        let end = one.tokens.end;
        let next = bits.get(end).copied().unwrap_or(0);
        let goes_on = next & GOES_ON > 0 && after == Some(end + 1);
        is_set = next & SETS > 0 || (goes_on && is_set);
        after = Some(one.tokens.start);
        if is_set || bits[end - 1] & CLOSES_ITEM > 0 {
            let own = fields.entry(document.verbatim[one.tokens.start]).or_default();
            own.insert(document.verbatim[one.at]);
        }
    }
    fields
}
