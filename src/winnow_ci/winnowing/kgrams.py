"""Hash all k-grams of a token stream, in one pass whatever k is.

The hash of the k-gram at i is a polynomial over its token ids, h(i) = Σ_{0≤j<k} c(i+j)·b^j modulo 2^64, after Karp and
Rabin (1987). Schleimer, Wilkerson and Aiken (2003, section 5.1) roll it from one k-gram to the next; such a loop does
not vectorise, so we use prefix sums. With P(i) = Σ_{j<i} c(j)·b^j, the sum over one k-gram is P(i+k) − P(i), which has
a surplus factor b^i. As b is odd, it has an inverse modulo 2^64, and multiplying with b^(−i) removes the factor.

Bit n of such a hash depends only on the bits up to n of the ids. So a finaliser (Stafford's variant 13 of
MurmurHash3's, as in SplitMix64) spreads every bit over the whole word.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The multiplier of PCG and of Knuth's MMIX.
BASE = 6364136223846793005
INVERSE = pow(BASE, -1, 1 << 64)


def kgram_hashes(ids: NDArray[np.uint64], k: int, at: NDArray[np.int64] | None = None) -> NDArray[np.uint64]:
    """Hash every run of k consecutive ids (uint64, shape (n,)), or those that start ``at`` some places; k ≥ 1.

    Returns:
        uint64, shape (max(0, n − k + 1),); element i is the hash of ids[i : i + k]. With ``at``, one for each start.
    """
    count = len(ids) - k + 1
    if count <= 0:
        return np.empty(0, np.uint64)
    sums = np.zeros(len(ids) + 1, np.uint64)
    np.cumsum(ids * _powers(BASE, len(ids)), out=sums[1:])
    if at is not None:
        return _finalised((sums[at + k] - sums[at]) * _powers(INVERSE, count)[at])
    return _finalised((sums[k:] - sums[:-k]) * _powers(INVERSE, count))


def run_hashes(ids: NDArray[np.uint64], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash consecutive runs of ids, of any lengths, without the finaliser: uint64, one for each start.

    Starts rise, the first of them is 0, and each run ends where the next one starts.
    """
    if not len(ids):
        return np.empty(0, np.uint64)
    lengths = np.diff(starts, append=len(ids))
    places = np.arange(len(ids)) - np.repeat(starts, lengths)
    hashes: NDArray[np.uint64] = np.add.reduceat(ids * _powers(BASE, int(lengths.max()))[places], starts)
    return hashes


def _powers(base: int, count: int) -> NDArray[np.uint64]:
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
