"""Tokenize documents with code in them: HTML, Vue, Svelte.

A document is cut at its script and style elements. Their contents are read as JavaScript or CSS and have the tokens of
those families, so that a script matches whether it is in a ``.js`` or a ``.vue`` file; the rest is read as markup. What
a script leaves open does not affect the markup after it. An unclosed element extends to the end of the text. Comments,
values of attributes and text (``title``) hide elements; what is unclosed does not (HTML, 13.2.5).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from winnow_ci.languages.families import FAMILY_OF, LanguageFamily
from winnow_ci.languages.families.braces import JAVASCRIPT
from winnow_ci.languages.families.declarative import CSS, HTML
from winnow_ci.languages.normalisation import normalise
from winnow_ci.languages.table_tokenizer import family_pieces, family_tokens
from winnow_ci.languages.tokens import TOKEN_LIMIT, too_many_tokens, with_lines, with_plain_line_ends
from winnow_ci.model import Tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

LANGUAGES = ("html", "vue")
MARKUP_PARTS = (HTML, JAVASCRIPT, CSS)  # the families of the parts of documents
REVISION = ".".join(str(family.revision) for family in MARKUP_PARTS)

_LONGEST_TAG = 4096
_COLUMNS = ("structural", "verbatim", "first_lines", "last_lines", "sketch")

_TAG = compiled_on_use(
    rb"(?i:<(script|style|title|textarea|xmp|iframe|noembed|noframes)\b)|<(?:(!--)|([A-Za-z/])|[!?])"
)
_CODE = frozenset((b"script", b"style"))
_END_OF_COMMENT = compiled_on_use(rb"--!?>")
# Up to the tag's end, or over a value, which may contain what looks like an end.
_IN_TAG = compiled_on_use(rb"""[^>=]*(?:(>)|=[\x01-\x20]*(?:"[^"]*"|'[^']*')?)""")
_TYPE = compiled_on_use(rb"""(?i:\stype=["']?([^\s"'>]*))""")
_SCRIPTS = compiled_on_use(
    rb"(?i:|module|(?:text|application)/(?:x-)?(?:javascript|typescript|ecmascript|babel|jsx)|ts|tsx)\Z"
)


class MarkupPart(NamedTuple):
    """Where a part of a document begins, its pieces (``table_tokenizer.family_pieces``), and its family."""

    start: int
    pieces: list[bytes]
    family: LanguageFamily


def tokenize(text: bytes) -> Tokens:
    """Make the tokens of a normalised document (``normalisation.normalise``); ``Untokenizable`` if it has too many."""
    line, found = 1, list[Tokens]()
    for start, end, family in _places(text):
        last = line + text.count(b"\n", start, end)
        found.append(with_lines(family_tokens(text[start:end], family), np.arange(line, last + 1, dtype=np.int32)))
        line = last
    if sum(map(len, found)) > TOKEN_LIMIT:
        raise too_many_tokens()
    structural, verbatim, first_lines, last_lines, sketch = (
        np.concatenate([getattr(tokens, name) for tokens in found]) for name in _COLUMNS
    )
    return Tokens(structural, verbatim, first_lines, last_lines, sketch)


def markup_parts(text: bytes) -> list[MarkupPart]:
    """Cut a normalised document into parts, without leaving a byte out."""
    return [MarkupPart(start, family_pieces(text[start:end], family), family) for start, end, family in _places(text)]


def _places(text: bytes) -> list[tuple[int, int, LanguageFamily]]:
    """Start, end and family of each part."""
    found, done = [], 0
    for start, end, family in _embedded(with_plain_line_ends(text)):
        found += [(done, start, HTML), (start, end, family)]
        done = end
    return [*found, (done, len(text), HTML)]


def code_parts(text: bytes, language: str) -> list[MarkupPart]:
    """Cut normalised text in a language of markup or of a family into parts; there are none in other languages."""
    if language in LANGUAGES:
        return markup_parts(text)
    family = FAMILY_OF.get(language)
    return [MarkupPart(0, family_pieces(text, family), family)] if family else []


def part_language_at(content: bytes, line: int) -> str | None:
    """``javascript`` or ``css`` if the 1-based line of a document begins in a script or a style."""
    return _languages_of_lines(content)[line - 1]


@lru_cache(maxsize=1)  # asked for each match of a file
def _languages_of_lines(content: bytes) -> list[str | None]:
    text = normalise(content)
    begins = [0, *(np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1).tolist()]
    found: list[str | None] = [None] * len(begins)
    for start, end, family in _embedded(with_plain_line_ends(text)):
        inside = range(bisect_left(begins, start), bisect_right(begins, end))
        found[inside.start : inside.stop] = [family.languages[0]] * len(inside)
    return found


def _embedded(text: bytes) -> Iterator[tuple[int, int, LanguageFamily]]:
    """Yield start, end and family of the contents of scripts and styles; read each byte a bounded number of times."""
    at, endless = 0, set[bytes]()
    while found := _TAG.search(text, at):
        at = found.end()
        name = (found.group(1) or b"").lower()
        if name:
            start = _end_of_tag(text, at)
            closing = None if name in endless else _end_of(name).search(text, start)
            endless |= set() if closing else {name}
            at = closing.start() if closing else len(text) if name in _CODE else start
            family = _family(name, text[found.end() : start])
            if family and start < at:
                yield start, at, family
        elif found.group(2):
            at = _after_comment(text, at, endless)
        elif found.group(3):
            at = _end_of_tag(text, at)
        else:
            at = text.find(b">", at) + 1 or at


@lru_cache
def _end_of(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"(?i:</%b)" % name)


def _after_comment(text: bytes, at: int, endless: set[bytes]) -> int:
    """Return where a comment ends; one that does not end hides nothing, and no later one ends."""
    if text.startswith((b">", b"->"), at):
        return text.index(b">", at) + 1
    end = None if b"--" in endless else _END_OF_COMMENT.search(text, at)
    endless |= set() if end else {b"--"}
    return end.end() if end else at


def _end_of_tag(text: bytes, at: int) -> int:
    limit = min(len(text), at + _LONGEST_TAG)
    place = at
    while found := _IN_TAG.match(text, place, limit):
        place = found.end()
        if found.group(1):
            return place
    end = text.find(b">", at, limit)
    return end + 1 if end >= 0 else limit


def _family(element: bytes, attributes: bytes) -> LanguageFamily | None:
    """The family of an element's content; None if it is not code: templates, data, text."""
    if element not in _CODE:
        return None
    if element == b"style":
        return CSS
    kind = _TYPE.search(attributes)
    return JAVASCRIPT if kind is None or _SCRIPTS.match(kind.group(1)) else None
