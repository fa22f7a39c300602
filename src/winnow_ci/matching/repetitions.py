"""What a file has more than once, by runs of tokens.

Which tokens are the same is up to whoever asks: those of one structure, or of one text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Run(NamedTuple):
    """Matched tokens side by side, in the file."""

    start: int
    tokens: int


class Repetitions:
    """The runs that one file has more than once.

    Args:
        hashes: uint64, one for each run of ``length`` tokens.
        length: of a run, in tokens.
    """

    def __init__(self, hashes: NDArray[np.uint64], length: int) -> None:
        _, self._numbers, self._counts = np.unique(hashes, return_inverse=True, return_counts=True)
        self._length = length

    def share(self, stretches: Sequence[Run]) -> float:
        """The share of a match that is in runs that the file has outside of it, too."""
        first = max(0, min(part.start for part in stretches) - self._length + 1)
        inside = self._numbers[first : max(part.start + part.tokens for part in stretches)]
        if self._counts[inside].max(initial=1) == 1:
            return 0.0
        own, numbers, counts = np.unique(inside, return_inverse=True, return_counts=True)
        again = (self._counts[own] > counts)[numbers]
        covered = sum(self._covered(again[part.start - first :], part.tokens) for part in stretches)
        return covered / sum(part.tokens for part in stretches)

    def _covered(self, again: NDArray[np.bool_], tokens: int) -> int:
        """How many of the first tokens are in runs that are there again."""
        starts = np.flatnonzero(again[: max(0, tokens - self._length + 1)])
        edges = np.zeros(tokens + 1, np.int64)
        edges[starts] += 1
        edges[starts + self._length] -= 1
        return int((edges.cumsum() > 0).sum())
