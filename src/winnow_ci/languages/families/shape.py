"""What an entry of the table of families says: comments, strings, operators and keywords."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Span:
    r"""A comment or string that may span lines, and that hides the rest of the file if nothing closes it.

    Attributes:
        kind: what it is.
        marker: bytes that every such span contains; a text without them needs no pattern for it.
        openers: regular expressions of the beginning; one may have a group, named if the family has several.
        closer: regular expression of the end, which may refer to that group. With ``escapes``, one character,
            repeated, as it is.
        escapes: whether a backslash keeps the next character from being part of the end.
        nests: the last characters of the opener and the end, if spans of this kind hold each other: one then ends
            where as many have ended as have begun, or, if that is nowhere, at the first end.
    """

    kind: Literal["comment", "string", "text"]
    marker: bytes
    openers: tuple[bytes, ...]
    closer: bytes
    escapes: bool = False
    nests: tuple[bytes, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Form:
    """A token or comment that is told by its own form, before the rules for strings and names are asked.

    Attributes:
        kind: what it is; a mark is no token, and no comment.
        pattern: regular expression of all of it, without groups that capture.
        starts: regular expression by which the piece alone is known again, if ``pattern`` looks around itself, or
            would take pieces of other kinds for its own.
    """

    kind: Literal["comment", "mark", "string", "name", "word"]
    pattern: bytes
    starts: bytes = b""


@dataclass(frozen=True, slots=True)
class Family:
    """Languages that are scanned alike, and match each other.

    Attributes:
        name: seeds the ids of all tokens.
        revision: of this entry.
        languages: Pygments' names of them.
        line_comment: opens a comment that ends with the line.
        spans: comments and strings that may span lines, and text without code, of which every word is read.
        forms: other comments, strings and names with a syntax of their own; the first that fits counts.
        operators: those of several characters; any single one is a token by itself.
        keywords: words that are not identifiers.
        quotes: characters that enclose a string that ends with the line at the latest.
        prefix: regular expression of the letters that may stand right before a string's quote.
        letters: characters of identifiers besides letters, digits, ``_`` and everything beyond ASCII.
        name_end: regular expression of what may end an identifier besides; optional.
        any_case: whether keywords may be written in any case.
        begins_as_text: regular expression that is found, and is empty there, where the text without code ends that a
            file may begin with; found otherwise, or not at all, the file begins with code.
        digit_separator: besides ``_``.
        spliced_comments: whether a backslash at the end of a line continues a line comment.
        regex_after: regular expressions, each of a fixed width, of what a slash must follow to open a regular
            expression.
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
    forms: tuple[Form, ...] = ()
    letters: bytes = b""
    name_end: bytes = b""
    any_case: bool = False
    begins_as_text: bytes = b""
    digit_separator: bytes = b""
    spliced_comments: bool = False
    regex_after: tuple[bytes, ...] = ()

    def comment_openers(self) -> tuple[bytes, ...]:
        """Regular expressions of how comments begin."""
        of_spans = (opener for span in self.spans if span.kind == "comment" for opener in span.openers)
        of_forms = (form.starts or form.pattern for form in self.forms if form.kind == "comment")
        return (re.escape(self.line_comment), *of_spans, *of_forms)


BLOCK_COMMENT = Span("comment", marker=b"/*", openers=(rb"/\*",), closer=rb"\*/")
NESTED_COMMENT = replace(BLOCK_COMMENT, nests=(b"/*", b"*/"))


def words(*lines: bytes) -> tuple[bytes, ...]:
    """Words, separated by white space, as one tuple."""
    return tuple(b" ".join(lines).split())


ARITHMETIC = words(b"== != <= >= << >> += -= *= /= %= &= |= ^= <<= >>= ...")

BACKTICKED_NAME = Form("name", rb"`[^`\n\0]*`?")


def line_bound(opener: bytes, mark: bytes, parts: int = 1) -> bytes:
    """Regular expression of what an opener begins: as many parts as said, each ended by the mark or with the line."""
    end = re.escape(mark)
    part = rb"[^%b\\\n\0]*(?:\\[^\n\0]?[^%b\\\n\0]*){0,4095}%b?" % (end, end, end)
    return opener + end + part * parts
