"""Mod-minimizers: fewer fingerprints with the same guarantee (Groot Koerkamp and Pibiri 2024).

A window of w k-grams has w + k − 1 tokens. Winnowing orders the k-grams in it. Mod-sampling orders its t-grams, t < k;
if the smallest stands at x, it selects the k-gram at x mod w. As long as the window holds the same smallest t-gram,
the selected k-grams are a multiple of w apart, which is as few as possible; and since a window holds more t-grams than
k-grams, its smallest stays longer. With t ≡ k modulo w, a new smallest t-gram, which enters at the window's end,
selects the window's last k-gram, so choices never go back.

``gram_length`` is the least such t of at least 4: shorter ones are often equal in code. A window then has m·w t-grams,
and of distinct random ones a share of (m + 1) / (m·w + 1) is selected: 3/25 at k = 16, w = 12, where winnowing selects
2/13. If k < w + 4, then t = k and m = 1: the scheme is robust winnowing.

We had to add a rule for ties: the paper's t-grams are nearly all distinct, but those of code are not. Each window
takes the rightmost smallest; then the choice of the window before is kept while it is in the window and has the hash of
the window's own choice (``selection.thinned``). So the selected hash depends on the window alone, and equal runs select
equal hashes, as with robust winnowing. A constant stretch keeps one k-gram in w; one with a period p ≤ w, one in p ·
⌊w / p⌋.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing.kgrams import kgram_hashes
from winnow_ci.winnowing.selection import rightmost_minima, thinned

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORTEST_GRAM = 4


def mod_minimizer(hashes: NDArray[np.uint64], w: int, ids: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Select by the smallest t-gram of each window.

    Args:
        hashes: uint64, shape (n,), of the k-grams; n ≥ w.
        w: length of a window in k-grams, at least 1.
        ids: uint64, shape (n + k − 1,), of the tokens.

    Returns:
        int64, rising positions in ``hashes``.
    """
    k = len(ids) - len(hashes) + 1
    t = gram_length(k, w)
    smallest = rightmost_minima(kgram_hashes(ids, t), w + k - t)
    windows = np.arange(len(smallest))
    return thinned(windows + (smallest - windows) % w, hashes)


def gram_length(k: int, w: int) -> int:
    """The t of the t-grams: at least 4 (or k), at most k, and k modulo w."""
    shortest = min(SHORTEST_GRAM, k)
    return shortest + (k - shortest) % w
