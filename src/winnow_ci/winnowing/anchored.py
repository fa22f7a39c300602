"""Every w-th k-gram, counted from anchors that the text itself chooses.

A scan looks up every k-gram in such an index, so it need only hit each window, not depend on the window alone. Every
w-th k-gram hits each window of w with 1 / w of the k-grams, as few as possible, where winnowing needs 2 / (w + 1). But
one token more at the start of a document would then move every choice, and two versions of a file would share few
fingerprints. So counting begins anew at each *anchor*: the k-grams that robust winnowing selects with windows of
``ANCHORED`` k-grams. An edit moves the choices up to the next anchor only. Anchors add about 1 / (``ANCHORED`` + 1) to
the share that is kept: the k-grams between two of them are seldom a multiple of w.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing.selection import robust

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Windows in which anchors are chosen, in k-grams.
ANCHORED = 100


def anchored(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select every w-th k-gram from each anchor on, and before the first; 1 ≤ w ≤ len(hashes)."""
    anchors = robust(hashes, min(max(ANCHORED, w), len(hashes)))
    starts = np.concatenate([anchors[:1] % w, anchors])
    counts = -(-np.diff(starts, append=len(hashes)) // w)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    selected: NDArray[np.int64] = np.repeat(starts, counts) + w * (np.arange(len(before)) - before)
    return selected
