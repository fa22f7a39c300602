"""What an entry of the table of families says: comments, strings, operators and keywords."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["comment", "mark", "string", "number", "name", "word"]


class SpanRule(NamedTuple):
    r"""A comment or string that may span lines, and that hides the rest of the file if nothing closes it.

    Attributes:
        kind: what it is.
        marker: bytes that every such span contains; a text without them needs no pattern for it.
        openers: regular expressions of the beginning, which the opener alone must fit, too: so a look behind says what
            may not be there. One may have a group, named if the family has several.
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


class LexemeRule(NamedTuple):
    """A token or comment that is told by its own form, before the rules for strings, names and numbers are asked.

    Attributes:
        kind: what it is; a mark is no token, and no comment. A name that is a keyword is a word.
        pattern: regular expression of all of it, without groups that capture. Once its first characters have matched,
            it must not fail.
        starts: regular expression by which the piece alone is known again, if ``pattern`` looks around itself, or
            would take pieces of other kinds for its own.
    """

    kind: Kind
    pattern: bytes
    starts: bytes = b""


class LanguageFamily(NamedTuple):
    """Languages that are scanned alike, and match each other.

    Attributes:
        name: seeds the ids of all tokens. Two entries may share it: the same code then has the same tokens in both.
        revision: of this entry; the same in entries that share a name.
        languages: Pygments' names of them.
        line_comment: opens a comment that ends with the line; empty if there is none. Where it does so, and what else
            does, is told by ``rules``, if one of them is a comment.
        spans: comments and strings that may span lines, and text without code, of which every word is read.
        rules: other comments, strings, numbers and names with a syntax of their own; the first that fits counts.
        operators: those of several characters; any single one is a token by itself.
        keywords: words that are not identifiers.
        quotes: characters that enclose a string that ends with the line at the latest, in which a backslash escapes.
        prefix: regular expression of the letters that may stand right before a string's quote.
        letters: characters of identifiers besides letters, digits, ``_`` and everything beyond ASCII.
        name_end: regular expression of how an identifier may go on, besides; optional.
        any_case: kinds of tokens that may be written in any case; keywords, which are words, are in lower case here.
        begins_as_text: regular expression that is found, and is empty there, where the text without code ends that a
            file may begin with; found otherwise, or not at all, the file begins with code.
        rewritten: pairs of a regular expression and a byte; each byte that the expression finds becomes that byte
            before the text is cut, for languages in which columns matter.
        digit_separator: besides ``_``.
        spliced_comments: whether a backslash at the end of a line continues a line comment.
        regex_after: regular expressions, each of a fixed width, of what a slash must follow to open a regular
            expression.
    """

    name: str
    revision: int
    languages: tuple[str, ...]
    line_comment: bytes
    spans: tuple[SpanRule, ...]
    operators: tuple[bytes, ...]
    keywords: frozenset[bytes]
    quotes: bytes = b"\"'"
    prefix: bytes | None = None
    rules: tuple[LexemeRule, ...] = ()
    letters: bytes = b""
    name_end: bytes = b""
    any_case: tuple[Kind, ...] = ()
    begins_as_text: bytes = b""
    rewritten: tuple[tuple[bytes, bytes], ...] = ()
    digit_separator: bytes = b""
    spliced_comments: bool = False
    regex_after: tuple[bytes, ...] = ()

    def plain_line_comment(self) -> bytes:
        """What opens a comment wherever it stands; empty if there is nothing of the kind."""
        return b"" if any(rule.kind == "comment" for rule in self.rules) else self.line_comment

    def comment_openers(self) -> tuple[bytes, ...]:
        """Regular expressions of how pieces begin that are comments, and no others."""
        of_spans = (opener for span in self.spans if span.kind == "comment" for opener in span.openers)
        of_forms = (rule.starts or rule.pattern for rule in self.rules if rule.kind == "comment")
        plain = self.plain_line_comment()
        return (*([re.escape(plain)] if plain else []), *of_spans, *of_forms)


BLOCK_COMMENT = SpanRule("comment", marker=b"/*", openers=(rb"/\*",), closer=rb"\*/")
NESTED_COMMENT = BLOCK_COMMENT._replace(nests=(b"/*", b"*/"))

ALL_WORDS: tuple[Kind, ...] = ("word", "name", "number")
"""Kinds of tokens that languages for which ``SELECT`` is ``select`` write in any case."""


def words(*lines: bytes) -> tuple[bytes, ...]:
    """Words, separated by white space, as one tuple."""
    return tuple(b" ".join(lines).split())


ARITHMETIC = words(b"== != <= >= << >> += -= *= /= %= &= |= ^= <<= >>= ...")

BACKTICKED_NAME = LexemeRule("name", rb"`[^`\n\0]*`?")


def line_comment(opener: bytes) -> LexemeRule:
    """A comment from what a regular expression finds to the end of the line."""
    return LexemeRule("comment", rb"(?:%b)[^\n\0]*" % opener, starts=opener)


def line_string(quote: bytes, escape: bytes = b"", prefix: bytes = b"") -> LexemeRule:
    """A string that ends with its line, in which the quote stands for itself if it is doubled or follows ``escape``.

    Args:
        quote: one character.
        escape: one character, as a regular expression.
        prefix: regular expression of letters that may stand before it.
    """
    plain = rb"[^%b%b\n\0]*" % (quote, escape)
    escaped = rb"|%b[^\n\0]" % escape if escape else b""
    opener = rb"(?:%b)?%b" % (prefix, quote) if prefix else quote
    body = rb"%b(?:(?:%b%b%b)%b){0,4095}%b?" % (plain, quote, quote, escaped, plain, quote)
    return LexemeRule("string", opener + body, starts=opener)


def line_bound(opener: bytes, mark: bytes, parts: int = 1) -> bytes:
    """Regular expression of what an opener begins: as many parts as said, each ended by the mark or with the line."""
    end = re.escape(mark)
    part = rb"[^%b\\\n\0]*(?:\\[^\n\0]?[^%b\\\n\0]*){0,4095}%b?" % (end, end, end)
    return opener + end + part * parts
