"""The lines that a change adds, as ranges, as numbers and as marks, and the tokens that stand on them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model import LineRange

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import I32


def on_lines(first_lines: I32, last_lines: I32, ranges: Sequence[LineRange]) -> NDArray[np.bool_]:
    """Which tokens touch a line of these ranges, given the lines on which each begins and ends: bool, one a token."""
    if not ranges:
        return np.zeros(len(first_lines), np.bool_)
    first, last = np.array(ranges, np.int64).T
    ranges_begun = np.searchsorted(first, last_lines, "right")
    ranges_over = np.searchsorted(last, first_lines, "left")
    return np.asarray(ranges_begun > ranges_over, np.bool_)


def numbers_in(ranges: Sequence[LineRange]) -> NDArray[np.int64]:
    """The lines of some ranges, one after the other: int64."""
    return np.concatenate([np.empty(0, np.int64), *(np.arange(first, last + 1) for first, last in ranges)])


def marked_in(ranges: Sequence[LineRange], count: int) -> NDArray[np.bool_]:
    """The lines of some ranges among the first ``count`` lines: bool, shape (count,)."""
    marked = np.zeros(count, np.bool_)
    for first, last in ranges:
        marked[first - 1 : last] = True
    return marked


def ranges_of(numbers: NDArray[np.integer]) -> tuple[LineRange, ...]:
    """Rising numbers of lines as ranges with at least one line between two of them."""
    runs = np.split(numbers, np.flatnonzero(np.diff(numbers) > 1) + 1)
    return tuple(LineRange(int(run[0]), int(run[-1])) for run in runs if len(run))


def clipped(ranges: Sequence[LineRange], lines: LineRange) -> tuple[LineRange, ...]:
    """The parts of ranges, which are sorted, that lie within other lines."""
    start = bisect_left(ranges, lines.first, key=attrgetter("last"))
    near = ranges[start : bisect_right(ranges, lines.last, key=attrgetter("first"))]
    return tuple(LineRange(max(one.first, lines.first), min(one.last, lines.last)) for one in near)
