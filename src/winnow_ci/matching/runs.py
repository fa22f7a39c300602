"""Runs of equal values in a sorted array.

Matching cuts a change's seeds up by content, by diagonal and by stretch, thousands of times and mostly into a few
pieces; ``np.unique`` gives the same numbers but takes several times as long on arrays so short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def runs(ordered: NDArray[Any]) -> Iterator[tuple[int, int, int]]:
    """Each distinct value of an array of sorted numbers, with the half-open range of its places."""
    if len(ordered) == 0:
        return
    starts = [0, *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist()]
    yield from zip(ordered[starts].tolist(), starts, [*starts[1:], len(ordered)], strict=True)
