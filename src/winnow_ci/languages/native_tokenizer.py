"""The kernel's tokenizer, which is told the tables of a family and then reads texts as ``table_tokenizer`` does.

It has a matcher of its own for the patterns that the tables hold, so no syntax is written twice. What it leaves to
Python has None: families whose patterns it cannot serve, texts of more bytes than a text may have tokens, which are
cut with less memory here, and texts that would take it too much memory to match.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from winnow_ci.languages import (
    javascript_doubts,
    javascript_reading,
    phrase_extraction,
    quotes_reading,
    token_limit,
    vocabulary,
)
from winnow_ci.languages.token_patterns import (
    WORDS,
    kind_patterns,
    nesting_marks,
    numbered_alternatives,
    sought_openers,
)
from winnow_ci.model import Phrases, Tokens
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from winnow_ci.languages.families import LanguageFamily, SpanRule


class NativeTokens(NamedTuple):
    """What the kernel makes of a text.

    Attributes:
        tokens: as read without care.
        is_doubtful: whether it may have to be cut otherwise; None if Python has to tell.
        pieces: all of them, for that.
        marked: places of those that may be misread.
    """

    tokens: Tokens
    is_doubtful: bool | None
    pieces: list[bytes]
    marked: list[int]


def tokens(text: bytes, family: LanguageFamily) -> NativeTokens | None:
    """Tokens of normalised text."""
    reader = _reader(family)
    found = reader.tokens(text) if reader and len(text) <= token_limit.MOST_TOKENS else None
    if found is None:
        return None
    columns, phrases, is_doubtful, asked = found
    return NativeTokens(_tokens(columns, phrases), is_doubtful, *(asked or ([], [])))


def careful_tokens(text: bytes, family: LanguageFamily) -> Tokens | None:
    """Tokens of normalised text that is read with care."""
    reader = _reader(family)
    found = reader.careful_tokens(text) if reader and len(text) <= token_limit.MOST_TOKENS else None
    return _tokens(*found) if found else None


def pieces(text: bytes, family: LanguageFamily) -> list[bytes] | None:
    """The pieces of normalised text."""
    reader = _reader(family)
    found: list[bytes] | None = reader.pieces(text) if reader and len(text) <= token_limit.MOST_TOKENS else None
    return found


def unserved(family: LanguageFamily) -> str:
    """What in the tables of a family the kernel, which must be there, does not serve; empty if it serves all."""
    return str(_made(family)) if isinstance(_made(family), ValueError) else ""


def _tokens(columns: tuple[Any, ...], phrases: tuple[Any, ...]) -> Tokens:
    structural, verbatim, first_lines, last_lines, sketch = columns
    return Tokens(structural, verbatim, first_lines, last_lines, sketch, Phrases(*phrases))


def _reader(family: LanguageFamily) -> Any:
    reader = _made(family) if kernel() else None
    return None if isinstance(reader, ValueError) else reader


@lru_cache
def _made(family: LanguageFamily) -> Any:
    """The kernel's reader of a family, or why there is none."""
    try:
        return kernel().Tokenizer(_tables(family), family.care.is_marked if family.care else None)
    except ValueError as error:
        return error


def _tables(family: LanguageFamily) -> dict[str, object]:
    """All that the kernel is told of a family; ``kernel/src/tokens/tables.rs`` says what is what."""
    is_javascript = bool(family.care and family.care.is_doubtful is javascript_doubts.is_doubtful)
    return {
        "name": family.name.encode(),
        "line_comment": family.line_comment,
        "quotes": family.quotes,
        "spans": [_span(span) for span in family.spans],
        "alternatives": numbered_alternatives(family),
        "begins_as_text": family.begins_as_text,
        "text_openers": [opener for span in family.spans if span.kind == "text" for opener in span.openers],
        "words": WORDS,
        "rewritten": [(places, byte[0]) for places, byte in family.rewritten],
        "kinds": kind_patterns(family),
        "keywords": list(family.keywords),
        "any_case": list(family.any_case),
        "phrases": {
            "fewest_words": phrase_extraction.FEWEST_WORDS,
            "fewest_letters": phrase_extraction.FEWEST_LETTERS,
            "most_words": phrase_extraction.MOST_WORDS,
            "part": phrase_extraction.PART,
            "seed": phrase_extraction.SEED,
            "imports": list(vocabulary.IMPORTS),
        },
        "quotes_marked": _quotes_marked(family),
        "marked": javascript_doubts.MARKED if is_javascript else None,
        "care": javascript_reading.NATIVE_TABLE if is_javascript else None,
        "doubts": javascript_doubts.NATIVE_TABLE if is_javascript else None,
        "most_pieces": vocabulary.MOST_PIECES,
        "most_bytes": vocabulary.MOST_BYTES,
    }


def _quotes_marked(family: LanguageFamily) -> dict[str, object] | None:
    asked = family.care.is_marked if family.care else None
    if isinstance(asked, partial) and asked.func is quotes_reading.is_quote_marked:
        return quotes_reading.native_table(asked.args[0])
    return None


def _span(span: SpanRule) -> dict[str, object]:
    return {
        "marker": span.marker,
        "openers": list(span.openers),
        "sought": sought_openers(span),
        "is_long": len(span.closer) > 1,
        "nests": span.nests,
        "between": nesting_marks(span) if span.nests else b"",
        "ends_by_marks": bool(span.between),
    }
