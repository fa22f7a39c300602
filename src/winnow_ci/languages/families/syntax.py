"""What an entry of the table of families consists of: comments, strings, operators and keywords."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.languages.careful_reading import Care

Kind = Literal["comment", "mark", "string", "number", "name", "word"]


class SpanRule(NamedTuple):
    r"""A comment or string that may span lines, and would hide the rest of the file if nothing closed it.

    Attributes:
        kind: what it is.
        marker: bytes that every such span contains; a text without them needs no pattern for it.
        openers: regular expressions of the beginning, which must also match the opener alone: so a look-behind says
            what may not precede it. One may have a group, named if the family has several.
        closer: regular expression of the end, which may refer to that group. With ``escapes``, the literal end, of one
            character or one repeated.
        escapes: whether a backslash keeps the next character from being part of the end.
        nests: the last characters of the opener and of the end, if such spans nest: a span then ends where as many have
            ended as have begun, or, if they never balance, at the first end.
        between: regular expression of what such spans may hold that neither begins nor ends one.
    """

    kind: Literal["comment", "string", "text"]
    marker: bytes
    openers: tuple[bytes, ...]
    closer: bytes
    escapes: bool = False
    nests: tuple[bytes, bytes] | None = None
    between: bytes = b""


class LexemeRule(NamedTuple):
    """A token or comment with a syntax of its own, which is tried before strings, names and numbers.

    Attributes:
        kind: what it is; a mark is neither a token nor a comment. A name that is a keyword is a word.
        pattern: regular expression of the whole, without capturing groups. Once its first characters have matched, it
            must not fail.
        starts: regular expression that recognises the piece alone, if ``pattern`` looks around, or would also match
            pieces of other kinds.
    """

    kind: Kind
    pattern: bytes
    starts: bytes = b""


class LanguageFamily(NamedTuple):
    r"""Languages that are tokenized alike, and match each other.

    Attributes:
        name: seeds the ids of all tokens. Two entries may share it: the same code then has the same tokens in both.
        revision: of this entry; the same in entries that share a name.
        languages: Pygments' names for them.
        line_comment: opens a comment that ends with the line; empty if there is none. If one of ``rules`` is a comment,
            the rules alone say where comments begin.
        spans: comments and strings that may span lines, and text without code, of which every word is read.
        rules: other comments, strings, numbers and names with a syntax of their own; the first that matches counts.
        operators: those of several characters; any other character is a token by itself.
        keywords: words that are not identifiers.
        quotes: characters that enclose a string that ends with the line at the latest, in which a backslash escapes.
        prefix: regular expression of the letters that may stand right before a string's quote.
        letters: characters of identifiers besides letters, digits, ``_`` and everything beyond ASCII.
        name_end: regular expression of what else may end an identifier; optional.
        any_case: kinds of tokens that may be written in any case; keywords, which are words, are in lower case here.
        begins_as_text: regular expression of which the first match is empty, and where code begins, if the file begins
            with text; if it is not empty, or there is none, the file begins with code.
        rewritten: pairs of a regular expression and a byte; each byte that the expression finds becomes that byte
            before the text is cut, for languages in which columns matter.
        spellings: pairs of a token and another one that means the same, and has the same ids.
        digit_separator: besides ``_``.
        spliced_comments: whether a backslash at the end of a line continues a line comment.
        regex_after: regular expressions, each of a fixed width, of what must precede a slash that opens a regular
            expression.
        unicode_escapes: characters of ASCII that ``\uXXXX`` stands for wherever it is, besides all others; or empty.
        care: what depends on more than that; optional.
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
    spellings: tuple[tuple[bytes, bytes], ...] = ()
    digit_separator: bytes = b""
    spliced_comments: bool = False
    regex_after: tuple[bytes, ...] = ()
    unicode_escapes: bytes = b""
    care: Care | None = None

    def plain_line_comment(self) -> bytes:
        """What opens a comment wherever it stands; empty if there is no such mark."""
        return b"" if any(rule.kind == "comment" for rule in self.rules) else self.line_comment

    def comment_openers(self) -> tuple[bytes, ...]:
        """Regular expressions of the beginnings of comments, and of no other pieces."""
        of_spans = (opener for span in self.spans if span.kind == "comment" for opener in span.openers)
        of_forms = (rule.starts or rule.pattern for rule in self.rules if rule.kind == "comment")
        plain = self.plain_line_comment()
        return (*([re.escape(plain)] if plain else []), *of_spans, *of_forms)


BLOCK_COMMENT = SpanRule("comment", marker=b"/*", openers=(rb"/\*",), closer=rb"\*/")
NESTED_COMMENT = BLOCK_COMMENT._replace(nests=(b"/*", b"*/"))

ALL_WORDS: tuple[Kind, ...] = ("word", "name", "number")
"""``any_case`` of languages for which ``SELECT`` is ``select``."""


def words(*lines: bytes) -> tuple[bytes, ...]:
    """All words of some lines."""
    return tuple(b" ".join(lines).split())


def word_set(*lines: bytes) -> frozenset[bytes]:
    """All words of some lines, as the keywords of a family."""
    return frozenset(words(*lines))


ARITHMETIC = words(b"== != <= >= << >> += -= *= /= %= &= |= ^= <<= >>= ...")

ALL_ASCII = bytes(range(1, 128))
# Compilers differ in whether an escape may begin or end a string, a comment or the code in a string.
NO_QUOTES = ALL_ASCII.translate(None, b"\"'`\\/*${}\r\n")

# A character of a name; then what may follow a name with such characters.
_ESCAPED = rb"\\(?:u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]{1,16}\})|U[0-9A-Fa-f]{8})"
# A backslash at the end of a line joins two lines, even within a name.
_SPLICED = rb"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[ \t]{0,9}\n(?=\w))"
MORE_ESCAPED, MORE_SPLICED = (
    rb"(?:%b[\w$\x80-\xff]*(?:%b[\w$\x80-\xff]*){0,4095})?" % (each, each) for each in (_ESCAPED, _SPLICED)
)
ESCAPED_NAME = LexemeRule("name", _ESCAPED + rb"[\w$\x80-\xff]*" + MORE_ESCAPED, starts=rb"\\[uU]")

BACKTICKED_NAME = LexemeRule("name", rb"`[^`\n\0]*`?")


def line_comment(opener: bytes) -> LexemeRule:
    """A comment from an opener, a regular expression, to the end of the line."""
    return LexemeRule("comment", rb"(?:%b)[^\n\0]*" % opener, starts=opener)


def line_string(quote: bytes, escape: bytes = b"", prefix: bytes = b"") -> LexemeRule:
    """A string that ends with its line; a quote that is doubled or follows ``escape`` does not end it.

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


def multiline_string(quote: bytes, prefix: bytes = b"") -> SpanRule:
    """A string that may span lines, in which a backslash escapes; ``prefix`` is a regular expression of its letters."""
    return SpanRule("string", quote, (quote, prefix + quote) if prefix else (quote,), closer=quote, escapes=True)


def line_bound(opener: bytes, mark: bytes, parts: int = 1) -> bytes:
    """Regular expression of an opener and the parts after it, each ended by the mark or with the line."""
    end = re.escape(mark)
    part = rb"[^%b\\\n\0]*(?:\\[^\n\0]?[^%b\\\n\0]*){0,4095}%b?" % (end, end, end)
    return opener + end + part * parts
