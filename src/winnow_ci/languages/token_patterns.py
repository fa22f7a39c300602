"""The regular expressions that cut the text of a family of languages into pieces.

``table_tokenizer`` says what they must keep to.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.languages.families import LanguageFamily, SpanRule

BLANK = rb"[\x01-\x20\x7f]"
BEYOND_ASCII = rb"\x80-\xff"
SPAN = "span"
"""Name of the group that holds the opener of a span."""

_MANY = b"{0,4095}"


@lru_cache
def token_pattern(family: LanguageFamily, spans: tuple[SpanRule, ...]) -> re.Pattern[bytes]:
    """The pattern of a family with only some of its spans."""
    return _pattern(family, [opener + _rest_of_span(span) for span in spans for opener in span.openers])


@lru_cache
def opener_pattern(family: LanguageFamily, spans: tuple[SpanRule, ...]) -> re.Pattern[bytes]:
    """The same, but of spans only the opener, in the group ``SPAN``."""
    openers = b"|".join(opener for span in spans for opener in span.openers)
    return _pattern(family, [rb"(?P<%b>%b)" % (SPAN.encode(), openers)] if openers else [])


@lru_cache
def span_pattern(span: SpanRule) -> re.Pattern[bytes]:
    """Matches a whole span, which may end with the text."""
    return re.compile(b"|".join(opener + _rest_of_span(span) for opener in span.openers))


def _pattern(family: LanguageFamily, spans: list[bytes]) -> re.Pattern[bytes]:
    """A pattern with spans of some form.

    Alternatives that begin with a character or a set of characters are cheap: the engine skips them at one glance.
    """
    regex = _regex_literals(family.regex_after) if family.regex_after else []
    letters = re.escape(family.letters) + BEYOND_ASCII
    name = rb"[A-Za-z_%b][\w%b]*" % (letters, letters)
    alternatives = [
        *regex,
        BLANK + b"+",
        *spans,
        *(rule.pattern for rule in family.rules),
        *_strings(family),
        name + family.name_end,
        *_line_comment(family),
        *_numbers(family.digit_separator),
        *_operators(family.operators),
        rb"[\s\S]",
    ]
    return re.compile(b"|".join(alternatives))


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
