"""One sampled item in each window of W, in a size set beforehand: future work of Ganguly and Veda.

``bounded`` samples an item with all its places, so what repeats itself is expensive, and the frequent items have to be
kept apart from the sample. Here each window of W items keeps one of its sampled ones, that of the highest level; of
items of one level, that whose hash has the lower bits in its favour (bits read from the lowest one, as a number, it is
the least). That is robust winnowing by reversed hashes: a sampled item has a place in each window that it is chosen in
and no others. If the places that are chosen are more than the size, the lowest levels go, as from any sample.

*What is found*: a window with an item of level l or more, l being the lowest level that stays; and every window, if all
levels stay. So a window of d distinct items is missed with a chance of (1 − 2^−l)^d, however often these occur, and
both documents choose the same item in it. 2 n / (W + 1) entries are enough for random text of n items, instead of the
O(n / √W) of a sample with all places; less often they are not, and then the level is above 0.

*The size is never exceeded*, which winnowing does not promise: hashes that rise make winnowing keep all of them. They
are the reason for other entries here, but by the levels' order half of these go with each level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing.bounded import Sketch, sampled
from winnow_ci.winnowing.selection import robust

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
