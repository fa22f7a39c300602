"""Hash all k-grams of a token stream, and select which of them become the fingerprints of a document.

The hash of the k-gram at i is a polynomial over its token ids, h(i) = Σ_{0≤j<k} c(i+j)·b^j modulo 2^64, after Karp and
Rabin (1987). Schleimer, Wilkerson and Aiken (2003, section 5.1) roll it from one k-gram to the next; such a loop does
not vectorise, so we use prefix sums. With P(i) = Σ_{j<i} c(j)·b^j, the sum over one k-gram is P(i+k) − P(i), which has
a surplus factor b^i; multiplying with b^(−i) removes it, as b is odd. Bit n of such a hash depends only on the bits up
to n of the ids, so a finaliser (Stafford's variant 13 of MurmurHash3's, as in SplitMix64) spreads every bit.

A run of t = w + k − 1 tokens holds w k-grams, a *window*; a document with fewer k-grams is one window, so that a short
file is not invisible. docs/matching.md says what each scheme selects and promises. ``winnowing`` and ``robust`` are
definitions 1 and 3 of Schleimer, Wilkerson and Aiken (2003); ``mod-minimizer`` is of Groot Koerkamp and Pibiri (2024),
``mod-p`` of Manber (1994), ``bottom-s`` of Heintze (1996) and Broder (1997), and ``anchored`` is ours.

``mod-minimizer``: with t ≡ k modulo w, a new smallest t-gram enters at the window's end and selects its last k-gram, so
choices never go back. We take the least such t of at least 4, since shorter t-grams are often equal in code. For ties
we have the rule of ``robust``: so the selected hash depends on the window alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

# Windows in which anchors are chosen, in k-grams.
ANCHORED = 100
SHORTEST_GRAM = 4
# The standard error of a resemblance of one half is then 3%.
BOTTOM = 256
# The multiplier of PCG and of Knuth's MMIX.
BASE = 6364136223846793005
INVERSE = pow(BASE, -1, 1 << 64)


def kgram_hashes(ids: NDArray[np.uint64], k: int, at: NDArray[np.int64] | None = None) -> NDArray[np.uint64]:
    """Hash every run of k consecutive ids (uint64, shape (n,)), or those that start ``at`` some places; k ≥ 1.

    Element i, of max(0, n − k + 1), is the hash of ids[i : i + k]; with ``at`` there is one for each start.
    """
    count = len(ids) - k + 1
    if count <= 0:
        return np.empty(0, np.uint64)
    sums = np.zeros(len(ids) + 1, np.uint64)
    np.cumsum(ids * powers(BASE, len(ids)), out=sums[1:])
    if at is not None:
        return _finalised((sums[at + k] - sums[at]) * powers(INVERSE, count)[at])
    return _finalised((sums[k:] - sums[:-k]) * powers(INVERSE, count))


def run_hashes(ids: NDArray[np.uint64], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash consecutive runs of ids, of any lengths, without the finaliser: uint64, one for each start.

    Starts rise, the first of them is 0, and each run ends where the next one starts.
    """
    if not len(ids):
        return np.empty(0, np.uint64)
    lengths = np.diff(starts, append=len(ids))
    places = np.arange(len(ids)) - np.repeat(starts, lengths)
    hashes: NDArray[np.uint64] = np.add.reduceat(ids * powers(BASE, int(lengths.max()))[places], starts)
    return hashes


def powers(base: int, count: int) -> NDArray[np.uint64]:
    """Return the first powers of an odd number modulo 2^64, from 1 on."""
    return _power_table(base, count.bit_length())[:count]


# Tables of 2^n elements serve documents of all lengths.
@lru_cache(maxsize=8)
def _power_table(base: int, bits: int) -> NDArray[np.uint64]:
    table = np.full(1 << bits, base, np.uint64)
    table[0] = 1
    return np.cumprod(table, out=table)


