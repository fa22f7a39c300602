"""Is a structural match a copy with names changed, or does other code just have the same shape?

People who rename a copy rename consistently: one name of the change stands for one name of the source, wherever it
occurs (a parameterised match; Baker 1993). In code that is alike by chance, names recur in other patterns. So we count
how many recurrences of a name meet the same name on the other side as its other occurrences.
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
        The number of recurrences of names; the number of those that meet the sketch that their name meets most.
    """
    most: dict[int, int] = {}
    for (name, _), count in Counter(zip(names.tolist(), there.tolist(), strict=True)).items():
        most[name] = max(most.get(name, 0), count)
    return len(names) - len(most), sum(most.values()) - len(most)
