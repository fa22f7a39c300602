"""The table of known texts as its file has it: distances of rising hashes, in 16 bits; a longer one is split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONGEST_DISTANCE = 2**16 - 1


def packed_hashes(hashes: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """Return the table of these hashes: uint16, one for each distance, and for each split of a longer one."""
    distances = np.diff(np.unique(hashes).astype(np.int64), prepend=0)
    splits = distances // _LONGEST_DISTANCE
    found = np.full(len(distances) + int(splits.sum()), _LONGEST_DISTANCE, np.uint16)
    found[np.arange(len(distances)) + splits.cumsum()] = distances - _LONGEST_DISTANCE * splits
    return found
