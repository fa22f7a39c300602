"""Define a family's table entry, and the regular expressions that cut its texts into pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Literal, TypeAlias

from winnow_ci.languages.families.careful_reading import Care
from winnow_ci.named_tuples import NamedTuple

_Kind: TypeAlias = Literal["comment", "mark", "string", "number", "name", "word"]


class SpanRule(NamedTuple):
    """A comment or string that may span lines, and would hide the rest of the file if nothing closed it.

    Its openers must also match alone: so a look-behind says what may not precede them. If such spans nest, one ends
    where as many have ended as have begun or, if they never balance, at the first end.
    """

    kind: Literal["comment", "string", "text"]
    marker: bytes  # is in every such span; a text without it needs no pattern for them
    openers: tuple[bytes, ...]  # regular expressions; one may have a group, named if the family has several
    closer: bytes  # a regular expression, which may refer to that group; with ``escapes``, one character (repeated)
    escapes: bool = False  # whether a backslash keeps the next character from being part of the end
    nests: tuple[bytes, bytes] | None = None  # the last characters of the opener and of the end, if they nest
    between: bytes = b""  # regular expression of what such spans may hold that neither begins nor ends one


class LexemeRule(NamedTuple):
    """A token or comment with a syntax of its own, which is tried before strings, names and numbers.

    ``starts`` recognises the piece alone, if ``pattern`` looks around, or would also match pieces of other kinds.
    """

    kind: _Kind  # a mark is neither a token nor a comment; a name that is a keyword is a word
    pattern: bytes  # without capturing groups; once its first characters have matched, it must not fail
    starts: bytes = b""


class LanguageFamily(NamedTuple):
    r"""Languages that are tokenized alike, and match each other.

    Entries with the same name have the same revision, and the same code has the same tokens in both. If a rule is a
    comment, the rules alone say where comments begin. Each character that ``rewritten`` finds becomes a byte before the
    text is cut, for languages in which columns matter. What begins as text becomes code at the first match of
    ``begins_as_text``; if that is not empty, or there is none, all of the file is code.
    """

    name: str  # seeds the ids of all tokens
    members: str = ""  # Pygments' names of its languages, with blanks between them; if empty, there is only ``name``
    line_comment: bytes = b"//"  # empty if there is none
    revision: int = 1
    spans: tuple[SpanRule, ...] = ()  # text without code is read word by word
    operators: tuple[bytes, ...] = ()  # of several characters; any other character is a token by itself
    quotes: bytes = b"\"'"  # enclose a string that ends with the line at the latest, in which a backslash escapes
    prefix: bytes | None = None  # regular expression of the letters that may stand right before a quote
    rules: tuple[LexemeRule, ...] = ()  # the first that matches counts
    letters: bytes = b""  # of names, besides letters, digits, ``_`` and everything beyond ASCII
    name_end: bytes = b""  # regular expression of what else may end a name
    any_case: tuple[_Kind, ...] = ()  # tokens that may be in any case; keywords are in lower case here
    begins_as_text: bytes = b""  # regular expression; see above
    rewritten: tuple[tuple[bytes, bytes], ...] = ()  # regular expressions, each with a byte
    spellings: tuple[tuple[bytes, bytes], ...] = ()  # tokens, each with one that means the same and has the same ids
    digit_separator: bytes = b""  # besides ``_``
    spliced_comments: bool = False  # whether a backslash at the end of a line continues a line comment
    regex_after: tuple[bytes, ...] = ()  # of a fixed width: what must precede a slash that opens a regular expression
    unicode_escapes: bytes = b""  # the ASCII that ``\uXXXX`` stands for wherever it is, besides all others; or empty
    care: Care | None = None  # what depends on more than that

    @property
    def languages(self) -> tuple[str, ...]:
        """Pygments' names of its languages."""
        return tuple((self.members or self.name).split())

    @property
    def keywords(self) -> frozenset[bytes]:
        """Words that are not identifiers."""
        return KEYWORDS.get(self.name, frozenset())

    def plain_line_comment(self) -> bytes:
        """Return what opens a comment anywhere; empty if there is no such mark."""
        return b"" if any(rule.kind == "comment" for rule in self.rules) else self.line_comment

    def comment_openers(self) -> tuple[bytes, ...]:
        """Return regular expressions of the beginnings of comments, and of no other pieces."""
        plain = [re.escape(mark)] if (mark := self.plain_line_comment()) else []
        of_spans = (opener for span in self.spans if span.kind == "comment" for opener in span.openers)
        return (*plain, *of_spans, *(rule.starts or rule.pattern for rule in self.rules if rule.kind == "comment"))


