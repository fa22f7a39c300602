"""Call the kernel for this package, or Python if there is no kernel.

The kernel knows no language: it is given the tables here, when it is first asked, and then does the same as the plain
definitions in Python (``table_tokenizer``, ``statements``, and those below). It has its own matcher for the regular
expressions of the tables, so no syntax is written twice. Some texts it leaves to Python: those of families whose
patterns it cannot serve, those of more bytes than a text may have tokens, which take less memory to cut in Python, and
those that would take it too much memory to match.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.languages import phrase_extraction, statements, table_tokenizer
from winnow_ci.languages.families import careful_reading, here_document_reading, javascript_reading
from winnow_ci.languages.families.careful_reading import Quotes
from winnow_ci.languages.families.here_document_reading import HereDocuments
from winnow_ci.languages.families.javascript_reading import JavaScript
from winnow_ci.languages.families.syntax import (
    TEXT_WORDS,
    kind_patterns,
    nesting_marks,
    numbered_alternatives,
    sought_openers,
)
from winnow_ci.languages.tokens import TOKEN_LIMIT, recounted
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, Phrases, Tokens
from winnow_ci.native import kernel
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.languages.families import LanguageFamily, SpanRule
    from winnow_ci.languages.families.careful_reading import Care

MOST_CAREFUL = 2 << 20
"""Bytes of a text that is read with care if need be: in Python, a megabyte of nothing but doubtful marks takes 4 s."""


# ---- tokens of a family ------------------------------------------------------------------------------------------


def family_tokens(text: bytes, family: LanguageFamily) -> Tokens:
    """Make the tokens of normalised text (``normalisation.normalise``) in a language of a family."""
    text = unescaped(text, family.unicode_escapes)
    tokens = kernel_tokens(text, family, MOST_CAREFUL)
    if tokens is None:
        tokens = table_tokenizer.python_tokens(text, family, MOST_CAREFUL)
    # A carriage return ends a line here, but is not counted.
    return recounted(tokens, text) if b"\r" in text else tokens


def family_pieces(text: bytes, family: LanguageFamily) -> list[bytes]:
    """Cut normalised text into tokens, comments and white space.

    Joined, they are the text with plain line ends, with an empty comment for a first line ``#!``, and as the family
    rewrites it.
    """
    text = unescaped(text, family.unicode_escapes)
    pieces = kernel_pieces(text, family, MOST_CAREFUL)
    return table_tokenizer.python_pieces(text, family, MOST_CAREFUL) if pieces is None else pieces


def unescaped(text: bytes, ascii_characters: bytes) -> bytes:
    r"""Replace ``\uXXXX`` in a normalised text by the characters that it stands for.

    Each word keeps its end, and white space before it fills the rest, so that offsets differ by less than a word. An
    escape may stand for these ASCII characters and all beyond ASCII; if none are given, for none.
    """
    # One byte is found several times as fast as two.
    if not ascii_characters or b"\\" not in text or rb"\u" not in text:
        return text
    native = kernel()
    found: bytes = (native.unescaped if native else table_tokenizer.python_unescaped)(text, ascii_characters)
    return found


def kernel_tokens(text: bytes, family: LanguageFamily, most_careful: int) -> Tokens | None:
    """Have the kernel make tokens, with care if need be and the text is no longer than this; None if Python must."""
    reader = kernel_reader(text, family)
    found = reader.tokens(text, most_careful) if reader else None
    if found is None:
        return None
    (structural, verbatim, first_lines, last_lines, sketch), phrases, careful = found
    return Tokens(structural, verbatim, first_lines, last_lines, sketch, Phrases(*phrases), careful)


def kernel_pieces(text: bytes, family: LanguageFamily, most_careful: int) -> list[bytes] | None:
    """Have the kernel cut a text, as ``kernel_tokens`` does."""
    reader = kernel_reader(text, family)
    found: list[bytes] | None = reader.pieces(text, most_careful) if reader else None
    return found


def kernel_reader(text: bytes, family: LanguageFamily) -> Any:
    """Return the kernel's reader of a family, or None if Python must read a text."""
    reader = _made_reader(family) if kernel() and len(text) <= TOKEN_LIMIT else None
    return None if isinstance(reader, ValueError) else reader


@lru_cache
def _made_reader(family: LanguageFamily) -> Any:
    try:
        return kernel().Tokenizer(_tables(family))
    except ValueError as error:
        return error


