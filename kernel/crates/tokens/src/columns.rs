//! The columns of the tokens of a text and of its phrases, given the numbers of its pieces (`vocabulary`).

use hashbrown::HashSet;

use super::phrases::WORD;
use super::vocabulary::{place_of, Entry, Vocabulary, IS_SPECIAL, IS_TOKEN};

/// Columns of `model.Tokens`.
#[derive(Default)]
pub struct TokenColumns {
    pub structural: Vec<u64>,
    pub verbatim: Vec<u64>,
    pub first_lines: Vec<i32>,
    pub last_lines: Vec<i32>,
    pub sketch: Vec<u8>,
    pub phrases: PhraseColumns,
}

/// Columns of `model.Phrases`.
#[derive(Default)]
pub struct PhraseColumns {
    pub hashes: Vec<u64>,
    pub words: Vec<u8>,
    pub names: Vec<bool>,
    pub positions: Vec<i32>,
    pub lines: Vec<i32>,
}

/// The tokens of a text, and the lines that they start on.
#[derive(Default)]
struct Lined {
    tokens: Vec<u32>,
    first_lines: Vec<i32>,
    /// Of those that end on another line: that line.
    last_lines: Vec<(usize, i32)>,
    sayings: Vec<Saying>,
    /// Lines that import something, in rising order.
    importing: Vec<i32>,
}

impl Lined {
    /// Add a piece that begins on a line; how many lines end in it.
    fn add_special(&mut self, number: u32, entry: &Entry, line: i32, is_new: bool) -> i32 {
        if entry.phrases > 0 && is_new {
            let position = self.tokens.len() as i32;
            self.sayings.push(Saying { number, line, position });
        }
        if entry.imports {
            self.importing.push(line);
        }
        if number & IS_TOKEN > 0 {
            if entry.inside != entry.before {
                let last = line + entry.inside as i32;
                self.last_lines.push((self.tokens.len(), last));
            }
            self.tokens.push(number);
            self.first_lines.push(line + entry.before as i32);
        }
        entry.ends as i32
    }
}

/// A piece with phrases in a text.
struct Saying {
    number: u32,
    line: i32,
    position: i32,
}

impl Vocabulary {
    /// The tokens of a text, given the numbers of its pieces.
    pub fn tokens(&self, numbers: &[u32]) -> TokenColumns {
        let lined = self.lined(numbers);
        let ids = || lined.tokens.iter().map(|&number| &self.ids[place_of(number)]);
        let mut last_lines = lined.first_lines.clone();
        for &(token, line) in &lined.last_lines {
            last_lines[token] = line;
        }
        TokenColumns {
            structural: ids().map(|ids| ids.structural).collect(),
            verbatim: ids().map(|ids| ids.verbatim).collect(),
            sketch: ids().map(|ids| ids.sketch).collect(),
            first_lines: lined.first_lines,
            last_lines,
            phrases: self.phrase_columns(&lined.sayings, &lined.importing),
        }
    }

    fn lined(&self, numbers: &[u32]) -> Lined {
        let count = numbers.iter().filter(|&number| number & IS_TOKEN > 0).count();
        let mut lined = Lined {
            tokens: Vec::with_capacity(count),
            first_lines: Vec::with_capacity(count),
            ..Lined::default()
        };
        let mut line = 1;
        let mut told = vec![false; self.entries.len()];
        for &number in numbers {
            if number & IS_SPECIAL > 0 {
                let entry = &self.entries[place_of(number)];
                // A word is told once.
                let is_new = !std::mem::replace(&mut told[place_of(number)], self.is_word(entry));
                line += lined.add_special(number, entry, line, is_new);
            } else if number & IS_TOKEN > 0 {
                lined.tokens.push(number);
                lined.first_lines.push(line);
            }
        }
        lined
    }

    fn is_word(&self, entry: &Entry) -> bool {
        entry.phrases == 1 && self.phrases[entry.first_phrase as usize].words == WORD
    }

    /// The phrases of a text but those of pieces that also stand on a line that imports something.
    fn phrase_columns(&self, sayings: &[Saying], importing: &[i32]) -> PhraseColumns {
        let is_import = |saying: &&Saying| importing.binary_search(&saying.line).is_ok();
        let imported: HashSet<u32> =
            sayings.iter().filter(is_import).map(|saying| saying.number).collect();
        let mut columns = PhraseColumns::default();
        for saying in sayings.iter().filter(|saying| !imported.contains(&saying.number)) {
            let entry = &self.entries[place_of(saying.number)];
            let first = entry.first_phrase as usize;
            for phrase in &self.phrases[first..first + entry.phrases as usize] {
                columns.hashes.push(phrase.hash);
                columns.words.push(phrase.words);
                columns.names.push(entry.is_name);
                columns.positions.push(saying.position);
                columns.lines.push(saying.line + phrase.line as i32);
            }
        }
        columns
    }
}
