"""Seeds → segments: stretches of the change that stand, token for token, in a known content.

A seed is a k-gram of the change with an equal one in the content. All seeds of one copied stretch lie on one diagonal
(position there − position here), and the sketches of both sides tell exactly where the stretch starts and ends, also
where no fingerprint was selected. So a segment is the longest run around a seed, along its diagonal, on which both
sides agree: in class for a structural segment, in the whole sketch for a verbatim one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# A run that goes on without any seed for this long is cut: seeds stand at most a window apart in ordinary code.
REACH = 2048
# Periodic code matches along very many diagonals, of which only the strongest can be a copy.
MOST_DIAGONALS = 128


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


def segments(
    here: NDArray[np.uint8], there: NDArray[np.uint8], seeds: NDArray[np.int64], diagonals: NDArray[np.int64], k: int
) -> list[Segment]:
    """Extend seeds along their diagonals.

    Args:
        here: uint8; what is compared of each token of the change.
        there: uint8; the same of the content.
        seeds: int64; positions of k-grams of the change.
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
    order = np.lexsort((seeds, diagonals))
    distinct, starts, counts = np.unique(diagonals[order], return_index=True, return_counts=True)
    strongest = np.argsort(-counts, kind="stable")[:MOST_DIAGONALS]
    for n in strongest.tolist():
        yield int(distinct[n]), seeds[order[starts[n] : starts[n] + counts[n]]]


def _along(
    here: NDArray[np.uint8], there: NDArray[np.uint8], positions: NDArray[np.int64], diagonal: int, k: int
) -> Iterator[Segment]:
    low = max(0, -diagonal, int(positions[0]) - REACH)
    high = min(len(here), len(there) - diagonal, int(positions[-1]) + k + REACH)
    differ = np.flatnonzero(here[low:high] != there[low + diagonal : high + diagonal]) + low
    limits = np.concatenate(([low - 1], differ, [high]))
    after = np.searchsorted(limits, positions, "left")
    ends = limits[np.minimum(after, len(limits) - 1)]
    # A seed without k equal tokens is a chance collision of hashes, or reaches past a damaged map.
    sound = ends - positions >= k
    runs, counts = np.unique(after[sound], return_counts=True)
    for run, count in zip(runs.tolist(), counts.tolist(), strict=True):
        yield Segment(int(limits[run - 1]) + 1, int(limits[run]), diagonal, count)
