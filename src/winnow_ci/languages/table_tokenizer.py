r"""The table-driven tokenizer: one regular expression a family, applied once to the whole text.

It cuts the text into pieces: tokens, comments and runs of white space. The kernel knows no language: it is given the
tables here, and then does the same with a matcher of its own. It leaves to Python the families whose patterns it cannot
serve, and texts of more bytes than a text may have tokens, or that would take it too much memory to match.

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
from typing import TYPE_CHECKING, Any

from winnow_ci.languages import phrase_extraction
from winnow_ci.languages.families import careful_reading, here_document_reading, javascript_reading
from winnow_ci.languages.families.careful_reading import CarefulReader, Quotes
from winnow_ci.languages.families.here_document_reading import HereDocuments
from winnow_ci.languages.families.javascript_reading import JavaScript
from winnow_ci.languages.families.syntax import (
    TEXT_WORDS,
    kind_patterns,
    nesting_marks,
    numbered_alternatives,
    opener_pattern,
    sought_openers,
    span_pattern,
    token_pattern,
)
from winnow_ci.languages.tokens import (
    TOKEN_LIMIT,
    WORD_SKETCH,
    Alphabet,
    TokenIds,
    assemble_tokens,
    bounded_pieces,
    line_numbers,
    recounted,
    with_plain_line_ends,
)
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH, Phrases, Tokens
from winnow_ci.native import kernel
from winnow_ci.start_up import compiled_on_use, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from winnow_ci.languages.families import LanguageFamily, SpanRule
    from winnow_ci.languages.families.careful_reading import Care

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

MOST_CAREFUL = 2 << 20  # bytes of a text; in Python, a megabyte of doubtful marks takes seconds
_SKETCHES = {"words": WORD_SKETCH, "names": IDENTIFIER_SKETCH, "numbers": NUMBER_SKETCH, "strings": STRING_SKETCH}


def family_tokens(text: bytes, family: LanguageFamily) -> Tokens:
    """Make the tokens of normalised text (``normalisation.normalise``) in a language of a family."""
    text = unescaped(text, family.unicode_escapes)
    reader = kernel_reader(text, family)
    if reader and (found := reader.tokens(text, MOST_CAREFUL)):
        tokens = tokens_of_kernel(found)
    else:
        tokens = tokens_of_pieces(_python_pieces(text, family), family)
    # A carriage return ends a line here, but is not counted.
    return recounted(tokens, text) if b"\r" in text else tokens


def family_pieces(text: bytes, family: LanguageFamily) -> list[bytes]:
    """Cut normalised text, as the family rewrites it, into tokens, comments and white space."""
    text = unescaped(text, family.unicode_escapes)
    reader = kernel_reader(text, family)
    found: list[bytes] | None = reader.pieces(text, MOST_CAREFUL) if reader else None
    return _python_pieces(text, family) if found is None else found


def kernel_reader(text: bytes, family: LanguageFamily) -> Any:
    """Return the kernel's reader of a family, or None if Python must read a text.

    ``tokens`` and ``pieces`` take a text and its longest length to be read with care if need be; None if Python must.
    """
    reader = _made_reader(family) if kernel() and len(text) <= TOKEN_LIMIT else None
    return None if isinstance(reader, ValueError) else reader


def tokens_of_kernel(found: Any) -> Tokens:
    """Make the tokens of what the kernel's reader returns."""
    (structural, verbatim, first_lines, last_lines, sketch), phrases, _ = found
    return Tokens(structural, verbatim, first_lines, last_lines, sketch, Phrases(*phrases))


def tokens_of_pieces(pieces: list[bytes], family: LanguageFamily) -> Tokens:
    """Make the tokens and phrases of a text that has been cut."""
    classify = classifier(family)
    ids_of = {piece: classify(piece) for piece in set(pieces)}.__getitem__
    tokens = assemble_tokens(pieces, ids_of, line_numbers(b"".join(pieces)))
    return replace(tokens, phrases=phrase_extraction.phrases_of(pieces, ids_of))


def _python_pieces(text: bytes, family: LanguageFamily) -> list[bytes]:
    found = cut_text(text, family)
    if family.care and len(text) <= MOST_CAREFUL and family.care.is_doubtful(found):
        return cut_text(text, family, careful=True)
    return found


