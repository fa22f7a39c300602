"""Which tokens of a copy stand for which of its source.

A region says only where both begin and end. From the beginning on, tokens of equal class stand for one another; at an
edit the next place is taken where both sides agree for a few tokens, the nearest one first, as the matcher chains over
edits. What comes after an edit too long for that has no counterpart.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import U8

LONGEST_EDIT = 64
# So many equal tokens after an edit are no chance.
SURE = 8


def aligned(here: U8, there: U8) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Align a copy with its source.

    Args:
        here: uint8, shape (n,); sketches of the tokens of the copy.
        there: uint8, shape (m,); sketches of the tokens of the source.

    Returns:
        Two int64 arrays of one shape: numbers of tokens here, and of those that they stand for there; both rise.
    """
    ours, theirs = _classes(here), _classes(there)
    starts, counterparts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    i = j = 0
    while i < len(ours) and j < len(theirs):
        run = _common(ours[i:], theirs[j:])
        starts.append(np.arange(i, i + run))
        counterparts.append(np.arange(j, j + run))
        skipped_here, skipped_there = _edit(ours[i + run :].tobytes(), theirs[j + run :].tobytes())
        i, j = i + run + skipped_here, j + run + skipped_there
    return np.concatenate(starts), np.concatenate(counterparts)


def _common(ours: U8, theirs: U8) -> int:
    """How many tokens are the same at the beginning."""
    shorter = min(len(ours), len(theirs))
    different = np.flatnonzero(ours[:shorter] != theirs[:shorter])
    return int(different[0]) if len(different) else shorter


def _edit(ours: bytes, theirs: bytes) -> tuple[int, int]:
    """How many tokens to pass over on each side; all of them if that does not help."""
    for here, there in _shifts():
        after = ours[here : here + SURE]
        if after and after == theirs[there : there + SURE]:
            return here, there
    return len(ours), len(theirs)


@cache
def _shifts() -> tuple[tuple[int, int], ...]:
    reach = range(LONGEST_EDIT + 1)
    return tuple(sorted(((here, there) for here in reach for there in reach), key=sum))


def _classes(sketch: U8) -> U8:
    classes = sketch.copy()
    for values in (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH):
        classes[(sketch >= values.start) & (sketch < values.stop)] = values.start
    return classes