def _tables(family: LanguageFamily) -> dict[str, object]:
    """All that the kernel knows of a family; ``kernel/crates/tokens/src/tables.rs`` says what each table is."""
    return {
        "name": family.name.encode(),
        "line_comment": family.line_comment,
        "quotes": family.quotes,
        "spans": [_span_table(span) for span in family.spans],
        "alternatives": numbered_alternatives(family),
        "begins_as_text": family.begins_as_text,
        "sketches": {
            "words": (0, IDENTIFIER_SKETCH.start),
            "names": (IDENTIFIER_SKETCH.start, len(IDENTIFIER_SKETCH)),
            "numbers": (NUMBER_SKETCH.start, len(NUMBER_SKETCH)),
            "strings": (STRING_SKETCH.start, len(STRING_SKETCH)),
        },
        "text_openers": [opener for span in family.spans if span.kind == "text" for opener in span.openers],
        "words": TEXT_WORDS,
        "rewritten": [(places, byte[0]) for places, byte in family.rewritten],
        "kinds": kind_patterns(family),
        "keywords": list(family.keywords),
        "spellings": list(family.spellings),
        "any_case": list(family.any_case),
        "phrases": {
            "fewest_words": phrase_extraction.FEWEST_WORDS,
            "fewest_letters": phrase_extraction.FEWEST_LETTERS,
            "most_words": phrase_extraction.MOST_WORDS,
            "letters_of_name": phrase_extraction.LETTERS_OF_NAME,
            "letters_of_string": phrase_extraction.LETTERS_OF_STRING,
            "digits": phrase_extraction.DIGITS,
            "part": phrase_extraction.NAME_PART.pattern,
            "seed": phrase_extraction.PHRASE_SEED,
            "imports": list(phrase_extraction.IMPORT_WORDS),
        },
        "care": _care_tables(family.care) if family.care else None,
        # The kernel forgets the pieces of earlier files beyond these, so that memory does not grow with the corpus.
        "most_pieces": 1 << 16,
        "most_bytes": 1 << 22,
    }


def _span_table(span: SpanRule) -> dict[str, object]:
    return {
        "marker": span.marker,
        "openers": list(span.openers),
        "sought": sought_openers(span),
        "is_long": len(span.closer) > 1,
        "nests": span.nests,
        "between": nesting_marks(span) if span.nests else b"",
        "ends_by_marks": bool(span.between),
    }


def _care_tables(care: Care) -> dict[str, object]:
    quotes = care.quotes if isinstance(care, HereDocuments) else care
    return {
        "javascript": _javascript_table() if isinstance(care, JavaScript) else None,
        "quotes": _quotes_table(quotes) if isinstance(quotes, Quotes) else None,
        "here_documents": _here_document_table() if isinstance(care, HereDocuments) else None,
    }


def _javascript_table() -> dict[str, object]:
    return {
        "regex": javascript_reading.JS_REGEX.pattern,
        "name": javascript_reading.JS_NAME.pattern,
        "element": javascript_reading.JS_ELEMENT.pattern,
        "word": javascript_reading.JS_WORD.pattern,
        "template_mark": javascript_reading.JS_TEMPLATE_MARK.pattern,
        "before_expression": list(javascript_reading.BEFORE_EXPRESSION),
        "statement_heads": list(javascript_reading.STATEMENT_HEADS),
        "bodies": list(javascript_reading.BODIES),
        "before_statement": list(javascript_reading.BEFORE_STATEMENT),
        "deepest_template": javascript_reading.DEEPEST_TEMPLATE,
        "marked": javascript_reading.JS_MARKED.pattern,
        "plain_template": rb"(?:%b)\Z" % javascript_reading.PLAIN_TEMPLATE.pattern,
        "template_with_templates": javascript_reading.TEMPLATE_WITH_TEMPLATES.pattern,
        "opens_lines": javascript_reading.OPENS_LINES.pattern,
        "operand": javascript_reading.JS_OPERAND.pattern,
        "mark": javascript_reading.JS_MARK.pattern,
        "tag_begins": javascript_reading.TAG_BEGINS.pattern,
        "before_tag": list(javascript_reading.BEFORE_TAG),
        "long_line": javascript_reading.LONG_LINE,
        "near": javascript_reading.NEAR_HEAD,
    }


def _quotes_table(quotes: Quotes) -> dict[str, object]:
    openers = [form.opener for form in quotes.forms]
    return {
        "plain": careful_reading.PLAIN_QUOTE.pattern,
        "may_open": careful_reading.MAY_OPEN_QUOTE.pattern,
        "openers": openers,
        "strings": [form.marks() for form in quotes.forms],
        "code": [*openers, *map(re.escape, quotes.brackets), rb"\0"],
        "deepest": careful_reading.DEEPEST_QUOTE,
        "near": careful_reading.NEAR_QUOTE,
    }


def _here_document_table() -> dict[str, object]:
    return {
        "openers": list(here_document_reading.HERE_OPENERS),
        "operand": here_document_reading.OPERAND_BEFORE.pattern,
        "name": here_document_reading.NAME_BEFORE.pattern,
        "subscript": here_document_reading.SUBSCRIPT.pattern,
        "assigned": here_document_reading.ASSIGNED.pattern,
        "prints": list(here_document_reading.PRINTS),
        "before_documentation": list(here_document_reading.BEFORE_DOCUMENTATION),
        "near": here_document_reading.NEAR_OPERATOR,
        "assigned_near": here_document_reading.ASSIGNED_NEAR,
        "most_on_line": here_document_reading.MOST_ON_LINE,
    }


# ---- statements --------------------------------------------------------------------------------------------------


def in_imports(tokens: Tokens, front_end: str) -> NDArray[np.bool_]:
    """Mark the tokens of statements that import something: bool, one a token; none if the front end has no such."""
    if front_end not in statements.IMPORTING:
        return np.zeros(len(tokens), np.bool_)
    if kernel():
        return np.asarray(_import_statements(front_end).marks(tokens))
    return statements.importing(tokens, front_end)


