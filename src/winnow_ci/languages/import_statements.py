"""Statements that import something: what a document takes from others, and nothing of its own.

Who uses a library imports the same names as everybody else who uses it, so an import is no evidence of a copy. A
statement begins with its language's word (``import``, ``#include``, ``use``) at the start of a line. It ends with the
line or a semicolon, but goes on where the bracket is open in which its language lists what it imports, as Go's blocks
do. It has names, strings and the marks between them, and nothing else: what has a ``=``, a number or another bracket is
another statement, such as a call of ``import`` in JavaScript, or ``using`` with a block in C#.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.languages.tokens import Alphabet, sketch_classes
from winnow_ci.model import IDENTIFIER_SKETCH, STRING_SKETCH
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

_IMPORT = b"import"
# The words of each front end that begin a statement; what C imports is told by the second token.
WORDS = {
    "c": b"#",
    "csharp": b"using",
    "dart": _IMPORT,
    "go": _IMPORT,
    "groovy": _IMPORT,
    "java": _IMPORT,
    "javascript": _IMPORT,
    "julia": b"import using",
    "kotlin": _IMPORT,
    "perl": b"use require",
    "php": b"use",
    "python": b"import from",
    "ruby": b"require require_relative",
    "rust": b"use",
    "scala": _IMPORT,
    "solidity": _IMPORT,
    "swift": _IMPORT,
}
_DIRECTIVES = b"include import"
_ROUND, _CURLY = b"( )", b"{ }"
# The brackets that may be open at the end of a line; a language's other brackets can hold code that runs.
BRACKETS = {
    "go": _ROUND,
    "javascript": _CURLY,
    "php": _CURLY,
    "python": _ROUND,
    "rust": _CURLY,
    "scala": _CURLY,
    "solidity": _CURLY,
}
# After its first token a statement has names, strings, these, and its language's brackets.
_MARKS = b"import include from static type typeof as default self super crate function const . , * :: : / < > \\ - _"
_END = b";"
# Tokens of the last statement at most; Go's longest blocks have a few hundred.
LONGEST = 2048
# What a token is, as bits.
FITS, OPENS, CLOSES, ENDS = (1 << bit for bit in range(4))


def in_imports(tokens: Tokens, front_end: str) -> NDArray[np.bool_]:
    """Which tokens stand in a statement that imports something: bool, one a token.

    Args:
        tokens: of a document.
        front_end: that made them; of one without ``WORDS``, no statement is known.
    """
    found: NDArray[np.bool_] = np.zeros(len(tokens), np.bool_)
    if front_end not in WORDS:
        return found
    if kernel():
        return np.asarray(_native(front_end).marks(tokens))
    starts = _starts(tokens, front_end)
    if len(starts):
        # Most files import at their top, so the rest need not be looked at.
        first = int(starts[0])
        near = tokens.copied(first, int(starts[-1]) + LONGEST)
        for start, end in _whole(near, front_end, starts - first):
            found[first + start : first + end] = True
    return found


@cache
def _native(front_end: str) -> Any:
    """The same in the kernel, which is told what the statements of a front end are made of."""
    words, directives = _ids(front_end, WORDS[front_end]), _ids(front_end, _DIRECTIVES) if front_end == "c" else ()
    known = [(int(own), int(bits)) for own, bits in zip(*_known(front_end), strict=True)]
    return kernel().ImportStatements(words, directives, known, sketch_classes())


def _whole(tokens: Tokens, front_end: str, starts: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Of those that begin at some tokens, the first token of each statement, and the one after its last."""
    bits = _bits(tokens, front_end)
    depth = np.cumsum((bits & OPENS > 0).astype(np.int32) - (bits & CLOSES > 0))
    others = np.append(np.flatnonzero(bits[1:] == 0) + 1, len(tokens))
    stops = np.flatnonzero(np.append(tokens.first_lines[1:] > tokens.last_lines[:-1], True) | (bits & ENDS > 0))
    limits = others[np.searchsorted(others, starts, "right")]
    at = np.searchsorted(stops, starts)
    is_one_line = (stops[at] < limits) & (depth[stops[at]] <= depth[starts])
    yield from zip(starts[is_one_line].tolist(), (stops[at[is_one_line]] + 1).tolist(), strict=True)
    before = 0
    for start, limit in zip(starts[~is_one_line].tolist(), limits[~is_one_line].tolist(), strict=True):
        # Of what is not whole, nothing is looked at twice.
        if start >= before:
            within = stops[np.searchsorted(stops, start) : np.searchsorted(stops, limit)]
            ends = within[depth[within] <= depth[start]]
            if len(ends):
                yield start, int(ends[0]) + 1
            before = limit


def _starts(tokens: Tokens, front_end: str) -> NDArray[np.int64]:
    """The tokens that begin a line and may begin a statement."""
    texts = tokens.verbatim
    at: NDArray[np.int64] = np.flatnonzero(_is_any(texts, front_end, WORDS[front_end]))
    at = at[(at == 0) | (tokens.first_lines[at] > tokens.last_lines[at - 1])]
    if front_end == "c":
        at = at[_is_any(texts[np.minimum(at + 1, len(texts) - 1)], front_end, _DIRECTIVES)]
    return at


def _is_any(texts: NDArray[np.uint64], front_end: str, words: bytes) -> NDArray[np.bool_]:
    """Which texts are one of some words."""
    found = np.zeros(len(texts), np.bool_)
    for own in _ids(front_end, words):
        found |= texts == np.uint64(own)
    return found


@cache
def _ids(front_end: str, words: bytes) -> tuple[int, ...]:
    word = Alphabet(front_end).word
    return tuple(word(text).verbatim for text in words.split())


def _bits(tokens: Tokens, front_end: str) -> NDArray[np.uint8]:
    """What each token is: uint8."""
    ids, bits = _known(front_end)
    # Few ids: they need no sorted order to stay in the processor's cache.
    places = np.minimum(np.searchsorted(ids, tokens.verbatim), len(ids) - 1)
    known = np.where(ids[places] == tokens.verbatim, bits[places], np.uint8(0))
    fits = _are(tokens, IDENTIFIER_SKETCH) | _are(tokens, STRING_SKETCH)
    return np.asarray(known | fits * np.uint8(FITS), np.uint8)


@cache
def _known(front_end: str) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
    """The ids of a front end's tokens that are something, sorted, and what they are."""
    brackets = zip((OPENS, CLOSES), BRACKETS.get(front_end, b"").split(), strict=False)
    kinds = ((FITS, _MARKS), (ENDS, _END), *brackets)
    known = {own: bit for bit, texts in kinds for own in _ids(front_end, texts)}
    return np.array(sorted(known), np.uint64), np.array([known[own] for own in sorted(known)], np.uint8)


def _are(tokens: Tokens, sketches: range) -> NDArray[np.bool_]:
    return np.asarray((tokens.sketch >= sketches.start) & (tokens.sketch < sketches.stop), np.bool_)
