"""Which words of prose stand in texts that are made to be copied: licences, notices, codes of conduct.

Everybody has them, under all names (``licenses/MIT-license.txt``, ``GPL.md``, the end of a README), so it says nothing
that two documents share them. ``known_texts.npy`` has the upper 32 bits of a hash of every ``RUN`` consecutive words of
such texts: the distances between the sorted hashes, 16 bits each. A longer distance is split; the hashes at the splits
stand for no words. ``python tools/known_texts`` makes it. Runs are a passage where ``IN_A_ROW`` of them each begin a
word after the one before; fewer may be equal by chance.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import U32, U64

LICENCE_TEXT = "licence text"
"""Why a file that is nothing but such a text is not read."""

RUN = 8
IN_A_ROW = 3
TABLE = Path(__file__).with_name("known_texts.npy")

_LONGEST = 2**16 - 1
# Odd, from the golden ratio (Knuth, The Art of Computer Programming, volume 3, section 6.4).
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def in_known_texts(words: U64) -> NDArray[np.bool_]:
    """Which words of a document stand in a passage of a known text: bool, one a word, given their verbatim ids."""
    runs = run_hashes(words)
    known = _table()
    places = np.minimum(np.searchsorted(known, runs), len(known) - 1)
    return _covered(known[places] == runs, len(words))


def run_hashes(words: U64) -> U32:
    """The upper 32 bits of a hash of each ``RUN`` consecutive words: uint32, shape (max(0, n − RUN + 1),)."""
    count = max(0, len(words) - RUN + 1)
    hashes = np.zeros(count, np.uint64)
    for offset in range(RUN):
        hashes = hashes * _FACTOR + words[offset : offset + count]
    return (hashes >> np.uint64(32)).astype(np.uint32)


def _covered(known: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Which of ``count`` words lie in enough known runs in a row."""
    edges = np.flatnonzero(np.diff(known, prepend=False, append=False))
    change = np.zeros(count + 1, np.int64)
    for first, end in edges.reshape(-1, 2).tolist():
        if end - first >= IN_A_ROW:
            change[first] += 1
            change[end + RUN - 1] -= 1
    return np.asarray(change.cumsum()[:-1] > 0, np.bool_)


def packed(hashes: U32) -> NDArray[np.uint16]:
    """The table of these hashes, as the file has it."""
    distances = np.diff(np.unique(hashes).astype(np.int64), prepend=0)
    splits = distances // _LONGEST
    found = np.full(len(distances) + int(splits.sum()), _LONGEST, np.uint16)
    found[np.arange(len(distances)) + splits.cumsum()] = distances - _LONGEST * splits
    return found


@cache
def _table() -> U32:
    return np.cumsum(np.load(TABLE), dtype=np.uint32)
