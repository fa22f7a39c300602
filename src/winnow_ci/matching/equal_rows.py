"""Rows of a table that are the same on both sides, and so is the row before or after them.

Two tables of one shape have names that look equal by chance, and now and then a whole row. Two such rows in succession
are no chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def equal_rows(lines: NDArray[np.int32], here: NDArray[np.int64], same: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which matched tokens stand on one of two lines in succession that are wholly the same.

    Args:
        lines: int32, one a token of the change, never falling; its line.
        here: int64, rising; numbers of the matched tokens.
        same: bool, one a matched token; whether its text is the same on both sides.

    Returns:
        bool, one a matched token.
    """
    starts = np.flatnonzero(np.diff(lines, prepend=-1))
    counts = np.diff(starts, append=len(lines))
    rows = np.searchsorted(starts, here, "right") - 1
    whole = np.bincount(rows[same], minlength=len(starts)) == counts
    beside = np.zeros(len(starts), np.bool_)
    beside[1:] |= whole[:-1]
    beside[:-1] |= whole[1:]
    return np.asarray((whole & beside)[rows], np.bool_)
