"""Which k-grams are evidence.

Rows of numbers, ``#include`` lists, runs of one-line declarations and repeated punctuation look alike in unrelated
projects: their k-grams repeat a few short patterns. A k-gram carries information if three quarters of the 4-grams
inside it are distinct (for k = 16: 10 of 13). Between git and curl, two unrelated projects, this and a minimal length
reduce the files with a structural match from 520 of 887 to 1 (docs/matching.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model import NUMBER_SKETCH
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

GRAM = 4
SHARE = 0.75


class KgramInformation(NamedTuple):
    """What k-grams of a document carry.

    Attributes:
        grams: uint64, one a token but the last three; hashes of its structural 4-grams.
        structure: bool, one a k-gram; whether its structure carries information.
        text: the same of its text.
    """

    grams: NDArray[np.uint64]
    structure: NDArray[np.bool_]
    text: NDArray[np.bool_]


def kgram_information(tokens: Tokens, rare: NDArray[np.bool_], k: int) -> KgramInformation:
    """Return which k-grams of a document carry information; the kernel does the same in one call.

    Args:
        tokens: of the document.
        rare: bool, one a token; the numbers that count as text (``rare_numbers``).
        k: length of a k-gram in tokens.
    """
    if native := kernel():
        numbers = (NUMBER_SKETCH.start, NUMBER_SKETCH.stop)
        return KgramInformation(*native.kgram_information(tokens, rare, numbers, k, (GRAM, SHARE)))
    structure = grams(tokens)
    return KgramInformation(structure, informative(structure, k), informative(text_grams(tokens, rare), k))


def informative(ids: NDArray[np.uint64], k: int) -> NDArray[np.bool_]:
    """Return which k-grams carry information.

    A 4-gram at j is a repetition in every k-gram that starts no later than its previous occurrence and still reaches j.
    So each 4-gram adds one to a range of starts; a difference array sums the ranges up.

    Args:
        ids: uint64, shape (n,); a hash of the 4-gram at each token, as ``kgram_hashes(structural, GRAM)`` makes them.
        k: length of a k-gram in tokens.

    Returns:
        bool, shape (max(0, n + GRAM − k),); one a k-gram.
    """
    inside = k - GRAM + 1
    count = len(ids) - inside + 1
    if count <= 0 or inside <= 1:
        return np.ones(max(0, count), np.bool_)
    distances = _distances(ids, inside)
    again = np.flatnonzero(distances)
    first = np.maximum(again - inside + 1, 0)
    last = np.minimum(again - distances[again], count - 1)
    repeats = last >= first
    change = np.bincount(first[repeats], minlength=count + 1) - np.bincount(last[repeats] + 1, minlength=count + 1)
    distinct = inside - np.cumsum(change[:count])
    return np.asarray(distinct >= round(SHARE * inside), np.bool_)


def grams(tokens: Tokens) -> NDArray[np.uint64]:
    """Hash every structural 4-gram of a document: by them, ``informative`` measures its structure."""
    return kgram_hashes(tokens.structural, GRAM)


def text_grams(tokens: Tokens, rare: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Hash every 4-gram of a document's text: by them, ``informative`` measures its text.

    Most numbers count as equal: tables of numbers, such as 0, 1, 2, 3 …, are often the same without being copied.

    Args:
        tokens: of the document.
        rare: bool, one a token; the numbers that count as text (``rare_numbers``).
    """
    return kgram_hashes(np.where(are_numbers(tokens) & ~rare, tokens.structural, tokens.verbatim), GRAM)


def are_numbers(tokens: Tokens) -> NDArray[np.bool_]:
    """Which tokens are numbers: bool, one a token."""
    return np.asarray((tokens.sketch >= NUMBER_SKETCH.start) & (tokens.sketch < NUMBER_SKETCH.stop), np.bool_)


def _distances(ids: NDArray[np.uint64], inside: int) -> NDArray[np.int64]:
    """How far back the same id stands, if among ``inside`` of them, or 0: int64, shape (n,).

    A few comparisons of the whole array take a third of the time of sorting it.
    """
    distances = np.zeros(len(ids), np.int64)
    for back in range(min(inside, len(ids)) - 1, 0, -1):
        np.copyto(distances[back:], back, where=ids[back:] == ids[:-back])
    return distances
