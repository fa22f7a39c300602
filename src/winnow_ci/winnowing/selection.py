"""Which k-gram hashes of a document become its fingerprints (Schleimer, Wilkerson and Aiken 2003, section 3).

A window is a run of w consecutive hashes. Both schemes select the minimal hash of every window, so every run of
t = w + k − 1 tokens holds a selected one, and equal runs select equal ones. They differ where a window holds its
minimum more than once:

- ``winnowing`` (definition 1) selects the rightmost minimum of each window. On a constant stretch that is every hash.
- ``robust`` (definition 3) keeps the choice of the previous window while it is still a minimum of this one, and only
  otherwise takes the rightmost. On a constant stretch that is one hash in w.

A document with fewer than w hashes is taken as one window: it has less than t tokens and the guarantee asks for
nothing, but a short file should not be invisible.

Robust selection looks sequential, but only inside a run of windows that share the same minimal value. Such a run
starts with the rightmost minimum of its first window (the window before it had another value, so there is nothing to
keep); a choice at p then serves the windows up to the one that starts at p, and the next choice is the rightmost
minimum of the window at p + 1. Most runs end after one choice; only the others, few and short, are followed one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Scheme = Literal["winnowing", "robust"]


def select(hashes: NDArray[np.uint64], w: int, scheme: Scheme) -> NDArray[np.int64]:
    """Select fingerprints.

    Args:
        hashes: uint64, shape (n,); one a k-gram.
        w: length of a window, at least 1.
        scheme: ``winnowing`` or ``robust``.

    Returns:
        int64, rising positions in ``hashes``; empty only if ``hashes`` is.
    """
    if len(hashes) == 0:
        return np.empty(0, np.int64)
    return SCHEMES[scheme](hashes, min(w, len(hashes)))


def winnowing(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select the rightmost minimum of each window (definition 1); 1 ≤ w ≤ len(hashes)."""
    minima = _rightmost_minima(hashes, w)
    return minima[_starts(minima)]


def robust(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select as few minima as ties allow (definition 3); 1 ≤ w ≤ len(hashes)."""
    minima = _rightmost_minima(hashes, w)
    starts = np.flatnonzero(_starts(hashes[minima]))
    ends = np.append(starts[1:], len(minima))
    chosen = minima[starts]
    unserved = chosen + 1 < ends
    following = _following(minima, chosen[unserved].tolist(), ends[unserved].tolist())
    return np.sort(np.concatenate([chosen, np.array(following, np.int64)]))


def _following(minima: NDArray[np.int64], chosen: list[int], ends: list[int]) -> list[int]:
    """The choices after the first one, in each run of windows that needs more, up to where it ends."""
    following = []
    minimum_of = minima.item
    for first, end in zip(chosen, ends, strict=True):
        choice = first
        while choice + 1 < end:
            choice = minimum_of(choice + 1)
            following.append(choice)
    return following


def _rightmost_minima(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Position of the rightmost minimum of each window; int64, shape (n − w + 1,).

    Two windows of s hashes, a step ≤ s apart, cover one of s + step: the span doubles until it is w.
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


SCHEMES: dict[Scheme, Callable[[NDArray[np.uint64], int], NDArray[np.int64]]] = {
    "winnowing": winnowing,
    "robust": robust,
}