def _keywords() -> Iterator[tuple[str, frozenset[bytes]]]:
    text = Path(__file__).with_name("keywords.txt").read_text(encoding="utf-8")
    rows = (row.split(": ", 1) for row in text.splitlines() if row and not row.startswith("#"))
    for family, parts in groupby(rows, key=itemgetter(0)):
        yield family, frozenset(word.encode() for _, words in parts for word in words.split())


KEYWORDS = dict(_keywords())  # family, or the fallback tokenizer → its reserved words

BLOCK_COMMENT = SpanRule("comment", marker=b"/*", openers=(rb"/\*",), closer=rb"\*/")
NESTED_COMMENT = BLOCK_COMMENT._replace(nests=(b"/*", b"*/"))
ALL_WORDS: tuple[_Kind, ...] = ("word", "name", "number")  # where ``SELECT`` is ``select``


def words(*lines: bytes) -> tuple[bytes, ...]:
    """Return all words of some lines."""
    return tuple(b" ".join(lines).split())


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
    """Make the rule of a comment from an opener, a regular expression, to the end of the line."""
    return LexemeRule("comment", rb"(?:%b)[^\n\0]*" % opener, starts=opener)


def line_string(quote: bytes, escape: bytes = b"", prefix: bytes = b"") -> LexemeRule:
    """Make the rule of a string that ends with its line; a doubled quote, or one after ``escape``, does not end it."""
    plain = rb"[^%b%b\n\0]*" % (quote, escape)
    escaped = rb"|%b[^\n\0]" % escape if escape else b""
    opener = rb"(?:%b)?%b" % (prefix, quote) if prefix else quote
    body = rb"%b(?:(?:%b%b%b)%b){0,4095}%b?" % (plain, quote, quote, escaped, plain, quote)
    return LexemeRule("string", opener + body, starts=opener)


def multiline_string(quote: bytes, prefix: bytes = b"") -> SpanRule:
    """Make the rule of a string with backslash escapes that may span lines; ``prefix`` is a regular expression."""
    return SpanRule("string", quote, (quote, prefix + quote) if prefix else (quote,), closer=quote, escapes=True)


def line_bound(opener: bytes, mark: bytes, parts: int = 1) -> bytes:
    """Return the expression of an opener and the parts after it, each ended by the mark or with the line."""
    end = re.escape(mark)
    part = rb"[^%b\\\n\0]*(?:\\[^\n\0]?[^%b\\\n\0]*){0,4095}%b?" % (end, end, end)
    return opener + end + part * parts


# ---- the expressions that cut a text: ``table_tokenizer`` says what they must keep to -----------------------------

_BLANK = rb"[\x01-\x20\x7f]"
_BEYOND_ASCII = rb"\x80-\xff"
TEXT_WORDS = rb"<\?(?:php\b|=)?|\?>|[\w\x80-\xff]+|[\x01-\x20\x7f]+|[\s\S]"  # cuts a span of text without code
_MANY = b"{0,4095}"
_PREFIX = re.compile(rb"\A(?:\(\?:[^()]*\)|\[[^]]*\])\?")


