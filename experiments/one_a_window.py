"""One sampled item in each window of W, in a bounded size: future work of Ganguly and Veda.

``bounded`` samples an item with all its places, so repetition is expensive, and frequent items have to be kept apart
from the sample. Here each window of W items keeps one item of the highest level; of several, the one whose bits, read
from the lowest on, are the least number. That is robust winnowing by reversed hashes. If more places are chosen than
fit, those of the lowest levels are dropped, as from any sample.

*What is found*: every window, if no level is dropped; else each window with an item of level l or more, where l is the
lowest level kept. Two documents with the same window choose the same item in it.

*How many places are chosen*, n ≥ W, whatever the document is, if its hashes are drawn afterwards: on average at most
(2 ln W + 3) for each W windows that follow each other. Say that these begin in A, and that B is the W items after A.
What is chosen in A are least items of ends of A. Of its distinct items, at most W, by their last places, those that are
less than all after them are 1 + 1/2 + … + 1/W ≤ 1 + ln W on average, and each is chosen once: the last of its
places in A, or before that the one kept from a window before A. What is chosen in B are least items of beginnings of B,
as many on average, each chosen once, since it stays in the window. So with n / W · (2 ln W + 3) / δ entries a
level is dropped with a chance of at most δ (Markov), and every window is found if not. Of random text 2 n / (W + 1) are
chosen. A sample with all places has to have O(n / √W) for its worst case.

*The size is never exceeded*, which winnowing does not promise: if somebody who knows the hashes makes each window
choose another item, winnowing keeps all of them, while this sketch drops levels.
"""

from __future__ import annotations

from math import ceil, log
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing.bounded import Sketch, sampled
from winnow_ci.winnowing.schemes import robust

if TYPE_CHECKING:
    from numpy.typing import NDArray


def enough(count: int, window: int, delta: float) -> int:
    """The size at which all windows of a document of ``count`` items are found with a chance of at least 1 − δ."""
    return ceil(ceil(count / window) * (2 * log(window) + 3) / delta)


def one_a_window(hashes: NDArray[np.uint64], window: int, size: int) -> Sketch:
    """Reduce a document to a sketch with one place in each window.

    Args:
        hashes: uint64, shape (n,); the items, uniformly distributed.
        window: W, in items, at least 1.
        size: how many entries it may have, at least 1.

    Returns:
        A sketch with at most ``size`` entries, all of them places.
    """
    nothing = np.empty(0, np.int64)
    chosen = robust(reversed_bits(hashes), min(window, len(hashes))) if len(hashes) else nothing
    places, rate = sampled(hashes, chosen, size)
    return Sketch(nothing, nothing, nothing, places, rate, 2)


def reversed_bits(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The same bits, the lowest one first: uint64, shape (n,)."""
    reversed_bytes = _REVERSED[np.ascontiguousarray(hashes).view(np.uint8)]
    return reversed_bytes.view(np.uint64).byteswap()


_REVERSED = np.packbits(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)[:, ::-1], axis=1).ravel()
