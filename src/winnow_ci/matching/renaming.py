"""Is a structural match a copy with names changed, or does other code just have the same shape?

Who renames a copy renames consistently: one name here stands for one name there, wherever it occurs (Baker 1993 calls
it a parameterised match). Code that is alike by chance has names that recur in other patterns. So of all recurrences of
a name we count those that meet the same name on the other side as the recurrences before.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def recurrences(keys: NDArray[np.uint64], values: NDArray[np.uint64]) -> tuple[int, int]:
    """Count how consistently names on the one side correspond to names on the other.

    Args:
        keys: uint64, shape (n,); the name of each matched identifier on the one side.
        values: uint64, shape (n,); the name, or a hash of it, of the identifier at the same place of the other side.

    Returns:
        How often a key recurs, and how often it then meets the value which it meets most.
    """
    most: dict[int, int] = {}
    for (key, _), count in Counter(zip(keys.tolist(), values.tolist(), strict=True)).items():
        most[key] = max(most.get(key, 0), count)
    return len(keys) - len(most), sum(most.values()) - len(most)
