r"""The table-driven tokenizer: one regular expression a family, applied once to the whole text.

This is the plain definition, which Python follows without a kernel; ``kernel_or_python`` is what others call. The
expression cuts the whole text into pieces: tokens, comments and runs of white space.

**Linear on any input.** Python's ``re`` backtracks, so no alternative can fail once its first few characters have
matched: closing quotes are optional, and what follows a repetition is optional or certain to be there. Only a run of
white space and the digits after a hexadecimal point may be read in vain, once. Repetitions of more than one character
have a bound (``_MANY`` in ``families.syntax``), because the engine records each round.

**Spans that nothing closes.** A block comment or a string that may span lines matches up to its end or, if it has none,
up to the NUL that marks the text's end. So an unclosed span is always the last piece, and ends with NUL. A broken file
must not lose everything that follows: only the opener of such a piece is kept, and the rest is read again without that
kind of span, at most once for each kind. That is right, since the search for an end follows the span's rule alone: no
later opener of the kind can be closed either. (A later C++ raw string might be; its contents are then read as code,
which hides nothing.) If a string need not span lines, not even its opener is kept: it may open one that ends with its
line.

**Nested spans** are beyond a regular expression. Their ends are found beforehand, in one pass over all marks of their
kind; where such a span begins, tokenizing continues at its end.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages.families.careful_reading import CarefulReader
from winnow_ci.languages.families.syntax import (
    TEXT_WORDS,
    kind_patterns,
    nesting_marks,
    opener_pattern,
    span_pattern,
    token_pattern,
)
from winnow_ci.languages.phrase_extraction import phrases_of
from winnow_ci.languages.tokens import (
    Alphabet,
    TokenIds,
    assemble_tokens,
    bounded_pieces,
    line_numbers,
    with_plain_line_ends,
)
from winnow_ci.start_up import compiled_on_use, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from winnow_ci.languages.families import LanguageFamily, SpanRule
    from winnow_ci.model import Tokens

_END = b"\0"
_DIGITS = "0123456789"

# An end is looked for after at most twelve backslashes: of more, an even number in the middle does not count.
_LONG_ESCAPES = b"\\" * 13
_MIDDLE_OF_ESCAPES = compiled_on_use(rb"(?<=\\\\)(?:\\\\)+(?=\\{10})")
_SPLICE = compiled_on_use(rb"\\[ \t]*\n")
_WORDS = compiled_on_use(TEXT_WORDS)
# An escaped backslash begins no escape.
_ESCAPE = compiled_on_use(
    rb"\\\\|\\u+([dD][89abAB][0-9a-fA-F]{2})\\u+([dD][c-fC-F][0-9a-fA-F]{2})|\\u+(?![dD][89a-fA-F])([0-9a-fA-F]{4})"
)
_WORD = compiled_on_use(rb"[^\x01-\x20]+")


def tokens_of_pieces(pieces: list[bytes], family: LanguageFamily) -> Tokens:
    """Make the tokens and phrases of a text that has been cut."""
    classify = classifier(family)
    ids_of = {piece: classify(piece) for piece in set(pieces)}.__getitem__
    tokens = assemble_tokens(pieces, ids_of, line_numbers(b"".join(pieces)))
    return replace(tokens, phrases=phrases_of(pieces, ids_of))


def python_pieces(text: bytes, family: LanguageFamily, most_careful: int) -> list[bytes]:
    """Cut normalised text into tokens, comments and white space, with care if need be and it is no longer than this."""
    found = cut_text(text, family)
    is_careful = len(text) <= most_careful and needs_care(found, family)
    return cut_text(text, family, careful=True) if is_careful else found


def python_unescaped(text: bytes, ascii_characters: bytes) -> bytes:
    r"""Replace ``\uXXXX`` by the characters that it stands for (Java Language Specification, 3.3)."""

    def character(escape: re.Match[bytes]) -> bytes:
        units = b"".join(int(unit, 16).to_bytes(2, "big") for unit in escape.groups() if unit)
        found = units.decode("utf-16-be").encode()
        is_meant = found and (found > b"\x7f" or found in ascii_characters)
        # A line feed that is written so ends a line, but is not counted.
        return found.replace(b"\n", b"\r") if is_meant else escape.group()

    return _WORD.sub(lambda word: _ESCAPE.sub(character, word.group()).rjust(len(word.group())), text)


def needs_care(found: list[bytes], family: LanguageFamily) -> bool:
    """Whether a text may have to be cut otherwise than into these pieces."""
    return family.care is not None and family.care.is_doubtful(found)


def cut_text(text: bytes, family: LanguageFamily, *, careful: bool = False) -> list[bytes]:
    """Cut normalised text, with care or without."""
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
        code = re.search(family.begins_as_text, rest)
        end = code.start() if code and not code.group() else 0
        found, rest = found + _WORDS.findall(rest[:end]), rest[end:]
    # What opens nowhere in the whole text opens nowhere in the rest of it, whose beginning would look like the text's.
    openers = ((span, b"|".join(span.openers)) for span in family.spans if span.marker in rest)
    spans = tuple(span for span, pattern in openers if re.search(pattern, rest))
    while True:
        found += (_carefully if careful else _quickly)(family, spans, rest)
        unclosed = found.pop()
        if unclosed == _END:
            return _with_words(found, family)
        begun = ((span, re.match(b"|".join(span.openers), unclosed)) for span in spans)
        span, opener = next((span, match.group()) for span, match in begun if match)
        if len(span.closer) > 1 or opener not in family.quotes:
            found.append(opener)
            unclosed = unclosed[len(opener) :]
        rest, spans = unclosed, tuple(other for other in spans if other is not span)


def _quickly(family: LanguageFamily, spans: tuple[SpanRule, ...], text: bytes) -> list[bytes]:
    """Cut a text that ends with NUL; the last piece is that, or a span that nothing closes."""
    pattern, far_ends = token_pattern(family, spans), _far_ends(spans, text)
    found = _with_far_ends(pattern, text, far_ends) if far_ends else map(re.Match.group, pattern.finditer(text))
    return bounded_pieces(found, text)


def _carefully(family: LanguageFamily, spans: tuple[SpanRule, ...], text: bytes) -> list[bytes]:
    """The same, but as the language has it where a pattern may err."""

    def cut_part(part: bytes, start: int) -> list[bytes]:
        return list(_with_far_ends(token_pattern(family, spans), part, _far_ends(spans, part), start))

    assert family.care
    openers, wholes = opener_pattern(family, spans), tuple(map(span_pattern, spans))
    return CarefulReader(text, family.care, openers, wholes, _far_ends(spans, text), cut_part).pieces()


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


def _with_words(found: list[bytes], family: LanguageFamily) -> list[bytes]:
    openers = [opener for span in family.spans if span.kind == "text" for opener in span.openers]
    if not openers:
        return found
    is_text = re.compile(b"|".join(openers)).match
    return [part for piece in found for part in (_WORDS.findall(piece) if is_text(piece) else [piece])]


@lru_cache
def classifier(family: LanguageFamily) -> Callable[[bytes], TokenIds | None]:
    """Return what finds the ids of a piece, or None for comments and white space."""
    alphabet = Alphabet(family.name)
    groups = enumerate(kind_patterns(family))
    kinds = re.compile(b"|".join(rb"(?P<%b%d>%b)" % (kind.encode(), number, each) for number, (kind, each) in groups))
    ids_of = {"string": alphabet.string, "number": alphabet.number, "name": alphabet.identifier}
    spellings, keywords = dict(family.spellings), family.keywords

    def classify(piece: bytes) -> TokenIds | None:
        token = piece.strip()
        match = kinds.match(token)
        kind = match.lastgroup.rstrip(_DIGITS) if match and match.lastgroup else "word"
        if kind in ("blank", "comment", "mark"):
            return None
        token = _SPLICE.sub(b"", token) if kind == "name" and b"\n" in token else spellings.get(token, token)
        word = token.lower() if "word" in family.any_case else token
        if kind == "word" or word in keywords:
            return alphabet.word(word)
        return ids_of[kind](token.lower() if kind in family.any_case else token)

    return classify
