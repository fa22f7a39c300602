"""Runs of equal values in a sorted array.

Matching groups seeds by content, diagonal and stretch, and tokens by what they say, thousands of times and mostly into
a few groups. ``np.unique`` gives the same numbers but takes several times as long on such short arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def runs(ordered: NDArray[Any]) -> Iterator[tuple[int, int, int]]:
    """Each distinct value of a sorted array, with the half-open range of its places."""
    starts = run_starts(ordered).tolist()
    yield from zip(ordered[starts].tolist(), starts, [*starts, len(ordered)][1:], strict=True)


def run_starts(ordered: NDArray[Any]) -> NDArray[np.int64]:
    """Where each distinct value of a sorted array first occurs: int64."""
    return np.flatnonzero(np.concatenate([ordered[:1] == ordered[:1], ordered[1:] != ordered[:-1]]))


def row_starts(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Where a run of equal rows starts, given by columns: int64."""
    differ = np.ones(len(columns[0]), np.bool_)
    differ[1:] = False
    for column in columns:
        differ[1:] |= column[1:] != column[:-1]
    return differ.nonzero()[0]


def firsts(values: NDArray[Any]) -> NDArray[np.int64]:
    """Where each distinct value of an array first occurs, the least value first: int64."""
    order = np.argsort(values, kind="stable")
    return order[run_starts(values[order])]


def firsts_of_each(owners: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.int64]:
    """The same for each owner of some of the values, the first owner first: int64."""
    order = np.lexsort((values, owners))
    return order[row_starts(owners[order], values[order])]
