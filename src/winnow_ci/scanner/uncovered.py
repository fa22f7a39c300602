"""Code that was text: lines that a change leaves alone, and makes code.

A change that removes the marks around a comment or string, or gives a file another language, adds hardly a line. But
the lines between were not read as code before, or not as code of this language. They count as added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.languages import Untokenizable, front_end_of, keeps_reading, language_of, normalise, readings
from winnow_ci.model import LineRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.languages import FrontEnd
    from winnow_ci.model import Change, Tokens

# Odd, so that no power of it is 0: Knuth's multiplier for 64 bits.
_BASE = np.uint64(6364136223846793005)


def added_or_uncovered(change: Change, language: str, front_end: FrontEnd, tokens: Tokens) -> tuple[LineRange, ...]:
    """The lines that a change adds or makes code.

    Args:
        change: the changed file.
        language: its language.
        front_end: what made the tokens.
        tokens: its tokens.
    """
    if not change.old or not len(tokens):
        return change.added
    try:
        was, new = normalise(change.old), normalise(change.content)
        language_was = language_of(change.path, change.old)
        if language_was == language and keeps_reading(language, was, new, change.added, careful=tokens.careful):
            return change.added
        earlier = next(readings(language_was or "", change.old, front_end.alphabets), None) if language_was else None
    except Untokenizable:
        earlier = None
    known = _line_hashes(earlier.tokens)[1] if earlier else np.empty(0, np.uint64)
    lines, hashes = _line_hashes(tokens)
    return _with_lines(change.added, lines[~np.isin(hashes, known)])


def shares_alphabet(language: str, other: str) -> bool:
    """Whether code in one language may be known as code in another."""
    return bool(front_end_of(language).alphabets & front_end_of(other).alphabets)


def _line_hashes(tokens: Tokens) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """The lines on which tokens begin, and a hash of the text of these tokens: int32 and uint64, one a line."""
    if not len(tokens):
        return np.empty(0, np.int32), np.empty(0, np.uint64)
    starts = np.flatnonzero(np.diff(tokens.first_lines, prepend=0))
    lengths = np.diff(starts, append=len(tokens))
    places = np.arange(len(tokens)) - np.repeat(starts, lengths)
    powers = np.cumprod(np.full(int(lengths.max()), _BASE))
    return tokens.first_lines[starts], np.add.reduceat(tokens.verbatim * powers[places], starts)


def _with_lines(ranges: Sequence[LineRange], lines: NDArray[np.int32]) -> tuple[LineRange, ...]:
    """Ranges of lines, with some more lines."""
    if not len(lines):
        return tuple(ranges)
    every = np.unique(np.concatenate([lines, *(np.arange(first, last + 1) for first, last in ranges)]))
    runs = np.split(every, np.flatnonzero(np.diff(every) > 1) + 1)
    return tuple(LineRange(int(run[0]), int(run[-1])) for run in runs)
