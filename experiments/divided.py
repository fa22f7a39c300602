"""The sketch of ``bounded``, which here divides a given size by itself: future work of Ganguly and Veda.

``bounded`` asks for f, how often an item is in a block to be frequent there, and half of the size is for what is
frequent. Here only W and the size S are given. A small f fills the size with frequent items and leaves little for the
sample; a large f leaves windows with few distinct items to the sample, d = W / (f − 1) at least, each sampled at the
rate r for which there is room then. So each power of two is tried for f, and the one with the least chance of a miss,
(1 − r)^d, is taken and returned with that chance. It is the chance for the worst window of such a document: most have
more than d distinct items. It also takes r as given, though the same hashes choose r; trials in
``experiments/planted.py`` compare it with what is missed.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.winnowing.bounded import DELTA, Bound, Occurrences, Sketch, globally_frequent, sampled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Divided(NamedTuple):
    """A sketch, and the greatest chance that it misses a shared window."""

    sketch: Sketch
    miss: float


def divided(hashes: NDArray[np.uint64], window: int, size: int, delta: float = DELTA) -> Divided:
    """Reduce a document to a sketch of a given size.

    Args:
        hashes: uint64, shape (n,); the items, uniformly distributed.
        window: W, in items, at least 1.
        size: how many entries it may have, at least 1.
        delta: as for ``bounded``; here only the globally frequent items depend on it.

    Returns:
        The sketch of least ``miss``, with at most ``size`` entries; with all items if there are no more.
    """
    if len(hashes) <= size:
        nothing = np.empty(0, np.int64)
        return Divided(Sketch(nothing, nothing, nothing, np.arange(len(hashes)), 1.0, 2), 0.0)
    return min(_divisions(hashes, window, size, delta), key=lambda each: each.miss)


def _divisions(hashes: NDArray[np.uint64], window: int, size: int, delta: float) -> Iterator[Divided]:
    """A sketch for each f that leaves room, up to the f at which no item is frequent in a block."""
    everywhere, is_left = globally_frequent(hashes, Bound(window, size, delta))
    occurrences = Occurrences.of(hashes, is_left, window)
    frequency, taken = 1, size + 1
    while taken > len(everywhere):
        frequency *= 2
        blocks, in_block = occurrences.frequent(frequency)
        taken = len(everywhere) + len(blocks)
        if taken <= size:
            rest = np.flatnonzero(is_left & ~occurrences.covered(frequency, len(hashes)))
            places, rate = sampled(hashes, rest, size - taken)
            miss = (1 - rate) ** ceil(window / (frequency - 1))
            yield Divided(Sketch(everywhere, in_block, blocks, places, rate, frequency), miss)
