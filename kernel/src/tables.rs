//! The tables of a family of languages, as `winnow_ci.languages.table_tokenizer` hands them over.

use pyo3::prelude::*;
use winnow_tokens::{
    CareTable, HereDocumentTable, JavaScriptTable, PhraseTable, QuoteTable, SketchTable, SpanTable,
    Tables,
};

use crate::reading::{each, optional, record};

pub fn tables(given: &Bound<'_, PyAny>) -> PyResult<Tables> {
    record!(given => Tables:
        name, line_comment, quotes, spans = each(span), alternatives, begins_as_text,
        sketches = sketches, text_openers,
        words, rewritten, kinds, keywords, spellings, any_case, phrases = phrases,
        care = optional(care), most_pieces, most_bytes
    )
}

fn sketches(given: &Bound<'_, PyAny>) -> PyResult<SketchTable> {
    record!(given => SketchTable: words, names, numbers, strings)
}

fn span(given: &Bound<'_, PyAny>) -> PyResult<SpanTable> {
    record!(given => SpanTable:
        marker, openers, sought, is_long, nests, between, ends_by_marks
    )
}

fn phrases(given: &Bound<'_, PyAny>) -> PyResult<PhraseTable> {
    record!(given => PhraseTable:
        fewest_words, fewest_letters, most_words, letters_of_name, letters_of_string, digits, part, seed, imports
    )
}

fn care(given: &Bound<'_, PyAny>) -> PyResult<CareTable> {
    record!(given => CareTable:
        javascript = optional(javascript), quotes = optional(quotes),
        here_documents = optional(here_documents)
    )
}

fn javascript(given: &Bound<'_, PyAny>) -> PyResult<JavaScriptTable> {
    record!(given => JavaScriptTable:
        regex, name, element, word, template_mark, before_expression, statement_heads, bodies,
        before_statement, deepest_template, marked, plain_template, template_with_templates,
        opens_lines, operand, mark, tag_begins, before_tag, long_line, near
    )
}

fn quotes(given: &Bound<'_, PyAny>) -> PyResult<QuoteTable> {
    record!(given => QuoteTable:
        plain, may_open, openers, strings, code, deepest, near
    )
}

fn here_documents(given: &Bound<'_, PyAny>) -> PyResult<HereDocumentTable> {
    record!(given => HereDocumentTable:
        openers, operand, name, subscript, assigned, prints, before_documentation, near,
        assigned_near, most_on_line
    )
}
