"""Call the kernel for this package, or Python if there is no kernel.

The kernel knows no language: it is given the tables here, and then does the same as the plain definitions in Python
(``table_tokenizer``, ``statements``, and those below). It has its own matcher for the regular expressions of the
tables. It leaves some texts to Python: those of families whose patterns it cannot serve, those of more bytes than a
text may have tokens, and those that would take it too much memory to match.
"""

from __future__ import annotations

import re
from functools import lru_cache
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
from winnow_ci.languages.tokens import TOKEN_LIMIT, WORD_SKETCH, recounted
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, Phrases, Tokens
from winnow_ci.native import kernel
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from winnow_ci.languages.families import LanguageFamily, SpanRule
    from winnow_ci.languages.families.careful_reading import Care

MOST_CAREFUL = 2 << 20
"""Bytes of a text that is read with care if need be: in Python, a megabyte of doubtful marks takes seconds."""
_SKETCHES = WORD_SKETCH, IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH


def family_tokens(text: bytes, family: LanguageFamily) -> Tokens:
    """Make the tokens of normalised text (``normalisation.normalise``) in a language of a family."""
    text = unescaped(text, family.unicode_escapes)
    tokens = kernel_tokens(text, family, MOST_CAREFUL)
    if tokens is None:
        pieces = table_tokenizer.python_pieces(text, family, MOST_CAREFUL)
        tokens = table_tokenizer.tokens_of_pieces(pieces, family)
    # A carriage return ends a line here, but is not counted.
    return recounted(tokens, text) if b"\r" in text else tokens


def family_pieces(text: bytes, family: LanguageFamily) -> list[bytes]:
    """Cut normalised text, as the family rewrites it, into tokens, comments and white space."""
    text = unescaped(text, family.unicode_escapes)
    pieces = kernel_pieces(text, family, MOST_CAREFUL)
    return table_tokenizer.python_pieces(text, family, MOST_CAREFUL) if pieces is None else pieces


def unescaped(text: bytes, ascii_characters: bytes) -> bytes:
    r"""Replace ``\uXXXX`` in a normalised text, if it stands for one of these characters or one beyond ASCII.

    Each word keeps its end, and white space before it fills the rest, so that offsets differ by less than a word.
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
    (structural, verbatim, first_lines, last_lines, sketch), phrases, _ = found
    return Tokens(structural, verbatim, first_lines, last_lines, sketch, Phrases(*phrases))


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
        **family._asdict(),
        "name": family.name.encode(),
        "spans": [_span_table(span) for span in family.spans],
        "alternatives": numbered_alternatives(family),
        "sketches": {
            name: (values.start, len(values))
            for name, values in zip(("words", "names", "numbers", "strings"), _SKETCHES, strict=True)
        },
        "text_openers": [opener for span in family.spans if span.kind == "text" for opener in span.openers],
        "words": TEXT_WORDS,
        "rewritten": [(places, byte[0]) for places, byte in family.rewritten],
        "kinds": kind_patterns(family),
        "keywords": list(family.keywords),
        "phrases": _constants(phrase_extraction, "PHRASE_"),
        "care": _care_tables(family.care) if family.care else None,
        # The kernel forgets the pieces of earlier files beyond these, so that memory does not grow with the corpus.
        "most_pieces": 1 << 16,
        "most_bytes": 1 << 22,
    }


def _span_table(span: SpanRule) -> dict[str, object]:
    return {
        **span._asdict(),
        "sought": sought_openers(span),
        "is_long": len(span.closer) > 1,
        "between": nesting_marks(span) if span.nests else b"",
        "ends_by_marks": bool(span.between),
    }


def _care_tables(care: Care) -> dict[str, object]:
    quotes = care.quotes if isinstance(care, HereDocuments) else care
    return {
        "javascript": _constants(javascript_reading, "JS_") if isinstance(care, JavaScript) else None,
        "quotes": _quotes_table(quotes) if isinstance(quotes, Quotes) else None,
        "here_documents": _constants(here_document_reading, "HERE_") if isinstance(care, HereDocuments) else None,
    }


def _quotes_table(quotes: Quotes) -> dict[str, object]:
    openers = [form.opener for form in quotes.forms]
    return {
        **_constants(careful_reading, "QUOTE_"),
        "openers": openers,
        "strings": [form.marks() for form in quotes.forms],
        "code": [*openers, *map(re.escape, quotes.brackets), rb"\0"],
    }


def _constants(module: ModuleType, prefix: str) -> dict[str, object]:
    """The constants of a module that begin with a prefix; the kernel knows them without it."""
    own = {name.removeprefix(prefix).lower(): value for name, value in vars(module).items() if name.startswith(prefix)}
    return {
        name: list(value) if isinstance(value, frozenset) else getattr(value, "pattern", value)
        for name, value in own.items()
    }


_SKETCH_CLASSES = tuple((values.start, values.stop) for values in _SKETCHES[1:])


def in_imports(tokens: Tokens, front_end: str) -> NDArray[np.bool_]:
    """Mark the tokens of statements that import something: bool, one a token; none if the front end has no such."""
    if front_end not in statements.IMPORTING:
        return np.zeros(len(tokens), np.bool_)
    if native := kernel():
        kinds = statements.import_kinds(front_end)
        words = statements.import_words(front_end)
        return np.asarray(
            native.ImportStatements(*words, kinds, _SKETCH_CLASSES, statements.LONGEST_IMPORT).marks(tokens)
        )
    return statements.importing(tokens, front_end)


def idle_statements(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens of statements without effect that are near another one: bool, one a token."""
    if family not in statements.ASSIGNING or not len(tokens):
        return np.zeros(len(tokens), np.bool_)
    if native := kernel():
        bounds = statements.MOST_IN_A_ROW, statements.NEXT_IDLE, statements.SHORTEST_IDLE
        return np.asarray(native.IdleStatements(statements.idle_kinds(family), _SKETCH_CLASSES, bounds).marks(tokens))
    return statements.idle(tokens, family)


def around_variables(tokens: Tokens, family: str) -> NDArray[np.bool_]:
    """Mark the tokens that state has around variables: bool, one a token."""
    if native := kernel():
        bounds = statements.FEWEST_SET, statements.STATE_REACH, statements.LEAST_AROUND
        return np.asarray(native.State(statements.state_kinds(family), _SKETCH_CLASSES, bounds).marks(tokens))
    return statements.state_around(tokens, family)


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
    found: bytes = kernel().Normaliser(_HIDING).plain_text(text) if kernel() else python_plain_text(text)
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
