"""Five sketches of a bounded size behind one name: that of the program, and its authors' future work.

``one-pass`` and ``divided`` promise what ``bounded`` does (docs/papers.md has the proof).

For ``one-a-window``, both documents choose the least item of the window by reversed bits, which has the highest level
of the window. It is in both sketches unless its level is below l. So a window with d distinct items is missed with a
chance of at most (1 − r)^d, and none is missed if no level was dropped (r = 1), which ``enough`` for δ/2 promises of
both documents with a chance of 1 − δ.

``next-of-level`` promises nothing for two sketches (its module says why).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from divided import divided
from next_of_level import next_of_level
from one_a_window import enough, one_a_window
from one_pass import one_pass

from winnow_ci.winnowing.bounded import Bound, Reduction, Sketch, size_for, sketched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from winnow_ci.model.comparison import DocumentSketch

Variant = Literal["bounded", "one-pass", "divided", "one-a-window", "next-of-level"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
# Their sketches have all items of their level, so those of the higher level are samples of both documents.
SAMPLING: frozenset[Variant] = frozenset({"bounded", "one-pass", "divided"})


def varied(hashes: NDArray[np.uint64], variant: Variant, wanted: DocumentSketch) -> Sketch:
    """Reduce a document to a sketch; arguments as for ``winnow_ci.winnowing.bounded.sketched``."""
    if variant == "bounded":
        return sketched(hashes, *wanted)
    bound = _bound(len(hashes), variant, wanted)
    if variant == "one-pass":
        return one_pass([hashes], bound)
    if variant == "divided":
        return divided(hashes, bound.window, bound.size, bound.delta).sketch
    make = one_a_window if variant == "one-a-window" else next_of_level
    return make(hashes, bound.window, bound.size)


def _bound(count: int, variant: Variant, wanted: DocumentSketch) -> Bound:
    if wanted.size is not None:
        return Bound(wanted.window, wanted.size, wanted.delta)
    if variant == "one-a-window":
        return Bound(wanted.window, max(1, enough(count, wanted.window, wanted.delta / 2)), wanted.delta)
    return size_for(max(1, count), wanted.window, wanted.delta * 2 / 3)


def chance_of_miss(reduction: Reduction, variant: Variant, window: int) -> float:
    """The greatest chance that two sketches do not show a shared window; of distinct items, for ``one-a-window``."""
    return 1.0 if variant == "next-of-level" else reduction.chance_of_miss(window)
