"""The attack on hashes that are made by public arithmetic: an unordered set of them is chained to the code.

The hash of a k-gram is a polynomial under an invertible finaliser, so from the hash of one k-gram and a guess of the
tokens that leave and enter, that of the next follows. A guess is right if its hash is in the set. There are few
structural ids, so all pairs are tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.winnowing.schemes import BASE, INVERSE

if TYPE_CHECKING:
    from numpy.typing import NDArray

U64 = np.uint64
_FIRST = U64(pow(0xBF58476D1CE4E5B9, -1, 1 << 64))
_SECOND = U64(pow(0x94D049BB133111EB, -1, 1 << 64))


def finalised(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of ``winnowing.schemes``."""
    words = (words ^ words >> U64(30)) * U64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> U64(27)) * U64(0x94D049BB133111EB)
    return words ^ words >> U64(31)


def unfinalised(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Its inverse."""
    words = (words ^ words >> U64(31) ^ words >> U64(62)) * _SECOND
    words = (words ^ words >> U64(27) ^ words >> U64(54)) * _FIRST
    return words ^ words >> U64(30) ^ words >> U64(60)


def chained(hashes: NDArray[np.uint64], alphabet: NDArray[np.uint64], k: int) -> int:
    """How many hashes of a set have their follower in it."""
    known = np.sort(hashes)
    top = U64(pow(BASE, k - 1, 1 << 64))
    entering = alphabet * top
    found = 0
    for word in unfinalised(known):
        left = (word - alphabet) * U64(INVERSE)
        following = finalised((left[:, None] + entering[None, :]).ravel())
        places = np.minimum(np.searchsorted(known, following), len(known) - 1)
        found += bool((known[places] == following).any())
    return found
