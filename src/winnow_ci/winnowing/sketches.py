"""Sketches of a bounded size, and what two of them say about each other.

**Two sketches, neither document.** This is what Ganguly and Veda want a sketch for. Two documents X and Y share a
window of W items, at any places. They are *found* if their sketches have an item of the window in common, of whatever
kind its entries are. Let l be the higher one of their levels, r = 2^−l, and f the higher of their frequencies.

1. *Each item of level l or more in a document is in its sketch.* Each of its places is one of the sample, or all
   blocks of the place store the item, or it is globally frequent; in each case the item is in an entry.
2. *Each item that occurs f times in a block of 2W is in the sketch*, in an entry of that block, or as globally
   frequent.
3. A window lies in a block of X and in a block of Y. If an item occurs f times in the window, both sketches have it by
   (2). If not, the window has at least d = ⌈W / (f − 1)⌉ distinct items, and it is missed only if all of them have a
   lower level than l, by (1). Levels are independent, so *the chance of a miss is at most (1 − r)^d*.

That takes r as given. For a promise before the documents are read, take the size that ``size_for`` asks for e = 2δ/3.
Then f stays, the rate of a document falls below ln(2/e) / d with a chance of at most e^1.45 ≤ e/2 (``bounded``), in X
or in Y, and otherwise (1 − r)^d ≤ e/2: together at most 3e/2 = δ.

A common item need not come from a common window: an idiom of the language may be in both samples.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.winnowing.bounded import Bound, Sketch, levels_of, size_for, sketch

if TYPE_CHECKING:
    from numpy.typing import NDArray


class SketchSize(NamedTuple):
    """What a sketch is for.

    Attributes:
        window: W, the length of shared windows, in items; at least 1.
        size: how many entries a document may have; None for what the proof asks for.
        delta: δ, the chance to miss a shared window with that size; more than 0, at most 0.2.
    """

    window: int
    size: int | None = None
    delta: float = 0.01


def sketched(hashes: NDArray[np.uint64], wanted: SketchSize) -> Sketch:
    """Reduce a document to a sketch, to be compared with others of the same window.

    Args:
        hashes: uint64, shape (n,); the items, uniformly distributed.
        wanted: its size, and what it is for.
    """
    if wanted.size is not None:
        return sketch(hashes, Bound(wanted.window, wanted.size, wanted.delta))
    return sketch(hashes, size_for(max(1, len(hashes)), wanted.window, wanted.delta * 2 / 3))


def places_of(made: Sketch) -> NDArray[np.int64]:
    """One place of each entry: int64, rising, each once."""
    return np.unique(np.concatenate([made.everywhere, made.in_block, made.sampled]))


class Reduction(NamedTuple):
    """How far documents were reduced.

    Attributes:
        rate: the least of their rates.
        frequency: the highest of their frequencies.
    """

    rate: float = 1.0
    frequency: int = 2

    def and_that_of(self, made: Sketch) -> Reduction:
        """With one more document."""
        return Reduction(min(self.rate, made.rate), max(self.frequency, made.frequency))

    def sampled(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which items every sketch has of its document: bool, shape (n,)."""
        return 0.5 ** levels_of(hashes) <= self.rate

    def chance_of_miss(self, window: int) -> float:
        """The greatest chance that two of the sketches do not show a shared window, given their rates."""
        return float((1 - self.rate) ** ceil(window / (self.frequency - 1)))