def idle_statements(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens of statements without effect that are near another one: bool, one a token.

    None are known but in the families ``statements.ASSIGNING``.
    """
    if family not in statements.ASSIGNING or not len(tokens):
        return np.zeros(len(tokens), np.bool_)
    if kernel():
        return np.asarray(_idle_statements(family).marks(tokens))
    return statements.idle(tokens, family)


def around_variables(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens that state has around variables: bool, one a token."""
    if kernel():
        return np.asarray(_state(family).marks(tokens))
    return statements.state_around(tokens, family)


_SKETCH_CLASSES = tuple((one.start, one.stop) for one in (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH))


@cache
def _import_statements(front_end: str) -> Any:
    words, directives = statements.import_words(front_end)
    return kernel().ImportStatements(
        words, directives, statements.import_kinds(front_end), _SKETCH_CLASSES, statements.LONGEST_IMPORT
    )


@cache
def _idle_statements(family: str) -> Any:
    bounds = statements.MOST_IN_A_ROW, statements.NEXT_IDLE, statements.SHORTEST_IDLE
    return kernel().IdleStatements(statements.idle_kinds(family), _SKETCH_CLASSES, bounds)


@cache
def _state(family: str) -> Any:
    bounds = statements.FEWEST_SET, statements.STATE_REACH, statements.LEAST_AROUND
    return kernel().State(statements.state_kinds(family), _SKETCH_CLASSES, bounds)


# ---- plain text --------------------------------------------------------------------------------------------------

# The first and the last code point of each run.
_SPACES = ((0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000))
_INVISIBLE = ((0xAD, 0xAD), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x2069), (0xFEFF, 0xFEFF))
# They end a line, also a comment, in JavaScript.
_LINE_ENDS = ((0x2028, 0x2029),)
# Runs in UTF-8, which differ in their last byte only, and what replaces them.
_HIDING = tuple(
    (tuple((chr(first).encode(), chr(last).encode()) for first, last in runs), instead)
    for runs, instead in ((_SPACES, b" "), (_INVISIBLE, b""), (_LINE_ENDS, b"\r"))
)


def plain_text(text: bytes) -> bytes:
    """Make line ends plain in a text without NUL, and remove what could hide code."""
    found: bytes = _normaliser().plain_text(text) if kernel() else python_plain_text(text)
    return found


def python_plain_text(text: bytes) -> bytes:
    """Define ``plain_text``."""
    text = text.replace(b"\r\n", b"\n") if b"\n" in text else text.replace(b"\r", b"\n")
    if text.isascii():
        return text
    for runs, instead in _HIDING:
        hiding = b"|".join(b"%b[\\x%02x-\\x%02x]" % (first[:-1], first[-1], last[-1]) for first, last in runs)
        text = re.sub(hiding, instead, text)
    return text


@cache
def _normaliser() -> Any:
    return kernel().Normaliser(_HIDING)


# ---- passages ----------------------------------------------------------------------------------------------------

CODE_MARKS = b"()[]{};="
PASSAGE_LINES = 8
LEAST_MARKS = 10
FEWER_MARKS = 4
# ``===`` is one token.
_CODE_MARK = compiled_on_use(rb"[()\[\]{};]|=+")


def code_marks(text: bytes) -> NDArray[np.int64]:
    """Count the marks of code on each line: int64, one a line."""
    if native := kernel():
        return np.asarray(native.code_marks(text))
    return np.array([len(_CODE_MARK.findall(line)) for line in text.split(b"\n")], np.int64)


def passages(marks: NDArray[np.int64], wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the lines of passages that have a line that is wanted: bool, one a line.

    Passages are runs of lines that look like code: with ``LEAST_MARKS`` marks on ``PASSAGE_LINES`` lines somewhere, and
    ``FEWER_MARKS`` on any such number of their lines. Of 100 windows of that size, 84 of JavaScript, 76 of Python and
    71 of Go have ``LEAST_MARKS`` marks; of the comments and strings in the same files, 6.5, 2.4 and 1.3.
    """
    if native := kernel():
        return np.asarray(native.passages(marks, wanted, (PASSAGE_LINES, LEAST_MARKS, FEWER_MARKS)))
    inside, dense = _near_marks(marks, FEWER_MARKS), _near_marks(marks, LEAST_MARKS)
    start = 0
    for is_inside, run in groupby(inside.tolist()):
        end = start + len(list(run))
        inside[start:end] = is_inside and dense[start:end].any() and wanted[start:end].any()
        start = end
    return inside


def _near_marks(marks: NDArray[np.int64], least: int) -> NDArray[np.bool_]:
    """Mark the lines that are among ``PASSAGE_LINES`` lines with enough marks: bool, one a line."""
    found, counts = np.zeros(len(marks), np.bool_), marks.tolist()
    for start in range(max(1, len(counts) - PASSAGE_LINES + 1)):
        if sum(counts[start : start + PASSAGE_LINES]) >= least:
            found[start : start + PASSAGE_LINES] = True
    return found