def _finalised(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    hashes ^= hashes >> np.uint64(30)
    hashes *= np.uint64(0xBF58476D1CE4E5B9)
    hashes ^= hashes >> np.uint64(27)
    hashes *= np.uint64(0x94D049BB133111EB)
    hashes ^= hashes >> np.uint64(31)
    return hashes


def select(hashes: NDArray[np.uint64], w: int, scheme: str, ids: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
    """Select fingerprints from the hashes of k-grams, with windows of w ≥ 1 of them; rising positions.

    Raises:
        ValueError: ``mod-minimizer`` needs the ids of the tokens, n + k − 1 of them, and they are not given.
    """
    if len(hashes) == 0:
        return np.empty(0, np.int64)
    w = min(w, len(hashes))
    if scheme != "mod-minimizer":
        return _SCHEMES[scheme](hashes, w)
    if ids is None:
        raise ValueError("mod-minimizer selects by the ids of the tokens")
    return _mod_minimizer(hashes, w, ids)


def _anchored(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select every w-th k-gram from each anchor on, and before the first one."""
    anchors = robust(hashes, min(max(ANCHORED, w), len(hashes)))
    starts = np.concatenate([anchors[:1] % w, anchors])
    counts = -(-np.diff(starts, append=len(hashes)) // w)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    selected: NDArray[np.int64] = np.repeat(starts, counts) + w * (np.arange(len(before)) - before)
    return selected


def _winnowing(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    minima = rightmost_minima(hashes, w)
    return minima[np.flatnonzero(np.diff(minima, prepend=-1))]


def robust(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select as few minima as ties allow (definition 3); 1 ≤ w ≤ len(hashes)."""
    return _thinned(rightmost_minima(hashes, w), hashes)


def _mod_minimizer(hashes: NDArray[np.uint64], w: int, ids: NDArray[np.uint64]) -> NDArray[np.int64]:
    k = len(ids) - len(hashes) + 1
    t = gram_length(k, w)
    smallest = rightmost_minima(kgram_hashes(ids, t), w + k - t)
    windows = np.arange(len(smallest))
    return _thinned(windows + (smallest - windows) % w, hashes)


def gram_length(k: int, w: int) -> int:
    """Return the t of the t-grams: at least 4 (or k), at most k, and k modulo w."""
    shortest = min(SHORTEST_GRAM, k)
    return shortest + (k - shortest) % w


def _mod_p(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    return np.flatnonzero(hashes % np.uint64(max(1, (w + 1) // 2)) == 0)


def bottom_s(hashes: NDArray[np.uint64], w: int = 0, s: int = BOTTOM) -> NDArray[np.int64]:  # noqa: ARG001
    """Select the first place of each of the s smallest distinct hashes; rising positions. ``w`` does not matter."""
    return np.sort(np.unique(hashes, return_index=True)[1][:s])


def _bounded(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    from winnow_ci.winnowing.bounded import bounded  # noqa: PLC0415 - few indexes have this scheme

    return bounded(hashes, w)


_SCHEMES: dict[str, Callable[[NDArray[np.uint64], int], NDArray[np.int64]]] = {
    "anchored": _anchored,
    "winnowing": _winnowing,
    "robust": robust,
    "mod-p": _mod_p,
    "bottom-s": bottom_s,
    "bounded": _bounded,
}


def rightmost_minima(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Return the position of the rightmost minimum of each window; int64, shape (n − w + 1,).

    Two windows of s hashes, at most s apart, make one of s + step, so the span doubles until it is w.
    """
    minima, values, span = np.arange(len(hashes)), hashes, 1
    while span < w:
        step = min(span, w - span)
        minima = np.where(values[step:] <= values[:-step], minima[step:], minima[:-step])
        values = np.minimum(values[step:], values[:-step])
        span += step
    return minima


def _thinned(choices: NDArray[np.int64], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Drop the choices of windows that all hold the choice kept before, if it has the same hash.

    ``choices`` has the position that each window would select; choices[i] ≥ i, never falling.
    """
    first_windows = np.flatnonzero(np.diff(choices, prepend=-1))
    last_windows = np.append(first_windows[1:] - 1, len(choices) - 1)
    own = choices[first_windows]
    kept, kept_hash = [-1], -1
    for last, choice, value in zip(last_windows.tolist(), own.tolist(), hashes[own].tolist(), strict=True):
        if kept[-1] < last or kept_hash != value:
            kept.append(choice)
            kept_hash = value
    return np.array(kept[1:], np.int64)
