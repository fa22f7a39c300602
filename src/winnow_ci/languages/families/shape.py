"""What an entry of the table of families says: comments, strings, operators and keywords."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Span:
    r"""A comment or string that may span lines, and that hides the rest of the file if nothing closes it.

    Attributes:
        kind: what it is.
        marker: bytes that every such span contains; a text without them needs no pattern for it.
        openers: regular expressions of the beginning; one may have a group.
        closer: regular expression of the end, which may refer to that group as ``\1``. With ``escapes``, one
            character, repeated.
        escapes: whether a backslash keeps the next character from being part of the end.
    """

    kind: Literal["comment", "string"]
    marker: bytes
    openers: tuple[bytes, ...]
    closer: bytes
    escapes: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """Languages that are scanned alike, and match each other.

    Attributes:
        name: seeds the ids of all tokens.
        revision: of this entry.
        languages: Pygments' names of them.
        line_comment: opens a comment that ends with the line.
        spans: comments and strings that may span lines.
        operators: those of several characters; any single one is a token by itself.
        keywords: words that are not identifiers.
        quotes: characters that enclose a string that ends with the line at the latest.
        prefix: regular expression of the letters that may stand right before a string's quote.
        letters: characters of identifiers besides letters, digits, ``_`` and everything beyond ASCII.
        digit_separator: besides ``_``.
        spliced_comments: whether a backslash at the end of a line continues a line comment.
        regex_literals: whether a slash where no operand has ended opens a regular expression.
    """

    name: str
    revision: int
    languages: tuple[str, ...]
    line_comment: bytes
    spans: tuple[Span, ...]
    operators: tuple[bytes, ...]
    keywords: frozenset[bytes]
    quotes: bytes = b"\"'"
    prefix: bytes | None = None
    letters: bytes = b""
    digit_separator: bytes = b""
    spliced_comments: bool = False
    regex_literals: bool = False


BLOCK_COMMENT = Span("comment", marker=b"/*", openers=(rb"/\*",), closer=rb"\*/")


def words(*lines: bytes) -> tuple[bytes, ...]:
    """Words, separated by white space, as one tuple."""
    return tuple(b" ".join(lines).split())


ARITHMETIC = words(b"== != <= >= << >> += -= *= /= %= &= |= ^= <<= >>= ...")