@lru_cache
def token_pattern(family: LanguageFamily, spans: tuple[SpanRule, ...]) -> re.Pattern[bytes]:
    """Return the pattern of a family with only some of its spans."""
    before, after = _around_spans(family)
    return re.compile(b"|".join([*before, *(whole for span in spans for whole in _wholes(span)), *after]))


@lru_cache
def opener_pattern(family: LanguageFamily, spans: tuple[SpanRule, ...]) -> re.Pattern[bytes]:
    """Return the same, but of spans only the opener, in the group ``span``."""
    before, after = _around_spans(family)
    openers = b"|".join(opener for span in spans for opener in span.openers)
    return re.compile(b"|".join([*before, *([rb"(?P<span>%b)" % openers] if openers else []), *after]))


@lru_cache
def span_pattern(span: SpanRule) -> re.Pattern[bytes]:
    """Return what matches a whole span, which may end with the text."""
    return re.compile(b"|".join(_wholes(span)))


def numbered_alternatives(family: LanguageFamily) -> list[tuple[int | None, bytes]]:
    """List all that ``token_pattern`` joins, in order; the alternatives of a span with its number."""
    before, after = _around_spans(family)
    spans = [(number, whole) for number, span in enumerate(family.spans) for whole in _wholes(span)]
    return [*((None, each) for each in before), *spans, *((None, each) for each in after)]


def sought_openers(span: SpanRule) -> list[bytes]:
    """Remove the optional prefix of openers: plain characters are found faster."""
    return [_PREFIX.sub(b"", opener, count=1) for opener in span.openers]


def nesting_marks(span: SpanRule) -> bytes:
    """Return what neither opens nor closes a nested span, as a regular expression; empty if there is nothing."""
    return rb"\\[\s\S]" if span.escapes else span.between


def kind_patterns(family: LanguageFamily) -> list[tuple[str, bytes]]:
    """List what a stripped piece may be, with regular expressions of its beginning; operators match none."""
    strings = [opener for span in family.spans if span.kind == "string" for opener in span.openers]
    quotes = [rb"(?:%b)?[%b]" % (family.prefix or b"", family.quotes)] if family.quotes else []
    regex = [rb"/(?!/?=?\Z)"] if family.regex_after else []
    comment, string = b"|".join(family.comment_openers()), b"|".join([*strings, *quotes, *regex])
    return [
        *((rule.kind, rule.starts or rule.pattern) for rule in family.rules),
        ("blank", rb"\\?%b*\Z" % _BLANK),
        *([("comment", comment)] if comment else []),
        *([("string", string)] if string else []),
        ("number", rb"\.?[0-9]"),
        ("name", rb"[A-Za-z_%b%b]" % (re.escape(family.letters), _BEYOND_ASCII)),
    ]


def _around_spans(family: LanguageFamily) -> tuple[list[bytes], list[bytes]]:
    """The alternatives before and after those of spans.

    Alternatives that begin with a character or a set of characters are cheap: the engine skips them at one glance.
    """
    regex = _regex_literals(family.regex_after) if family.regex_after else []
    letters = re.escape(family.letters) + _BEYOND_ASCII
    name = rb"[A-Za-z_%b][\w%b]*" % (letters, letters)
    after = [
        *(rule.pattern for rule in family.rules),
        *_strings(family),
        name + family.name_end,
        *_line_comment(family),
        *_numbers(family.digit_separator),
        *_operators(family.operators),
        rb"[\s\S]",
    ]
    return [*regex, _BLANK + b"+"], after


def _wholes(span: SpanRule) -> list[bytes]:
    if not span.escapes:
        return [rb"%b[^\0]*?(?:%b|\0)" % (opener, span.closer) for opener in span.openers]
    # The first run suffices for most strings and is ten times as fast as looking back at each character.
    first, closer = re.escape(span.closer[:1]), re.escape(span.closer)
    rest = rb"[^%b\\\0]*(?:%b|[^\0]*?(?:%b|\0))" % (first, closer, _unescaped(closer))
    return [opener + rest for opener in span.openers]


