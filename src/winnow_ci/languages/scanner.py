r"""The fast scanner: one regular expression a family, applied once to the whole text.

``findall`` cuts the text into pieces that together are all of it: tokens, comments and runs of white space alike. So
the sum of lengths gives each piece's place, only the distinct pieces are ever looked at one by one, and NumPy does
the rest.

**Linear on any input.** Python's ``re`` backtracks, so every alternative is built such that it cannot fail once its
first few characters have matched: closing quotes are optional, and what follows a repetition is optional or certain to
be there. Only a run of white space and the digits after a hexadecimal point may be read in vain, once. Repetitions of
more than one character have a bound (``_MANY``), because the engine keeps a record of each round; strings and spans,
which may be long, do without.

**Spans that nothing closes.** A block comment or a string that may span lines matches up to its end or, failing that,
up to the end of the text, which bears a NUL as its mark (normalised text has no other). So a span that is not closed
is always the last piece, and it ends with NUL. A broken file, or a fragment that begins inside a comment, must not
lose all that follows: of such a piece only the opener is kept, the kind of span is dropped from the pattern, and the
rest is scanned again, at most once for each kind. Dropping the kind for good is right: the search for an end looks at
nothing but the span's own rule, not at what the rest would be if it were code, so the failure says that no end
follows anywhere, and no later opener of this kind could be closed either. (For a C++ raw string, whose end depends on
its opener, a later one might be: its contents are then read as code, which hides nothing.) Conversely, an end that
stands inside what would be a comment or string, were the span not open, does end the span: that is what compilers do.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING

from winnow_ci.languages.text import with_plain_line_ends
from winnow_ci.languages.tokens import Alphabet, TokenIds, assemble, line_numbers
from winnow_ci.languages.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.languages.families import Family, Span
    from winnow_ci.model import Tokens

_END = b"\0"
_MANY = b"{0,4095}"

_BLANK = rb"[\x01-\x20\x7f]"
_BEYOND_ASCII = rb"\x80-\xff"


def scan(text: bytes, family: Family) -> Tokens:
    """Tokens of normalised text (``text.normalise``)."""
    if b"\r" in text:  # ends lines for a lexer, but is not counted
        return assemble(pieces(text, family), _classifier(family), line_numbers(text))
    return _vocabulary(family).tokens(pieces(text, family))


def pieces(text: bytes, family: Family) -> list[bytes]:
    """Cut normalised text into tokens, comments and white space.

    Joined, they are the text with plain line ends, and with a first line ``#!`` turned into a comment.
    """
    rest = with_plain_line_ends(text) + _END
    found: list[bytes] = []
    if rest.startswith(b"#!"):
        end = rest.find(b"\n") + 1 or len(rest) - 1
        found, rest = [family.line_comment + rest[len(family.line_comment) : end]], rest[end:]
    spans = tuple(span for span in family.spans if span.marker in rest)
    while True:
        found += _findall(_pattern(family, spans), rest)
        unclosed = found.pop()
        if unclosed == _END:
            return found
        span, opener = next(_openers(spans, unclosed))
        found.append(opener)
        rest = unclosed[len(opener) :]
        spans = tuple(other for other in spans if other is not span)


def _findall(pattern: re.Pattern[bytes], text: bytes) -> list[bytes]:
    return [match.group() for match in pattern.finditer(text)] if pattern.groups else pattern.findall(text)


def _openers(spans: tuple[Span, ...], piece: bytes) -> Iterator[tuple[Span, bytes]]:
    for span in spans:
        opener = re.match(b"|".join(span.openers), piece)
        if opener is not None:
            yield span, opener.group()


# ---- the pattern -----------------------------------------------------------------------------------------------


@lru_cache
def _pattern(family: Family, spans: tuple[Span, ...]) -> re.Pattern[bytes]:
    """The pattern of a family of which only some spans are in use.

    Alternatives that begin with a character or a set of them come cheap: the engine skips them by one look at the
    text.
    """
    regex = _regex_literals() if family.regex_literals else []
    name = rb"[A-Za-z_%b%b][\w%b%b]*" % (family.letters, _BEYOND_ASCII, family.letters, _BEYOND_ASCII)
    alternatives = [
        *regex,
        _BLANK + b"+",
        *(opener + _rest_of_span(span) for span in spans for opener in span.openers),
        *_strings(family),
        name,
        _line_comment(family),
        *_numbers(family.digit_separator),
        *_operators(family.operators),
        rb"[\s\S]",
    ]
    return re.compile(b"|".join(alternatives))


def _rest_of_span(span: Span) -> bytes:
    if not span.escapes:
        return rb"[^\0]*?(?:%b|\0)" % span.closer
    # The first run does for most strings and is ten times as fast as looking back at each character.
    return rb"[^%b\\\0]*(?:%b|[^\0]*?(?:%b|\0))" % (span.closer[:1], span.closer, _unescaped(span.closer))


def _unescaped(end: bytes) -> bytes:
    """An end before which there is an even number of backslashes, up to twelve.

    Looking back instead of reading escapes two by two needs no memory, however long the string is.
    """
    even = (rb"(?<=[^\\]%b)" % (rb"\\" * number) for number in range(2, 14, 2))
    return rb"(?:(?<!\\)|%b)%b" % (b"|".join(even), end)


def _strings(family: Family) -> Iterator[bytes]:
    """Strings that end with their quote or their line; here, too, one run does for most."""
    for number in range(len(family.quotes)):
        quote = family.quotes[number : number + 1]
        ends = rb"(?=[%b\n\0])(?:%b|%b|(?=\0))" % (quote, _unescaped(quote), _unescaped(rb"(?=\n)"))
        string = rb"%b[^%b\\\n\0]*(?:%b|(?=[\n\0])|[^\0]*?%b)" % (quote, quote, quote, ends)
        yield string
        if family.prefix is not None:
            yield family.prefix + string


def _line_comment(family: Family) -> bytes:
    continued = rb"(?:(?<=\\)\n[^\n\0]*)" + _MANY if family.spliced_comments else b""
    return rb"%b[^\n\0]*%b" % (re.escape(family.line_comment), continued)


def _numbers(separator: bytes) -> tuple[bytes, ...]:
    """A dot is part of a number only where no name and no second dot follows: ``1.method``, ``0..n``."""
    digits = rb"[0-9][0-9_]*"
    separated = rb"(?:%b[0-9A-Fa-f]+)%b" % (separator, _MANY) if separator else b""
    exponent = rb"(?:[eEpP][+-]?[0-9][0-9_]*)?\w*"
    suffix = rb"[eE][+-]?[0-9]|[fFlLjJdD](?![\w(])"
    fraction = rb"(?:\.(?:[0-9][0-9_]*%b|(?=%b)|(?![\w.])))?" % (separated, suffix)
    return (
        rb"0[xX][0-9A-Fa-f_]*%b(?:\.[0-9A-Fa-f_]+(?=[pP]))?%b" % (separated, exponent),
        digits + separated + fraction + exponent,
        rb"\.%b%b" % (digits, exponent),
    )


def _operators(operators: tuple[bytes, ...]) -> Iterator[bytes]:
    """One alternative for each first character, longest operator first; the character alone is one, too."""
    for first, group in groupby(sorted(operators), key=lambda operator: operator[:1]):
        longest_first = sorted((operator[1:] for operator in group), key=len, reverse=True)
        yield rb"%b(?:%b)?" % (re.escape(first), b"|".join(map(re.escape, longest_first)))


def _regex_literals() -> Iterator[bytes]:
    """Where an operand has just ended a slash divides; after these, and white space, it opens a literal.

    The white space becomes part of the piece, since a look behind must have a fixed width. An unclosed literal ends
    with the line.
    """
    marks = rb"[(,=:\[!&|?{;]"
    before = (marks, rb"=>", rb"[^+]\+", rb"\breturn", rb"\btypeof", rb"\bcase")
    escape = rb"\\[^\n\0]?"
    chars = rb"\[[^\]\\\n\0]*(?:%b[^\]\\\n\0]*)%b\]?" % (escape, _MANY)
    plain = rb"[^/\\\[\n\0]*"
    body = rb"(?![/*])%b(?:(?:%b|%b)%b)%b/?[a-z]*" % (plain, escape, chars, plain, _MANY)
    for start in (rb"/", rb"[\t-\r ]"):
        behind = b"|".join(rb"(?<=%b%b)" % (mark, start) for mark in before)
        slash = b"" if start == b"/" else rb"[\t-\r ]*/"
        yield rb"%b(?:%b)%b%b" % (start, behind, slash, body)


# ---- from pieces to ids ----------------------------------------------------------------------------------------


@lru_cache
def _vocabulary(family: Family) -> Vocabulary:
    """The pieces of a family, remembered across files."""
    return Vocabulary(_classifier(family))


@lru_cache
def _classifier(family: Family) -> Callable[[bytes], TokenIds | None]:
    """Ids of a piece, or None for comments and white space."""
    alphabet = Alphabet(family.name)
    kinds = _kinds(family)
    ids_of = {"string": alphabet.string, "number": alphabet.number, "name": alphabet.identifier}

    def classify(piece: bytes) -> TokenIds | None:
        token = piece.strip()
        match = kinds.match(token)
        kind = match.lastgroup if match else None
        if kind == "blank":
            return None
        if kind is None or token in family.keywords:
            return alphabet.word(token)
        return ids_of[kind](token)

    return classify


def _kinds(family: Family) -> re.Pattern[bytes]:
    """What a stripped piece is, told by its beginning: one named group a kind, none for operators."""
    comments = [opener for span in family.spans if span.kind == "comment" for opener in span.openers]
    strings = [opener for span in family.spans if span.kind == "string" for opener in span.openers]
    quotes = rb"(?:%b)?[%b]" % (family.prefix or b"", family.quotes)
    regex = [rb"/(?!=?\Z)"] if family.regex_literals else []
    return re.compile(
        rb"(?P<blank>\\?%b*\Z|%b)|(?P<string>%b)|(?P<number>\.?[0-9])|(?P<name>[A-Za-z_%b%b])"
        % (
            _BLANK,
            b"|".join([re.escape(family.line_comment), *comments]),
            b"|".join([*strings, quotes, *regex]),
            family.letters,
            _BEYOND_ASCII,
        )
    )
