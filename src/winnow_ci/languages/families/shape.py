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
        nests: whether such a comment may hold others of its kind, each with its own end.
        behind: regular expression that looks behind the opener.
    """

    kind: Literal["comment", "string"]
    marker: bytes
    openers: tuple[bytes, ...]
    closer: bytes
    escapes: bool = False
    nests: bool = False
    behind: bytes = b""


@dataclass(frozen=True, slots=True)
class Form:
    """Something that only one or two languages write so. It is looked for before all else.

    Attributes:
        pattern: regular expression without groups; once its first characters have matched, it must not fail.
        kind: what it is; a name that is a keyword is a word, a mark is no token. None if its first character tells, as
            it does without a form: a string, a number or a name.
        starts: regular expression by which a piece of this kind, cut out of its text, is told from all others by its
            beginning; by default ``pattern``.
    """

    pattern: bytes
    kind: Literal["mark", "string", "number", "name", "word"] | None = None
    starts: bytes | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Languages that are scanned alike, and match each other.

    Attributes:
        name: seeds the ids of all tokens. Two entries may share it: the same code then has the same tokens in both.
        revision: of this entry.
        languages: Pygments' names of them.
        line_comment: opens a comment that ends with the line; empty if there is none.
        spans: comments and strings that may span lines.
        operators: those of several characters; any single one is a token by itself.
        keywords: words that are not identifiers.
        quotes: characters that enclose a string that ends with the line at the latest.
        doubled: the same, but a backslash in it is nothing special, and the character doubled stands for itself.
        prefix: regular expression of the letters that may stand right before a string's quote.
        letters: characters of identifiers besides letters, digits, ``_`` and everything beyond ASCII.
        inner: more of them, which do not begin one.
        digit_separator: besides ``_``.
        spliced_comments: whether a backslash at the end of a line continues a line comment.
        regex_literals: whether a slash where no operand has ended opens a regular expression.
        comment: regular expression of what opens a comment that ends with the line, if that is more than
            ``line_comment``.
        forms: what none of the other fields can say.
        ignores_case: whether ``SELECT`` is ``select``, in keywords (here in lower case), names and numbers.
        rewritten: pairs of a regular expression and a byte; each byte that the expression finds becomes that byte
            before the text is cut, for languages in which columns matter.
    """

    name: str
    revision: int
    languages: tuple[str, ...]
    line_comment: bytes
    spans: tuple[Span, ...]
    operators: tuple[bytes, ...]
    keywords: frozenset[bytes]
    quotes: bytes = b"\"'"
    doubled: bytes = b""
    prefix: bytes | None = None
    letters: bytes = b""
    inner: bytes = b""
    digit_separator: bytes = b""
    spliced_comments: bool = False
    regex_literals: bool = False
    comment: bytes | None = None
    forms: tuple[Form, ...] = ()
    ignores_case: bool = False
    rewritten: tuple[tuple[bytes, bytes], ...] = ()


def line_string(quote: bytes, escape: bytes = b"") -> bytes:
    """A string that ends with its line, in which the quote stands for itself if it is doubled or follows ``escape``."""
    plain = rb"[^%b%b\n\0]*" % (quote, escape)
    escaped = rb"|%b[^\n\0]" % escape if escape else b""
    return rb"%b%b(?:(?:%b%b%b)%b){0,4095}%b?" % (quote, plain, quote, quote, escaped, plain, quote)


BLOCK_COMMENT = Span("comment", marker=b"/*", openers=(rb"/\*",), closer=rb"\*/")


def words(*lines: bytes) -> tuple[bytes, ...]:
    """Words, separated by white space, as one tuple."""
    return tuple(b" ".join(lines).split())


ARITHMETIC = words(b"== != <= >= << >> += -= *= /= %= &= |= ^= <<= >>= ...")
