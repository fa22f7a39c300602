"""Seeds: the k-grams of a change that one content has, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.segments import Segment


class Seeds(NamedTuple):
    """K-grams of the change with an equal one in one content; arrays with one element a seed."""

    positions: NDArray[np.int64]
    diagonals: NDArray[np.int64]
    informative: NDArray[np.bool_]
    telling: NDArray[np.bool_]
    verbatim: NDArray[np.bool_]

    @property
    def structural(self) -> NDArray[np.bool_]:
        """Seeds that may lead to a changed copy: bool, one a seed; informative, or with equal text."""
        return self.informative | self.verbatim

    def part(self, which: NDArray[np.int64] | slice) -> Seeds:
        """Some of the seeds."""
        positions, diagonals, informative, telling, verbatim = self
        return Seeds(positions[which], diagonals[which], informative[which], telling[which], verbatim[which])

    def by_diagonal(self) -> Seeds:
        """The seeds, ordered by diagonal, then by position."""
        return self.part(np.lexsort((self.positions, self.diagonals)))

    def inside(self, segment: Segment, k: int) -> int:
        """Number of seeds in a segment, if they are ordered by diagonal."""
        low, high = np.searchsorted(self.diagonals, (segment.diagonal, segment.diagonal + 1))
        first, after = np.searchsorted(self.positions[low:high], (segment.start, segment.end - k + 1))
        return max(0, int(after - first))
