//! The tables of a family of languages, as `winnow_ci.languages.table_tokenizer` hands them over.

/// All that a tokenizer knows of its languages.
#[derive(Default)]
pub struct Tables {
    /// Seeds the ids.
    pub name: Vec<u8>,
    pub line_comment: Vec<u8>,
    pub quotes: Vec<u8>,
    pub spans: Vec<SpanTable>,
    /// The alternatives of the expression that cuts a text, in order; those of a span with its number.
    pub alternatives: Vec<(Option<usize>, Vec<u8>)>,
    /// Where code begins; empty if a file has nothing but code.
    pub begins_as_text: Vec<u8>,
    pub sketches: SketchTable,
    /// Openers of spans of which each word is read, and what such words are.
    pub text_openers: Vec<Vec<u8>>,
    pub words: Vec<u8>,
    pub rewritten: Vec<(Vec<u8>, u8)>,
    /// What a stripped piece is, by its beginning; the first that matches counts.
    pub kinds: Vec<(String, Vec<u8>)>,
    pub keywords: Vec<Vec<u8>>,
    /// Tokens, each with another one that has the same ids.
    pub spellings: Vec<(Vec<u8>, Vec<u8>)>,
    /// Kinds that may be written in any case.
    pub any_case: Vec<String>,
    pub phrases: PhraseTable,
    /// How it is read with care; none if it never is.
    pub care: Option<CareTable>,
    /// Pieces and bytes beyond which a vocabulary is forgotten.
    pub most_pieces: usize,
    pub most_bytes: usize,
}

/// The sketch bytes of each structural class: the first, and how many (`model`).
#[derive(Clone, Copy, Default)]
pub struct SketchTable {
    pub words: (u8, u64),
    pub names: (u8, u64),
    pub numbers: (u8, u64),
    pub strings: (u8, u64),
}

/// A comment or string that may span lines (`families.syntax.SpanRule`).
#[derive(Default)]
pub struct SpanTable {
    pub marker: Vec<u8>,
    pub openers: Vec<Vec<u8>>,
    /// The same without what may be missing at their front.
    pub sought: Vec<Vec<u8>>,
    /// Whether its opener is kept where nothing closes it, whatever quotation mark it is.
    pub is_long: bool,
    /// What opens and closes such spans within each other, if they nest.
    pub nests: Option<(Vec<u8>, Vec<u8>)>,
    /// Between these marks: what neither opens nor closes; empty if there is nothing.
    pub between: Vec<u8>,
    /// Whether a span that holds no other of its kind ends at a mark, too.
    pub ends_by_marks: bool,
}

/// What a phrase is (`phrase_extraction`).
#[derive(Default)]
pub struct PhraseTable {
    pub fewest_words: usize,
    pub fewest_letters: usize,
    pub most_words: usize,
    /// What the word of a name, a string and a number has, at least.
    pub letters_of_name: usize,
    pub letters_of_string: usize,
    pub digits: usize,
    /// A part of a name in mixed case.
    pub part: Vec<u8>,
    pub seed: Vec<u8>,
    /// Words after which names on a line are other people's.
    pub imports: Vec<Vec<u8>>,
}

/// What a single expression cannot tell in a language (`careful_reading.Care`).
#[derive(Default)]
pub struct CareTable {
    pub javascript: Option<JavaScriptTable>,
    pub quotes: Option<QuoteTable>,
    pub here_documents: Option<HereDocumentTable>,
}

/// What JavaScript is made of where a single expression could misread it (`javascript_reading`).
#[derive(Default)]
pub struct JavaScriptTable {
    pub regex: Vec<u8>,
    pub name: Vec<u8>,
    pub element: Vec<u8>,
    pub word: Vec<u8>,
    pub template_mark: Vec<u8>,
    pub before_expression: Vec<Vec<u8>>,
    pub statement_heads: Vec<Vec<u8>>,
    pub bodies: Vec<Vec<u8>>,
    pub before_statement: Vec<Vec<u8>>,
    pub deepest_template: usize,
    /// Pieces that may be misread.
    pub marked: Vec<u8>,
    /// To the end of the piece.
    pub plain_template: Vec<u8>,
    pub template_with_templates: Vec<u8>,
    pub opens_lines: Vec<u8>,
    pub operand: Vec<u8>,
    pub mark: Vec<u8>,
    pub tag_begins: Vec<u8>,
    pub before_tag: Vec<Vec<u8>>,
    pub long_line: usize,
    pub near: usize,
}

/// The strings of a language (`quotes_reading.Quotes`).
#[derive(Default)]
pub struct QuoteTable {
    /// Pieces that need no closer look.
    pub plain: Vec<u8>,
    /// Pieces that do, where it is known what encloses them.
    pub may_open: Vec<u8>,
    /// One for each way to write strings.
    pub openers: Vec<Vec<u8>>,
    /// What may stand in such a string, with what it does: `code`, `closer`, `line`.
    pub strings: Vec<Vec<(String, Vec<u8>)>>,
    /// In code: the openers, the two brackets, and the end of the text.
    pub code: Vec<Vec<u8>>,
    pub deepest: usize,
    /// How many pieces from a string on its line may have.
    pub near: usize,
}

/// Here-documents and documentation (`here_document_reading`).
#[derive(Default)]
pub struct HereDocumentTable {
    pub openers: Vec<Vec<u8>>,
    pub operand: Vec<u8>,
    pub name: Vec<u8>,
    pub subscript: Vec<u8>,
    pub assigned: Vec<u8>,
    pub prints: Vec<Vec<u8>>,
    pub before_documentation: Vec<Vec<u8>>,
    /// How many bytes before an operator are looked at.
    pub near: usize,
    pub assigned_near: usize,
    pub most_on_line: usize,
}