def unescaped(text: bytes, ascii_characters: bytes) -> bytes:
    r"""Replace ``\uXXXX`` in a normalised text (Java Language Specification, 3.3).

    It must stand for one of these characters or one beyond ASCII. Each word keeps its end, and white space before it
    fills the rest, so that offsets differ by less than a word.
    """
    # One byte is found several times as fast as two.
    if not ascii_characters or b"\\" not in text or rb"\u" not in text:
        return text
    if native := kernel():
        return bytes(native.unescaped(text, ascii_characters))

    def character(escape: re.Match[bytes]) -> bytes:
        units = b"".join(int(unit, 16).to_bytes(2, "big") for unit in escape.groups() if unit)
        found = units.decode("utf-16-be").encode()
        is_meant = found and (found > b"\x7f" or found in ascii_characters)
        # A line feed that is written so ends a line, but is not counted.
        return found.replace(b"\n", b"\r") if is_meant else escape.group()

    return _WORD.sub(lambda word: _ESCAPE.sub(character, word.group()).rjust(len(word.group())), text)


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
    if not (openers := _text_openers(family)):
        return found
    is_text = re.compile(b"|".join(openers)).match
    return [part for piece in found for part in (_WORDS.findall(piece) if is_text(piece) else [piece])]


def _text_openers(family: LanguageFamily) -> list[bytes]:
    return [opener for span in family.spans if span.kind == "text" for opener in span.openers]


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


# ---- tables for the kernel ------------------------------------------------------------------------------------------


@lru_cache
def _made_reader(family: LanguageFamily) -> Any:
    try:
        return kernel().Tokenizer(_tables(family))
    except ValueError as error:
        return error


def _tables(family: LanguageFamily) -> dict[str, object]:
    """All that the kernel knows of a family; ``kernel/crates/tokens/src/tables.rs`` says what each table is."""
    return {
        **family._asdict(),
        "name": family.name.encode(),
        "spans": [_span_table(span) for span in family.spans],
        "alternatives": numbered_alternatives(family),
        "sketches": {name: (values.start, len(values)) for name, values in _SKETCHES.items()},
        "text_openers": _text_openers(family),
        "words": TEXT_WORDS,
        "rewritten": [(places, byte[0]) for places, byte in family.rewritten],
        "kinds": kind_patterns(family),
        "keywords": list(family.keywords),
        "phrases": _constants(phrase_extraction, "PHRASE_"),
        "care": _care_tables(family.care) if family.care else None,
        # The kernel forgets the pieces of earlier files beyond these, so that memory does not grow with the corpus.
        "most_pieces": 1 << 16,
        "most_bytes": 1 << 22,
    }


def _span_table(span: SpanRule) -> dict[str, object]:
    return {
        **span._asdict(),
        "sought": sought_openers(span),
        "is_long": len(span.closer) > 1,
        "between": nesting_marks(span) if span.nests else b"",
        "ends_by_marks": bool(span.between),
    }


def _care_tables(care: Care) -> dict[str, object]:
    quotes = care.quotes if isinstance(care, HereDocuments) else care
    return {
        "javascript": _constants(javascript_reading, "JS_") if isinstance(care, JavaScript) else None,
        "quotes": _quotes_table(quotes) if isinstance(quotes, Quotes) else None,
        "here_documents": _constants(here_document_reading, "HERE_") if isinstance(care, HereDocuments) else None,
    }


def _quotes_table(quotes: Quotes) -> dict[str, object]:
    openers = [form.opener for form in quotes.forms]
    return {
        **_constants(careful_reading, "QUOTE_"),
        "openers": openers,
        "strings": [form.marks() for form in quotes.forms],
        "code": [*openers, *map(re.escape, quotes.brackets), rb"\0"],
    }


def _constants(module: ModuleType, prefix: str) -> dict[str, object]:
    """The constants of a module that begin with a prefix; the kernel knows them without it."""
    own = {name.removeprefix(prefix).lower(): value for name, value in vars(module).items() if name.startswith(prefix)}
    return {
        name: list(value) if isinstance(value, frozenset) else getattr(value, "pattern", value)
        for name, value in own.items()
    }
