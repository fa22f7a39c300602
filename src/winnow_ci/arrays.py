"""What NumPy lacks, or does slower: looking values up in sorted ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def among(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which values are among the sorted values ``known``.

    ``np.isin`` would sort them again, and imports ``numpy.ma``.

    Returns:
        bool, one for each of ``values``.
    """
    if not len(known):
        return np.zeros(len(values), np.bool_)
    return np.asarray(known[nearest(values, known)] == values, np.bool_)


def nearest(values: NDArray[Any], known: NDArray[Any]) -> NDArray[np.int64]:
    """Where each value stands among the sorted values ``known``, if it is there: int64, one for each of ``values``.

    Searching in sorted order takes a third of the time, as each search uses what the one before has brought into the
    processor's cache.
    """
    order = np.argsort(values)
    places = np.empty(len(values), np.int64)
    places[order] = np.searchsorted(known, values[order])
    return np.minimum(places, len(known) - 1)
