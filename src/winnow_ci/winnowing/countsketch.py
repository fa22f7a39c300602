"""CountSketch: estimate how often the items of a stream occur, in space that does not grow with it.

After Charikar, Chen and Farach-Colton (2002). Each row has counters; an item adds ±1 to one of them. Signs are 4-wise
independent (a random cubic modulo a prime), buckets pairwise independent (a random line). In one row, counter × sign
is the item's frequency plus what others add, which is 0 on average. Set aside the heavy items, at most width / 32 of
them: with these, an item shares its bucket in at most one row of 32, and what the rest add exceeds √(8 F₂ / width) in
at most one of eight (F₂: sum of the squared frequencies of the rest). So the median of r rows is farther off with a
chance of at most 0.73^r.

The prime is 2^31 − 1, so that all products fit into 64 bits. Two items of equal residue count as one.
"""

from __future__ import annotations

from math import ceil, log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRIME = np.uint64((1 << 31) - 1)


def rows_for(delta: float) -> int:
    """Return how many rows make the chance of a wrong median less than ``delta``: odd, O(log 1/δ)."""
    return 2 * ceil(2 * log(1 / delta)) + 1


class CountSketch:
    """``rows`` of ``width`` counters; the same seed gives the same hash functions."""

    def __init__(self, width: int, rows: int, seed: int) -> None:
        random = np.random.Generator(np.random.PCG64(seed))
        self._counters = np.zeros((rows, width), np.int64)
        self._signs = random.integers(0, int(PRIME), (rows, 4), np.uint64)
        self._buckets = random.integers(1, int(PRIME), (rows, 2), np.uint64)

    def add(self, items: NDArray[np.uint64]) -> None:
        """Count each occurrence of items: uint64, any shape."""
        distinct, counts = np.unique(items, return_counts=True)
        for row, bucket, sign in self._places(distinct):
            np.add.at(row, bucket, sign * counts)

    def estimates(self, items: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Estimate how often each item was added: float64, shape (n,)."""
        distinct, numbers = np.unique(items, return_inverse=True)
        rows = [row[bucket] * sign for row, bucket, sign in self._places(distinct)]
        return np.asarray(np.median(rows, axis=0)[numbers])

    def _places(
        self, items: NDArray[np.uint64]
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Return for each row its counters, and bucket and sign of each item."""
        keys, width = items % PRIME, np.uint64(self._counters.shape[1])
        return [
            (row, (_polynomial(line, keys) % width).astype(np.int64), _signs(_polynomial(cubic, keys)))
            for row, line, cubic in zip(self._counters, self._buckets, self._signs, strict=True)
        ]


def _signs(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    return 1 - 2 * (values & np.uint64(1)).astype(np.int64)


def _polynomial(coefficients: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return values of a line or a cubic modulo the prime, by Horner's rule.

    As 2^31 ≡ 1, folding the upper bits onto the lower ones keeps the residue. Up to three folds leave room for the next
    product; dividing each time would take twice as long.
    """
    values = np.full(len(keys), coefficients[0], np.uint64)
    for coefficient in coefficients[1:]:
        values = values * keys + coefficient
        values = (values & PRIME) + (values >> np.uint64(31))
    return values % PRIME
