"""One sampled item after the other, about W apart: future work of Ganguly and Veda, to the letter.

Their section V: a first pass estimates the rate p = 2^−l of a sample of size s. A second pass stores the first item of
level l or more, and of the next W items only one, the rightmost of level l or more; from there it goes on. If the next
W items have none, the next one that comes is stored.

*Size.* Two entries after an entry lie more than W behind it, so there are at most 2 ⌈n / W⌉ + 1 of them, and at most
s.

*What is found* of a document that is asked for every item of a window: each window with an item of level l or more
holds an entry. Say that the window lies between an entry p and the next one q, and holds an item x of that level. If q
≤ p + W, there is no room for W items between them. Otherwise none of the W items after p has the level, and q is the
first one behind these: there is no x. Before the first entry there is none of that level, nor behind the last one.

*Two sketches* promise nothing. What is stored depends on what was stored before, back to the beginning of the
document, so two documents may store different items of the window that they share. ``one_a_window`` decides by the
window alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing.bounded import Sketch, sampled

if TYPE_CHECKING:
    from numpy.typing import NDArray


def next_of_level(hashes: NDArray[np.uint64], window: int, size: int) -> Sketch:
    """Reduce a document to a sketch.

    Args:
        hashes: uint64, shape (n,); the items, uniformly distributed.
        window: W, in items, at least 1.
        size: s, how many places the sample of the first pass may have, at least 1.

    Returns:
        A sketch with at most ``size`` entries, all of them places.
    """
    places, rate = sampled(hashes, np.arange(len(hashes)), size)
    kept, number = [], 0
    while number < len(places):
        kept.append(int(places[number]))
        last_within = int(np.searchsorted(places, kept[-1] + window, "right")) - 1
        number = max(last_within, number + 1)
    nothing = np.empty(0, np.int64)
    return Sketch(nothing, nothing, nothing, np.array(kept, np.int64), rate, 2)
