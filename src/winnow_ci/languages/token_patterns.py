"""The regular expressions that cut the text of a family of languages into pieces.

``table_tokenizer`` says what they must keep to.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from winnow_ci.languages.families import LanguageFamily, SpanRule

BLANK = rb"[\x01-\x20\x7f]"
BEYOND_ASCII = rb"\x80-\xff"
WORDS = rb"<\?(?:php\b|=)?|\?>|[\w\x80-\xff]+|[\x01-\x20\x7f]+|[\s\S]"
"""What a span of text, not of code, is cut into."""
SPAN = "span"
"""Name of the group that holds the opener of a span."""

_MANY = b"{0,4095}"
_PREFIX = re.compile(rb"\A(?:\(\?:[^()]*\)|\[[^]]*\])\?")


@lru_cache
def token_pattern(family: LanguageFamily, spans: tuple[SpanRule, ...]) -> re.Pattern[bytes]:
    """The pattern of a family with only some of its spans."""
    return _joined(_alternatives(family, [whole for span in spans for whole in _wholes(span)]))


@lru_cache
def opener_pattern(family: LanguageFamily, spans: tuple[SpanRule, ...]) -> re.Pattern[bytes]:
    """The same, but of spans only the opener, in the group ``SPAN``."""
    openers = b"|".join(opener for span in spans for opener in span.openers)
    return _joined(_alternatives(family, [rb"(?P<%b>%b)" % (SPAN.encode(), openers)] if openers else []))


@lru_cache
def span_pattern(span: SpanRule) -> re.Pattern[bytes]:
    """Matches a whole span, which may end with the text."""
    return _joined(_wholes(span))


def numbered_alternatives(family: LanguageFamily) -> list[tuple[int | None, bytes]]:
    """All that ``token_pattern`` joins, in order; the alternatives of a span with its number."""
    before, after = _around_spans(family)
    spans = [(number, whole) for number, span in enumerate(family.spans) for whole in _wholes(span)]
    return [*((None, each) for each in before), *spans, *((None, each) for each in after)]


def sought_openers(span: SpanRule) -> list[bytes]:
    """Openers without their optional prefix, so that they begin with plain characters, which are found faster."""
    return [_PREFIX.sub(b"", opener, count=1) for opener in span.openers]


def nesting_marks(span: SpanRule) -> bytes:
    """Regular expression of what neither opens nor closes a span within one; empty if there is nothing."""
    return rb"\\[\s\S]" if span.escapes else span.between


def kind_patterns(family: LanguageFamily) -> list[tuple[str, bytes]]:
    """What a stripped piece is, by its beginning; nothing for operators."""
    strings = [opener for span in family.spans if span.kind == "string" for opener in span.openers]
    quotes = [rb"(?:%b)?[%b]" % (family.prefix or b"", family.quotes)] if family.quotes else []
    regex = [rb"/(?!/?=?\Z)"] if family.regex_after else []
    comment, string = b"|".join(family.comment_openers()), b"|".join([*strings, *quotes, *regex])
    return [
        *((rule.kind, rule.starts or rule.pattern) for rule in family.rules),
        ("blank", rb"\\?%b*\Z" % BLANK),
        *([("comment", comment)] if comment else []),
        *([("string", string)] if string else []),
        ("number", rb"\.?[0-9]"),
        ("name", rb"[A-Za-z_%b%b]" % (re.escape(family.letters), BEYOND_ASCII)),
    ]


def _joined(alternatives: Iterable[bytes]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(alternatives))


def _wholes(span: SpanRule) -> list[bytes]:
    return [opener + _rest_of_span(span) for opener in span.openers]


def _alternatives(family: LanguageFamily, spans: list[bytes]) -> list[bytes]:
    """Those of a pattern with spans of some form."""
    before, after = _around_spans(family)
    return [*before, *spans, *after]


def _around_spans(family: LanguageFamily) -> tuple[list[bytes], list[bytes]]:
    """The alternatives before and after those of spans.

    Alternatives that begin with a character or a set of characters are cheap: the engine skips them at one glance.
    """
    regex = _regex_literals(family.regex_after) if family.regex_after else []
    letters = re.escape(family.letters) + BEYOND_ASCII
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
    return [*regex, BLANK + b"+"], after


def _rest_of_span(span: SpanRule) -> bytes:
    if not span.escapes:
        return rb"[^\0]*?(?:%b|\0)" % span.closer
    # The first run suffices for most strings and is ten times as fast as looking back at each character.
    first, closer = re.escape(span.closer[:1]), re.escape(span.closer)
    return rb"[^%b\\\0]*(?:%b|[^\0]*?(?:%b|\0))" % (first, closer, _unescaped(closer))


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
