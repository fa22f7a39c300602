"""Seeds → segments: stretches of the change that stand, token for token, in a known content.

A seed is a k-gram of the change with an equal one in the content. All seeds of one copied stretch lie on one diagonal
(position there − position here), and the sketches of both sides tell exactly where the stretch starts and ends, also
where no fingerprint was selected. So a segment is the longest run around a seed, along its diagonal, where both sides
agree: in the class of each token for a structural segment, in its whole sketch for a verbatim one.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.runs import runs
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

# A run that continues this long without a seed is cut: in ordinary code, seeds are at most a window apart.
REACH = 2048
# Periodic code matches along very many diagonals; only the strongest can be a copy.
MOST_DIAGONALS = 128
# The first tokens of a segment are worth nothing: the bits of a token are what it says after so many before it.
CONTEXT = 3


class Segment(NamedTuple):
    """Tokens ``[start, end)`` of the change stand at ``[start + diagonal, end + diagonal)`` of the content."""

    start: int
    end: int
    diagonal: int
    seeds: int

    @property
    def span_there(self) -> tuple[int, int]:
        """The tokens of the content."""
        return self.start + self.diagonal, self.end + self.diagonal


def columns(parts: Iterable[Segment]) -> NDArray[np.int64]:
    """Starts, ends, diagonals and numbers of seeds of segments: int64, shape (4, n).

    For some dozens of tuples, ``np.array`` takes three times as long.
    """
    return np.fromiter(chain.from_iterable(parts), np.int64).reshape(-1, 4).T


def segments(
    here: NDArray[np.uint8], there: NDArray[np.uint8], seeds: NDArray[np.int64], diagonals: NDArray[np.int64], k: int
) -> list[Segment]:
    """Extend seeds along their diagonals.

    Args:
        here: uint8; what is compared of each token of the change.
        there: uint8; the same of the content.
        seeds: int64; positions of k-grams of the change, ordered by diagonal, then by position.
        diagonals: int64; position there − position here of each seed.
        k: length of a k-gram.

    Returns:
        Segments of at least k tokens, ordered by start.
    """
    found: list[Segment] = []
    for diagonal, positions in _by_diagonal(seeds, diagonals):
        found.extend(_along(here, there, positions, diagonal, k))
    return sorted(found)


def _by_diagonal(seeds: NDArray[np.int64], diagonals: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    strongest = sorted(runs(diagonals), key=lambda run: run[1] - run[2])[:MOST_DIAGONALS]
    yield from ((diagonal, seeds[start:end]) for diagonal, start, end in strongest)


def _along(
    here: NDArray[np.uint8], there: NDArray[np.uint8], positions: NDArray[np.int64], diagonal: int, k: int
) -> Iterator[Segment]:
    low = max(0, -diagonal, int(positions[0]) - REACH)
    high = max(low, min(len(here), len(there) - diagonal, int(positions[-1]) + k + REACH))
    # One byte a token, 1 where the two sides differ: short stretches are searched faster as bytes than as an array.
    differ = np.not_equal(here[low:high], there[low + diagonal : high + diagonal]).tobytes() + b"\1"
    seeds, n = (positions - low).tolist(), 0
    while n < len(seeds) and seeds[n] < len(differ):
        end = differ.index(1, seeds[n])
        # A seed without k equal tokens is a chance collision of hashes, or reaches past a damaged map.
        if sound := bisect_right(seeds, end - k, n) - n:
            yield Segment(differ.rfind(1, 0, seeds[n]) + 1 + low, end + low, diagonal, sound)
        n = bisect_right(seeds, end, n)
