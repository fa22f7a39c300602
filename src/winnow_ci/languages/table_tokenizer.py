r"""The table-driven tokenizer: one regular expression a family, applied once to the whole text.

``findall`` cuts the whole text into pieces: tokens, comments and runs of white space. So the lengths give each piece's
place, only distinct pieces are looked at one by one, and NumPy does the rest.

**Linear on any input.** Python's ``re`` backtracks, so no alternative can fail once its first few characters have
matched: closing quotes are optional, and what follows a repetition is optional or certain to be there. Only a run of
white space and the digits after a hexadecimal point may be read in vain, once. Repetitions of more than one character
have a bound (``_MANY`` of ``token_patterns``), because the engine records each round; strings and spans, which may be
long, have none.

**Spans that nothing closes.** A block comment or a string that may span lines matches up to its end or, if it has none,
up to the end of the text, which is marked by a NUL (normalised text has no other). So an unclosed span is always the
last piece, and ends with NUL. A broken file, or a fragment that begins inside a comment, must not lose everything that
follows: of such a piece only the opener is kept, the kind of span is dropped from the pattern, and the rest is read
again, at most once for each kind. Dropping the kind for good is right: the search for an end follows the span's rule
alone, whatever the rest would be as code. So its failure means that no end follows anywhere, and that no later opener
of this kind can be closed either. (A later C++ raw string might be, since its end depends on its opener: its contents
are then read as code, which hides nothing.) Conversely, an end inside what would be a comment or string if the span
were not open does end the span, as it does for compilers. If a string need not span lines, not even its opener is
kept: it may open a string that ends with its line.

**Nested spans** are beyond a regular expression. Their ends are found beforehand, in one pass over all marks of their
kind; where such a span begins, tokenizing continues at its end.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages import native_tokenizer
from winnow_ci.languages.careful_reading import CarefulReader, Patterns
from winnow_ci.languages.normalisation import with_plain_line_ends
from winnow_ci.languages.token_limit import cut, gathered
from winnow_ci.languages.token_patterns import (
    WORDS,
    kind_patterns,
    nesting_marks,
    opener_pattern,
    sought_openers,
    span_pattern,
    token_pattern,
)
from winnow_ci.languages.tokens import Alphabet, TokenIds, recounted
from winnow_ci.languages.unicode_escapes import unescaped
from winnow_ci.languages.vocabulary import Vocabulary
from winnow_ci.start_up import compiled_on_use, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from winnow_ci.languages.families import LanguageFamily, SpanRule
    from winnow_ci.model import Tokens

MOST_CAREFUL = 2 << 20
"""Bytes of a text that is read with care if need be: a megabyte of nothing but doubtful marks takes some 4 s."""

_END = b"\0"
_DIGITS = "0123456789"

# An end is looked for after at most twelve backslashes: of more, an even number in the middle does not count.
_LONG_ESCAPES = b"\\" * 13
_MIDDLE_OF_ESCAPES = compiled_on_use(rb"(?<=\\\\)(?:\\\\)+(?=\\{10})")
_SPLICE = compiled_on_use(rb"\\[ \t]*\n")
_WORDS = compiled_on_use(WORDS)


def tokenize(text: bytes, family: LanguageFamily) -> Tokens:
    """Tokens of normalised text (``normalisation.normalise``)."""
    text = unescaped(text, family.unicode_escapes)
    native = native_tokenizer.tokens(text, family, MOST_CAREFUL)
    tokens = _tokens(text, family) if native is None else native
    # A carriage return ends a line here, but is not counted.
    return recounted(tokens, text) if b"\r" in text else tokens


def _tokens(text: bytes, family: LanguageFamily) -> Tokens:
    vocabulary, found = _vocabulary(family), _cut(text, family)
    numbers = vocabulary.numbers(found)
    marked = vocabulary.marked(numbers)
    if not _is_doubtful(text, family, found, marked):
        return vocabulary.tokens(numbers)
    numbers = vocabulary.numbers(_cut(text, family, careful=True))
    return replace(vocabulary.tokens(numbers), careful=True)


def _is_doubtful(text: bytes, family: LanguageFamily, found: Sequence[bytes], marked: Sequence[int]) -> bool:
    return bool(family.care and marked and len(text) <= MOST_CAREFUL and family.care.is_doubtful(found, marked))


def pieces(text: bytes, family: LanguageFamily) -> list[bytes]:
    """Cut normalised text into tokens, comments and white space.

    Joined, they are the text with plain line ends, with an empty comment for a first line ``#!``, and as the family
    rewrites it.
    """
    text = unescaped(text, family.unicode_escapes)
    native = native_tokenizer.pieces(text, family, MOST_CAREFUL)
    return _pieces(text, family) if native is None else native


def _pieces(text: bytes, family: LanguageFamily) -> list[bytes]:
    found = _cut(text, family)
    if family.care and len(text) <= MOST_CAREFUL:
        # A text has most of its pieces many times.
        marks = set(filter(family.care.is_marked, set(found)))
        marked = [place for place, piece in enumerate(found) if piece in marks] if marks else []
        if _is_doubtful(text, family, found, marked):
            return _cut(text, family, careful=True)
    return found


def _cut(text: bytes, family: LanguageFamily, *, careful: bool = False) -> list[bytes]:
    rest = with_plain_line_ends(text) + _END
    found: list[bytes] = []
    if rest.startswith(b"#!"):
        end = len(rest[:-1].split(b"\n", 1)[0])
        found, rest = [family.line_comment.ljust(end)], rest[end:]
    if _LONG_ESCAPES in rest:
        rest = _MIDDLE_OF_ESCAPES.sub(lambda escapes: b"_" * len(escapes.group()), rest)
    for places, byte in family.rewritten:
        rest = re.sub(places, byte, rest)
    if family.begins_as_text:
        begun, rest = _first_text(rest, family)
        found += begun
    spans = tuple(span for span in family.spans if span.marker in rest and _sought(span).search(rest))
    while True:
        found += (_carefully if careful else _quickly)(family, spans, rest)
        unclosed = found.pop()
        if unclosed == _END:
            return _with_words(found, family)
        span, opener = next(_openers(spans, unclosed))
        if len(span.closer) > 1 or opener not in family.quotes:
            found.append(opener)
            unclosed = unclosed[len(opener) :]
        rest, spans = unclosed, tuple(other for other in spans if other is not span)


def _quickly(family: LanguageFamily, spans: tuple[SpanRule, ...], text: bytes) -> list[bytes]:
    """Cut a text that ends with NUL; the last piece is that, or a span that nothing closes."""
    pattern, far_ends = token_pattern(family, spans), _far_ends(spans, text)
    if not far_ends:
        return cut(pattern, text, classifier(family))
    return gathered(_with_far_ends(pattern, text, far_ends), text, classifier(family))


def _carefully(family: LanguageFamily, spans: tuple[SpanRule, ...], text: bytes) -> list[bytes]:
    """The same, but as the language has it where a pattern may err."""

    def cut_part(part: bytes, start: int) -> list[bytes]:
        return list(_with_far_ends(token_pattern(family, spans), part, _far_ends(spans, part), start))

    assert family.care
    patterns = Patterns(opener_pattern(family, spans), tuple(map(span_pattern, spans)), cut_part)
    return CarefulReader(text, patterns, _far_ends(spans, text), family.care.reading).pieces()


# ---- what a regular expression cannot find --------------------------------------------------------------------


def _with_far_ends(
    pattern: re.Pattern[bytes], text: bytes, far_ends: dict[int, int], start: int = 0
) -> Iterator[bytes]:
    position: int | None = start
    while position is not None:
        matches, position = pattern.finditer(text, position), None
        for match in matches:
            position = far_ends.get(match.start())
            if position is not None:
                yield text[match.start() : position]
                break
            yield match.group()


def _far_ends(spans: tuple[SpanRule, ...], text: bytes) -> dict[int, int]:
    """Start → end of the spans that hold others of their kind."""
    return {start: end for span in spans if span.nests for start, end in _nesting(span, span.nests, text)}


def _nesting(span: SpanRule, marks: tuple[bytes, bytes], text: bytes) -> Iterator[tuple[int, int]]:
    opening, closing = marks
    openers = list(re.finditer(b"|".join(span.openers), text))
    if not openers:
        return
    open_at: list[int] = []
    holding: dict[int, int] = {}
    between = nesting_marks(span)
    for mark in re.finditer((between and between + b"|") + re.escape(opening) + b"|" + re.escape(closing), text):
        if mark.group() == opening:
            open_at.append(mark.end())
        elif mark.group() == closing and open_at:
            holding[open_at.pop()] = mark.end()
    for opener in openers:
        end = holding.get(opener.end())
        if end is not None and (span.between or text.find(opening, opener.end(), end) >= 0):
            yield opener.start(), end


def _first_text(text: bytes, family: LanguageFamily) -> tuple[list[bytes], bytes]:
    """The words before a file's code, and the rest."""
    code = re.search(family.begins_as_text, text)
    end = code.start() if code and not code.group() else 0
    return _WORDS.findall(text[:end]), text[end:]


