"""Rows of one shape: tables of calls, options, requires and registrations.

Each row of such a table has its own names, and two tables of one shape that nobody copied have hundreds of them side by
side: some look equal by chance, since an index knows a name by one byte. So the names and literals of a row say nothing
if the rows before it have its shape. The first few rows say what one row says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing import run_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# A line is a further row if so many of the lines before it have its shape.
ROWS = 4
BEFORE = 6


def in_further_rows(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens stand on a line of whose ``BEFORE`` lines before ``ROWS`` have the same structure: bool."""
    if not len(tokens):
        return np.empty(0, np.bool_)
    starts = np.flatnonzero(np.diff(tokens.first_lines, prepend=-1))
    lengths = np.diff(starts, append=len(tokens))
    shapes = run_hashes(tokens.structural, starts)
    same = np.zeros(len(shapes), np.int64)
    for distance in range(1, min(BEFORE, len(shapes) - 1) + 1):
        same[distance:] += shapes[distance:] == shapes[:-distance]
    return np.repeat(same >= ROWS, lengths)
