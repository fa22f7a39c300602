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


def recurrences(names: NDArray[np.uint64], there: NDArray[np.uint8]) -> tuple[int, int]:
    """Count how consistently names on the one side correspond to names on the other.

    Args:
        names: uint64, shape (n,); the name of each matched identifier in the change.
        there: uint8, shape (n,); the sketch of the identifier at the same place of the source.

    Returns:
        How often a name of the change recurs; how often it then meets the sketch which it meets most.
    """
    most: dict[int, int] = {}
    for (name, _), count in Counter(zip(names.tolist(), there.tolist(), strict=True)).items():
        most[name] = max(most.get(name, 0), count)
    return len(names) - len(most), sum(most.values()) - len(most)
