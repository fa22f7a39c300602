"""The kernel's tokenizer, which is told the tables of a family and then reads texts as ``table_tokenizer`` does.

It has a matcher of its own for the patterns that the tables hold, so no syntax is written twice. What it leaves to
Python has None: families whose patterns it cannot serve, texts of more bytes than a text may have tokens, which are
cut with less memory here, and texts that would take it too much memory to match.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from winnow_ci.languages import phrase_extraction, token_limit, vocabulary
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

_NO_CARE: dict[str, object] = {"javascript": None, "quotes": None, "here_documents": None}


def tokens(text: bytes, family: LanguageFamily, most_careful: int) -> Tokens | None:
    """Tokens of normalised text, which is read with care if it has to be and has at most so many bytes."""
    reader = _reader(text, family)
    found = reader.tokens(text, most_careful) if reader else None
    if found is None:
        return None
    (structural, verbatim, first_lines, last_lines, sketch), phrases, careful = found
    return Tokens(structural, verbatim, first_lines, last_lines, sketch, Phrases(*phrases), careful)


def pieces(text: bytes, family: LanguageFamily, most_careful: int) -> list[bytes] | None:
    """The pieces of normalised text, read as by ``tokens``."""
    reader = _reader(text, family)
    found: list[bytes] | None = reader.pieces(text, most_careful) if reader else None
    return found


def careful_pieces(text: bytes, family: LanguageFamily) -> list[bytes] | None:
    """The pieces of normalised text that is read with care, whether it has to be or not."""
    reader = _reader(text, family)
    found: list[bytes] | None = reader.careful_pieces(text) if reader else None
    return found


def unescaped(text: bytes, ascii_characters: bytes) -> bytes | None:
    r"""A normalised text with the characters that ``\uXXXX`` stands for, of ASCII only these."""
    native = kernel()
    found: bytes | None = native.unescaped(text, ascii_characters) if native else None
    return found


def unserved(family: LanguageFamily) -> str:
    """What in the tables of a family the kernel, which must be there, does not serve; empty if it serves all."""
    return str(_made(family)) if isinstance(_made(family), ValueError) else ""


def _reader(text: bytes, family: LanguageFamily) -> Any:
    reader = _made(family) if kernel() and len(text) <= token_limit.MOST_TOKENS else None
    return None if isinstance(reader, ValueError) else reader


@lru_cache
def _made(family: LanguageFamily) -> Any:
    """The kernel's reader of a family, or why there is none."""
    try:
        return kernel().Tokenizer(_tables(family))
    except ValueError as error:
        return error


def _tables(family: LanguageFamily) -> dict[str, object]:
    """All that the kernel is told of a family; ``kernel/src/tokens/tables.rs`` says what is what."""
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
        "spellings": list(family.spellings),
        "any_case": list(family.any_case),
        "phrases": {
            "fewest_words": phrase_extraction.FEWEST_WORDS,
            "fewest_letters": phrase_extraction.FEWEST_LETTERS,
            "most_words": phrase_extraction.MOST_WORDS,
            "part": phrase_extraction.PART,
            "seed": phrase_extraction.SEED,
            "imports": list(vocabulary.IMPORTS),
        },
        "care": {**_NO_CARE, **family.care.native_tables()} if family.care else None,
        "most_pieces": vocabulary.MOST_PIECES,
        "most_bytes": vocabulary.MOST_BYTES,
    }


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
