"""Is a structural match a copy with names changed, or does other code just have the same shape?

People who rename a copy rename consistently: one name of the change stands for one name of the source, wherever it
occurs (a parameterised match; Baker 1993). In code that is alike by chance, names recur in other patterns. So we count
how many recurrences of a name meet the same name on the other side as its other occurrences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.runs import row_starts

if TYPE_CHECKING:
    from numpy.typing import NDArray


def recurrences(
    owners: NDArray[np.int64], names: NDArray[np.uint64], there: NDArray[np.uint8], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count how consistently names on the one side correspond to names on the other, for several candidates.

    Args:
        owners: int64, shape (n,), rising; the number of the candidate that each matched identifier is of.
        names: uint64, shape (n,); the name of each of them in the change.
        there: uint8, shape (n,); the sketch of the identifier at the same place of the source.
        count: of candidates.

    Returns:
        Of each candidate, int64: the number of recurrences of names; the number of those that meet the sketch that
        their name meets most.
    """
    order = np.lexsort((there, names, owners))
    owners, names = owners[order], names[order]
    pairs = row_starts(owners, names, there[order])
    distinct = row_starts(owners[pairs], names[pairs])
    most = np.maximum.reduceat(np.diff(pairs, append=len(owners)), distinct) if len(pairs) else pairs
    ends = np.searchsorted(owners[pairs][distinct], np.arange(count + 1))
    of_names, meets = np.diff(ends), np.diff(np.append(0, np.cumsum(most))[ends])
    return np.bincount(owners, minlength=count) - of_names, meets - of_names
