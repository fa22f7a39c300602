"""Winnowing: the minimal hash of each window becomes a fingerprint (Schleimer, Wilkerson and Aiken 2003, section 3).

A window is a run of w consecutive hashes. Both schemes select the minimal hash of every window, so every run of
t = w + k − 1 tokens holds a selected one, and equal runs select equal ones. They differ where a window holds its
minimum more than once:

- ``winnowing`` (definition 1) selects the rightmost minimum of each window. On a constant stretch that is every hash.
- ``robust`` (definition 3) keeps the choice of the previous window while it is still a minimum of this one, and only
  otherwise takes the rightmost. On a constant stretch that is one hash in w.

Robust selection is sequential, but only inside a run of windows that share the same minimal value. Such a run starts
with the rightmost minimum of its first window (the window before had another value, so there is no choice to keep). A
choice at p then serves the windows up to the one that starts at p, and the next choice is the rightmost minimum of the
window at p + 1. Most runs end after one choice; the others, few and short, are followed one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def winnowing(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select the rightmost minimum of each window (definition 1); 1 ≤ w ≤ len(hashes)."""
    minima = rightmost_minima(hashes, w)
    return minima[_starts(minima)]


def robust(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select as few minima as ties allow (definition 3); 1 ≤ w ≤ len(hashes)."""
    return thinned(rightmost_minima(hashes, w), hashes)


def thinned(choices: NDArray[np.int64], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Drop each choice of a window that still holds the choice before, if that has the same hash.

    Args:
        choices: int64, the position that each window would select; choices[i] ≥ i, never falling.
        hashes: uint64, by position.

    Returns:
        int64, rising positions; each window holds one with the hash of its own choice.
    """
    starts = np.flatnonzero(_starts(hashes[choices]))
    ends = np.append(starts[1:], len(choices))
    chosen = choices[starts]
    unserved = chosen + 1 < ends
    following = _following(choices, chosen[unserved].tolist(), ends[unserved].tolist())
    return np.sort(np.concatenate([chosen, np.array(following, np.int64)]))


def _following(choices: NDArray[np.int64], chosen: list[int], ends: list[int]) -> list[int]:
    """The choices after the first, in each run of windows that needs more than one."""
    following = []
    choice_of = choices.item
    for first, end in zip(chosen, ends, strict=True):
        choice = first
        while choice + 1 < end:
            choice = choice_of(choice + 1)
            following.append(choice)
    return following


def rightmost_minima(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Position of the rightmost minimum of each window; int64, shape (n − w + 1,).

    Two windows of s hashes, at most s apart, make one of s + step, so the span doubles until it is w.
    """
    minima, values, span = np.arange(len(hashes)), hashes, 1
    while span < w:
        step = min(span, w - span)
        minima = np.where(values[step:] <= values[:-step], minima[step:], minima[:-step])
        values = np.minimum(values[step:], values[:-step])
        span += step
    return minima


def _starts(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Where a run of equal values starts."""
    starts = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=starts[1:])
    return starts
