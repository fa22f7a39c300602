"""Is a structural match a copy with names changed, or does other code just have the same shape?

Who renames a copy renames consistently: one name here stands for one name there, wherever it occurs (Baker 1993 calls
it a parameterised match). Code that is alike by chance has names that recur in other patterns. So of all recurrences of
a name we count those that meet the same name on the other side as the recurrences before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def consistency(keys: NDArray[np.uint64], values: NDArray[np.uint64]) -> float:
    """Measure how consistently names on the one side correspond to names on the other.

    Args:
        keys: uint64, shape (n,); the name of each matched identifier on the one side.
        values: uint64, shape (n,); the name, or a hash of it, of the identifier at the same place of the other side.

    Returns:
        The share of recurrences of a key that meet the value which this key meets most; 1.0 if no key recurs.
    """
    pairs, counts = np.unique(np.stack([keys, values]), axis=1, return_counts=True)
    names, first = np.unique(pairs[0], return_index=True)
    recurrences = len(keys) - len(names)
    if recurrences == 0:
        return 1.0
    agreeing = int(np.maximum.reduceat(counts, first).sum()) - len(names)
    return agreeing / recurrences
