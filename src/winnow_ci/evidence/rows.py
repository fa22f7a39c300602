"""Rows of one shape: tables of calls, options, requires and registrations.

Each row of such a table has its own names, and two tables of one shape that nobody copied have hundreds of them side by
side: some look equal by chance, since an index knows a name by one byte. So the names and literals of a row say nothing
if the rows before it have its shape. The first few rows say what one row says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# A line is a further row if so many of the lines before it have its shape.
ROWS = 4
BEFORE = 6
# Odd, so that no power of it is 0: Knuth's multiplier for 64 bits.
_BASE = np.uint64(6364136223846793005)


def in_further_rows(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens stand on a line of whose ``BEFORE`` lines before ``ROWS`` have the same structure: bool."""
    if not len(tokens):
        return np.empty(0, np.bool_)
    starts = np.flatnonzero(np.diff(tokens.first_lines, prepend=-1))
    lengths = np.diff(starts, append=len(tokens))
    shapes = _shapes(tokens.structural, starts, lengths)
    same = np.zeros(len(shapes), np.int64)
    for distance in range(1, min(BEFORE, len(shapes) - 1) + 1):
        same[distance:] += shapes[distance:] == shapes[:-distance]
    return np.repeat(same >= ROWS, lengths)


def _shapes(ids: NDArray[np.uint64], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A hash of the structure of each line, a polynomial over its ids: uint64."""
    places = np.arange(len(ids)) - np.repeat(starts, lengths)
    powers = np.cumprod(np.full(int(lengths.max()), _BASE))
    shapes: NDArray[np.uint64] = np.add.reduceat(ids * powers[places], starts)
    return shapes
