"""Tokenize documents with code in them: HTML, Vue, Svelte.

A document is cut at its script and style elements. Their contents are read as JavaScript or CSS and have the tokens of
those families, so that a script matches whether it is in a ``.js`` or a ``.vue`` file; the rest is read as markup. What
a script leaves open does not affect the markup after it. An unclosed element extends to the end of the text. Comments,
values of attributes and text (``title``) hide elements; what is unclosed does not (HTML, 13.2.5).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages.families import FAMILY_OF
from winnow_ci.languages.families.braces import JAVASCRIPT
from winnow_ci.languages.families.declarative import CSS, HTML
from winnow_ci.languages.kernel_or_python import family_pieces
from winnow_ci.languages.normalisation import normalise
from winnow_ci.languages.table_tokenizer import classifier
from winnow_ci.languages.tokens import assemble_tokens, line_numbers, with_plain_line_ends
from winnow_ci.model import Tokens
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from winnow_ci.languages.families import LanguageFamily

LANGUAGES = ("html", "vue")
MARKUP_PARTS = (HTML, JAVASCRIPT, CSS)
"""The families of the parts of documents."""
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
    """Where a part of a document begins, its pieces (``kernel_or_python.family_pieces``), and its family."""

    start: int
    pieces: list[bytes]
    family: LanguageFamily


def tokenize(text: bytes) -> Tokens:
    """Make the tokens of a normalised document (``normalisation.normalise``)."""
    parts, lines, places = markup_parts(text), line_numbers(text), np.arange(len(text), dtype=np.int32)
    found = []
    for family in MARKUP_PARTS:
        # The parts of other families count as white space.
        own = (part.pieces if part.family is family else [b" " * sum(map(len, part.pieces))] for part in parts)
        found.append(assemble_tokens(list(chain.from_iterable(own)), classifier(family), places))
    structural, verbatim, starts, ends, sketch = (
        np.concatenate([getattr(tokens, name) for tokens in found]) for name in _COLUMNS
    )
    order = np.argsort(starts)
    return Tokens(structural[order], verbatim[order], lines[starts[order]], lines[ends[order]], sketch[order])


def markup_parts(text: bytes) -> list[MarkupPart]:
    """Cut a normalised document into parts, without leaving a byte out."""
    found, done = [], 0
    for start, end, family in _embedded(with_plain_line_ends(text)):
        found += [(done, start, HTML), (start, end, family)]
        done = end
    parts = [*found, (done, len(text), HTML)]
    return [MarkupPart(start, family_pieces(text[start:end], family), family) for start, end, family in parts]


def code_parts(text: bytes, language: str) -> list[MarkupPart]:
    """Cut normalised text in a language of markup or of a family into parts; there are none in other languages."""
    if language in LANGUAGES:
        return markup_parts(text)
    family = FAMILY_OF.get(language)
    return [MarkupPart(0, family_pieces(text, family), family)] if family else []


def part_language_at(content: bytes, line: int) -> str | None:
    """``javascript`` or ``css`` if the 1-based line of a document begins in a script or a style."""
    ends, embedded = _cut(content)
    begins = int(ends[line - 2]) + 1 if line > 1 else 0
    at = bisect_right(embedded, begins, key=itemgetter(0)) - 1
    return embedded[at][2].languages[0] if at >= 0 and begins <= embedded[at][1] else None


@lru_cache(maxsize=1)
def _cut(content: bytes) -> tuple[NDArray[np.int64], list[tuple[int, int, LanguageFamily]]]:
    """Find where lines of a document end, and its scripts and styles; asked for each match of a file."""
    text = normalise(content)
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    return ends, list(_embedded(with_plain_line_ends(text)))


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