def _unescaped(end: bytes) -> bytes:
    """An end after an even number of backslashes, up to twelve.

    Unlike reading escapes two by two, looking back needs no memory, however long the string is.
    """
    even = (rb"(?<=[^\\]%b)" % (rb"\\" * number) for number in range(2, 14, 2))
    return rb"(?:(?<!\\)|%b)%b" % (b"|".join(even), end)


def _strings(family: LanguageFamily) -> Iterator[bytes]:
    """Strings that end with their quote or their line; here, too, one run suffices for most."""
    for number in range(len(family.quotes)):
        quote = family.quotes[number : number + 1]
        ends = rb"(?=[%b\n\0])(?:%b|%b|(?=\0))" % (quote, _unescaped(quote), _unescaped(rb"(?=\n)"))
        string = rb"%b[^%b\\\n\0]*(?:%b|(?=[\n\0])|[^\0]*?%b)" % (quote, quote, quote, ends)
        yield string
        if family.prefix is not None:
            yield family.prefix + string


def _line_comment(family: LanguageFamily) -> Iterator[bytes]:
    continued = rb"(?:(?<=\\)\n[^\n\0]*)" + _MANY if family.spliced_comments else b""
    if mark := family.plain_line_comment():
        yield rb"%b[^\n\0]*%b" % (re.escape(mark), continued)


def _numbers(separator: bytes) -> tuple[bytes, ...]:
    """A dot is part of a number unless a name or a second dot follows: ``1.method``, ``0..n``."""
    digits = rb"[0-9][0-9_]*"
    separated = rb"(?:%b[0-9A-Fa-f]+)%b" % (separator, _MANY) if separator else b""
    more = rb"(?:%b\w+)%b" % (separator, _MANY) if separator else b""
    exponent = rb"(?:[eEpP][+-]?[0-9][0-9_]*)?\w*" + more
    suffix = rb"[eE][+-]?[0-9]|[fFlLjJdD](?![\w(])"
    fraction = rb"(?:\.(?:[0-9][0-9_]*%b|(?=%b)|(?![\w.])))?" % (separated, suffix)
    return (
        rb"0[xX][0-9A-Fa-f_]*%b(?:\.[0-9A-Fa-f_]+(?=[pP]))?%b" % (separated, exponent),
        digits + separated + fraction + exponent,
        rb"\.%b%b" % (digits, exponent),
    )


def _operators(operators: tuple[bytes, ...]) -> Iterator[bytes]:
    """One alternative for each first character, longest operator first; the character alone is an operator, too."""
    for first, group in groupby(sorted(operators), key=lambda operator: operator[:1]):
        longest_first = sorted((operator[1:] for operator in group), key=len, reverse=True)
        yield rb"%b(?:%b)?" % (re.escape(first), b"|".join(map(re.escape, longest_first)))


def _regex_literals(before: tuple[bytes, ...]) -> Iterator[bytes]:
    """A slash divides after an operand; after these marks, and white space, it opens a literal.

    The white space becomes part of the piece, since a look-behind must have a fixed width. An unclosed literal ends
    with the line.
    """
    escape = rb"\\[^\n\0]?"
    chars = rb"\[[^\]\\\n\0]*(?:%b[^\]\\\n\0]*)%b\]?" % (escape, _MANY)
    plain = rb"[^/\\\[\n\0]*"
    body = rb"(?![/*])%b(?:(?:%b|%b)%b)%b/?[a-z]*" % (plain, escape, chars, plain, _MANY)
    for start in (rb"/", rb"[\t-\r ]"):
        behind = b"|".join(rb"(?<=%b%b)" % (mark, start) for mark in before)
        slash = b"" if start == b"/" else rb"[\t-\r ]*/"
        yield rb"%b(?:%b)%b%b" % (start, behind, slash, body)
