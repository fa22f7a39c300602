"""The sketches of a bounded size behind one name, and what two of them say about each other.

**Two sketches, neither document.** This is what Ganguly and Veda want a sketch for. Two documents X and Y share a
window of W items, at any places. They are *found* if their sketches have an item of the window in common, of whatever
kind its entries are. Let l be the higher one of their levels, r = 2^−l, and f the higher of their frequencies. For
``bounded``, ``one-pass`` and ``divided``:

1. *Each item of level l or more in a document is in its sketch.* Each of its places is one of the sample, or all
   blocks of the place store the item, or it is globally frequent; in each case the item is in an entry.
2. *Each item that occurs f times in a block of 2W is in the sketch*, in an entry of that block, or as globally
   frequent.
3. A window lies in a block of X and in a block of Y. If an item occurs f times in the window, both sketches have it by
   (2). If not, the window has at least d = ⌈W / (f − 1)⌉ distinct items, and it is missed only if all of them have a
   lower level than l, by (1). Levels are independent, so *the chance of a miss is at most (1 − r)^d*.

That takes r as given, as ``divided`` does. For a promise before the documents are read, take the size that
``size_for`` asks for e = 2δ/3. Then f stays, the rate of a document falls below ln(2/e) / d with a chance of at most
e^1.45 ≤ e/2 (``bounded``), in X or in Y, and otherwise (1 − r)^d ≤ e/2: together at most 3e/2 = δ.

For ``one-a-window``: both documents choose the least item of the window by reversed bits, which has the highest level
of the window. It is in both sketches unless its level is below l. So a window with d distinct items is missed with a
chance of at most (1 − r)^d, and none is missed if no level was dropped (r = 1), which ``enough`` for δ/2 promises of
both documents with a chance of 1 − δ.

``next-of-level`` promises nothing for two sketches (its module says why).

A common item need not come from a common window: an idiom of the language may be in both samples.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from winnow_ci.winnowing.bounded import Bound, Sketch, levels_of, size_for, sketch
from winnow_ci.winnowing.divided import divided
from winnow_ci.winnowing.next_of_level import next_of_level
from winnow_ci.winnowing.one_a_window import enough, one_a_window
from winnow_ci.winnowing.one_pass import one_pass

if TYPE_CHECKING:
    from numpy.typing import NDArray

SketchScheme = Literal["bounded", "one-pass", "divided", "one-a-window", "next-of-level"]
SCHEMES: tuple[SketchScheme, ...] = get_args(SketchScheme)
# Their sketches have all items of their level, so those of the higher level are samples of both documents.
SAMPLING: frozenset[SketchScheme] = frozenset({"bounded", "one-pass", "divided"})


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


def sketched(hashes: NDArray[np.uint64], scheme: SketchScheme, wanted: SketchSize) -> Sketch:
    """Reduce a document to a sketch, to be compared with others of the same scheme and window.

    Args:
        hashes: uint64, shape (n,); the items, uniformly distributed.
        scheme: which sketch.
        wanted: its size, and what it is for.
    """
    bound = _bound(len(hashes), scheme, wanted)
    if scheme == "bounded":
        return sketch(hashes, bound)
    if scheme == "one-pass":
        return one_pass([hashes], bound)
    if scheme == "divided":
        return divided(hashes, bound.window, bound.size, bound.delta).sketch
    make = one_a_window if scheme == "one-a-window" else next_of_level
    return make(hashes, bound.window, bound.size)


def _bound(count: int, scheme: SketchScheme, wanted: SketchSize) -> Bound:
    if wanted.size is not None:
        return Bound(wanted.window, wanted.size, wanted.delta)
    if scheme == "one-a-window":
        return Bound(wanted.window, max(1, enough(count, wanted.window, wanted.delta / 2)), wanted.delta)
    return size_for(max(1, count), wanted.window, wanted.delta * 2 / 3)


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
        """Which items every sketch of ``SAMPLING`` has of its document: bool, shape (n,)."""
        return 0.5 ** levels_of(hashes) <= self.rate

    def chance_of_miss(self, scheme: SketchScheme, window: int) -> float:
        """The greatest chance that two of the sketches do not show a shared window, given their rates.

        For ``one-a-window`` it is that of windows of distinct items, and for ``next-of-level`` 1.
        """
        if scheme == "next-of-level":
            return 1.0
        return float((1 - self.rate) ** ceil(window / (self.frequency - 1)))
