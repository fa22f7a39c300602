"""Sorted runs of postings, merged block by block.

A run is ordered by hash only. All runs advance together through the range of hashes, so that memory holds a part of
each and one part of the result, however many postings there are.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.index import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

# So many are merged at a time, or those of one block.
RANGE_POSTINGS = 1 << 17


def merged(runs: Iterable[Iterator[NDArray[np.void]]], bits: int) -> Iterator[bytes]:
    """The blocks of an index, by number: ``1 << bits`` of them, each ordered by ``schema.ORDER``.

    Args:
        runs: each gives its postings part by part, ordered by hash, with the contents' final numbers.
        bits: how many upper bits of a hash name its block.
    """
    cursors = [_Cursor(run) for run in runs]
    first, step = 0, 1
    while first < 1 << bits:
        end = min(first + step, 1 << bits)
        parts = [part for cursor in cursors for part in cursor.below(end << (64 - bits))]
        postings = in_order(np.concatenate([np.empty(0, schema.POSTING), *parts]))
        numbers = schema.block_numbers(postings["hash"], bits)
        edges = np.searchsorted(numbers, np.arange(first, end + 1))
        for start, stop in pairwise(edges.tolist()):
            yield postings[start:stop].tobytes()
        # Minima of windows are small: the first blocks hold many times as much as the last.
        density = len(postings) // step + 1
        first, step = end, max(1, min(2 * step, RANGE_POSTINGS // density))


def renumbered(parts: Iterable[NDArray[np.void]], numbers: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """Postings with other numbers of contents; those of contents whose number is −1 are left out."""
    for part in parts:
        contents = numbers[part["content"]]
        kept = part[contents >= 0]
        kept["content"] = contents[contents >= 0]
        yield kept


def in_order(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Order by ``schema.ORDER``.

    Most hashes differ, and one column is ordered several times as fast as four: only ties are looked at again.
    """
    ordered = np.take(postings, np.argsort(postings["hash"]))
    same = np.zeros(len(ordered) + 1, np.bool_)
    np.equal(ordered["hash"][1:], ordered["hash"][:-1], out=same[1:-1])
    tied = np.flatnonzero(same[1:] | same[:-1])
    ties = ordered[tied]
    order = np.lexsort([_pairs(ties["content"], ties["position"]), _pairs(_ranks(ties), ties["check"])])
    ordered[tied] = np.take(ties, order)
    return ordered


def _ranks(ordered: NDArray[np.void]) -> NDArray[np.int64]:
    """Numbers from 0, rising with the hash."""
    return np.cumsum(np.diff(ordered["hash"], prepend=ordered["hash"][:1]) != 0)


def _pairs(upper: NDArray[Any], lower: NDArray[Any]) -> NDArray[np.uint64]:
    """Two numbers of 32 bits as one: there are half as many columns to order by."""
    pairs: NDArray[np.uint64] = upper.astype(np.uint64) << np.uint64(32) | lower
    return pairs


class _Cursor:
    """How far a run has been read."""

    def __init__(self, parts: Iterator[NDArray[np.void]]) -> None:
        self._parts = parts
        self._rest = np.empty(0, schema.POSTING)

    def below(self, bound: int) -> Iterator[NDArray[np.void]]:
        """The postings, from where it is, whose hash is less than a bound up to 2^64."""
        while True:
            last = bound - 1
            cut = int(np.searchsorted(self._rest["hash"], np.uint64(last), "right"))
            yield self._rest[:cut]
            self._rest = self._rest[cut:]
            if len(self._rest):
                return
            following = next(self._parts, None)
            if following is None:
                return
            self._rest = following
