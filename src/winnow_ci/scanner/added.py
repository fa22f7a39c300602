"""Which tokens stand on the lines that a change adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import I32, LineRange


def on_lines(first_lines: I32, last_lines: I32, ranges: Sequence[LineRange]) -> NDArray[np.bool_]:
    """Which tokens touch a line of these ranges, given the lines on which each begins and ends: bool, one a token."""
    if not ranges:
        return np.zeros(len(first_lines), np.bool_)
    first, last = np.array(ranges, np.int64).T
    ranges_begun = np.searchsorted(first, last_lines, "right")
    ranges_over = np.searchsorted(last, first_lines, "left")
    return np.asarray(ranges_begun > ranges_over, np.bool_)
