"""A given size that the sketch of ``bounded`` divides by itself, as well as it can: future work of Ganguly and Veda.

``bounded`` asks for f, how often an item is in a block to be frequent there, and half of the size is for what is
frequent. Here only W and the size S are given. A small f fills the size with frequent items and leaves little for the
sample; a large one leaves windows with few distinct items to the sample, d = W / (f − 1) at least, each sampled at the
rate r for which there is room then. So each power of two is tried for f, and that is taken with which the chance of a
miss, (1 − r)^d, is the least. The chance is told. It is that of the worst window of such a document: most have more
than d distinct items. And it takes r as given, though r is chosen by the same hashes; trials in
``experiments/planted.py`` hold it against what is missed.
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
    """A sketch, and the chance with which it misses a shared window at worst."""

    sketch: Sketch
    miss: float


def divided(hashes: NDArray[np.uint64], window: int, size: int, delta: float = DELTA) -> Divided:
    """Reduce a document to a sketch of a given size.

    Args:
        hashes: uint64, shape (n,); the items, uniformly distributed.
        window: W, in items, at least 1.
        size: how many entries it may have, at least 1.
        delta: as for ``bounded``; here only what is globally frequent depends on it.

    Returns:
        The sketch of least ``miss``, with at most ``size`` entries; with all items if they are not more.
    """
    if len(hashes) <= size:
        nothing = np.empty(0, np.int64)
        return Divided(Sketch(nothing, nothing, nothing, np.arange(len(hashes)), 1.0, 2), 0.0)
    return min(_divisions(hashes, window, size, delta), key=lambda each: each.miss)


def _divisions(hashes: NDArray[np.uint64], window: int, size: int, delta: float) -> Iterator[Divided]:
    """A sketch by each f that leaves room, up to that with which no item can be frequent in a block."""
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