def _with_words(found: list[bytes], family: LanguageFamily) -> list[bytes]:
    openers = [opener for span in family.spans if span.kind == "text" for opener in span.openers]
    if not openers:
        return found
    is_text = re.compile(b"|".join(openers)).match
    return [part for piece in found for part in (_WORDS.findall(piece) if is_text(piece) else [piece])]


@lru_cache
def _sought(span: SpanRule) -> re.Pattern[bytes]:
    """Finds whether there are openers, which are rarer than markers: ``R"`` also ends a string."""
    return re.compile(b"|".join(sought_openers(span)))


@lru_cache
def _opener(span: SpanRule) -> re.Pattern[bytes]:
    return re.compile(b"|".join(span.openers))


def _openers(spans: tuple[SpanRule, ...], piece: bytes) -> Iterator[tuple[SpanRule, bytes]]:
    for span in spans:
        opener = _opener(span).match(piece)
        if opener is not None:
            yield span, opener.group()


# ---- from pieces to ids ----------------------------------------------------------------------------------------


@lru_cache
def _vocabulary(family: LanguageFamily) -> Vocabulary:
    """The pieces of a family, kept across files."""
    return Vocabulary(classifier(family), family.care.is_marked if family.care else None)


@lru_cache
def classifier(family: LanguageFamily) -> Callable[[bytes], TokenIds | None]:
    """Ids of a piece, or None for comments and white space."""
    alphabet = Alphabet(family.name)
    kinds = _kinds(family)
    ids_of = {"string": alphabet.string, "number": alphabet.number, "name": alphabet.identifier}
    spellings = dict(family.spellings)

    def classify(piece: bytes) -> TokenIds | None:
        token = piece.strip()
        match = kinds.match(token)
        kind = match.lastgroup.rstrip(_DIGITS) if match and match.lastgroup else "word"
        if kind in ("blank", "comment", "mark"):
            return None
        token = _SPLICE.sub(b"", token) if kind == "name" and b"\n" in token else spellings.get(token, token)
        word = token.lower() if "word" in family.any_case else token
        if kind == "word" or word in family.keywords:
            return alphabet.word(word)
        return ids_of[kind](token.lower() if kind in family.any_case else token)

    return classify


def _kinds(family: LanguageFamily) -> re.Pattern[bytes]:
    """One named group a kind."""
    groups = enumerate(kind_patterns(family))
    return re.compile(b"|".join(rb"(?P<%b%d>%b)" % (kind.encode(), number, each) for number, (kind, each) in groups))
