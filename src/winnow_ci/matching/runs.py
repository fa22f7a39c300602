"""Runs of equal values in a sorted array.

Matching cuts seeds up by content, by diagonal and by stretch, and tokens by what they say, thousands of times and
mostly into a few pieces; ``np.unique`` gives the same numbers but takes several times as long on arrays so short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def runs(ordered: NDArray[Any]) -> Iterator[tuple[int, int, int]]:
    """Each distinct value of an array of sorted numbers, with the half-open range of its places."""
    starts = run_starts(ordered).tolist()
    yield from zip(ordered[starts].tolist(), starts, [*starts, len(ordered)][1:], strict=True)


def run_starts(ordered: NDArray[Any]) -> NDArray[np.int64]:
    """Where each distinct value of an array of sorted numbers first stands: int64."""
    return np.flatnonzero(np.concatenate([ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]]))


def firsts(values: NDArray[Any]) -> NDArray[np.int64]:
    """Where each distinct value of an array first stands, the least value first: int64."""
    order = np.argsort(values, kind="stable")
    return order[run_starts(values[order])]
