"""Schemes of later work, to measure and not to use: what an index keeps is ``winnow_ci.winnowing``.

- *Open-closed mod-minimizer* (Groot Koerkamp, Liu and Pibiri 2025): mod-sampling, as ``winnowing.schemes`` does
  it, but its t-grams have another order: first those whose smallest s-gram is in their middle (open syncmers), then
  those whose smallest is at either end (closed syncmers), then the others; within each by hash. The two preferred kinds
  keep a distance from each other, so fewer windows change their choice.
- *Syncmers* (Edgar 2021) are chosen by the k-gram alone, whatever stands around it: *closed* if the smallest s-gram of
  the k-gram is its first or its last, *open* if it is at one fixed place, here the first. Of k − s consecutive k-grams
  one is closed; so with s = k − w closed syncmers have the guarantee of winnowing. Open ones have none.

Of equal s-grams the leftmost counts for syncmers. Of equal t-grams each window takes the rightmost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing import kgram_hashes
from winnow_ci.winnowing.schemes import gram_length, rightmost_minima

if TYPE_CHECKING:
    from numpy.typing import NDArray


def smallest_inside(ids: NDArray[np.uint64], k: int, s: int) -> NDArray[np.int64]:
    """Where in each k-gram its smallest s-gram begins, the leftmost of equal ones: int64, one a k-gram."""
    backwards = kgram_hashes(ids, s)[::-1]
    leftmost = (len(backwards) - 1 - rightmost_minima(backwards, k - s + 1))[::-1]
    inside: NDArray[np.int64] = leftmost - np.arange(len(leftmost))
    return inside


def closed_syncmers(ids: NDArray[np.uint64], k: int, s: int) -> NDArray[np.int64]:
    """The k-grams whose smallest s-gram is their first or last; rising positions."""
    inside = smallest_inside(ids, k, s)
    return np.flatnonzero((inside == 0) | (inside == k - s))


def open_syncmers(ids: NDArray[np.uint64], k: int, s: int) -> NDArray[np.int64]:
    """The k-grams whose smallest s-gram is their first; rising positions."""
    return np.flatnonzero(smallest_inside(ids, k, s) == 0)


def open_closed_mod_minimizer(ids: NDArray[np.uint64], k: int, w: int, s: int) -> NDArray[np.int64]:
    """Mod-sampling by the open-closed order of t-grams, 1 ≤ s ≤ t (``winnowing.schemes`` has the t).

    Returns:
        int64, rising positions; each window of w k-grams holds one.
    """
    t = gram_length(k, w)
    smallest = rightmost_minima(open_closed_order(ids, t, s), w + k - t)
    windows = np.arange(len(smallest))
    return np.unique(windows + (smallest - windows) % w)


def open_closed_order(ids: NDArray[np.uint64], t: int, s: int) -> NDArray[np.uint64]:
    """The rank of each t-gram: open syncmers below closed ones below the others, each by hash; uint64."""
    inside = smallest_inside(ids, t, s)
    kind = np.where(inside == (t - s) // 2, 0, np.where((inside == 0) | (inside == t - s), 1, 2)).astype(np.uint64)
    return kind << np.uint64(62) | kgram_hashes(ids, t) >> np.uint64(2)
