"""Phrases that a change and a content have in common.

Beside similar code, a shared phrase is good evidence. Where no k-gram is left whole, it is a place to look for similar
code: an edited copy of a few lines often keeps a comment, a message or a long name. By itself it is no copy of code.

Names say less than texts, because both sides may use the same library. So a candidate that only names led to is a copy
only if it has kept nearly all of its text (``judge``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.matching.runs import firsts, run_starts, runs
from winnow_ci.matching.segments import Segment
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import Hits, Phrases

# In bits: each word of a text, each word of a name, one phrase at most, all phrases of a candidate at most.
WORD = 5.0
WORD_OF_NAME = 2.0
MOST_OF_ONE = 25.0
MOST_OF_ALL = 50.0
# How far a phrase may stand from a segment that it belongs to, in tokens, and how far its diagonal may be off.
BESIDE = 20
BAND = 12
# A phrase in more places of an index than this is no reason to search around each of them.
MOST_PLACES = 50


class PhraseBits(NamedTuple):
    """The phrases that both sides of a candidate have.

    Attributes:
        bits: worth of all.
        texts: worth of all but names.
        number: how many there are, without names.
    """

    bits: float = 0.0
    texts: float = 0.0
    number: int = 0


class SharedPhrases(NamedTuple):
    """Phrases that the change and one content share; arrays with one element a pair of places.

    Attributes:
        phrases: uint64; hash of the phrase.
        names: bool; whether it is a name.
        positions: int64; where it stands in the change, in tokens.
        diagonals: int64; position there − position here.
        bits: float64; what it says that both sides have it.
        opens: bool; whether it is reason enough to search around it.
    """

    phrases: NDArray[np.uint64]
    names: NDArray[np.bool_]
    positions: NDArray[np.int64]
    diagonals: NDArray[np.int64]
    bits: NDArray[np.float64]
    opens: NDArray[np.bool_]

    def part(self, which: NDArray[np.int64] | slice) -> SharedPhrases:
        """Some of the pairs."""
        phrases, names, positions, diagonals, bits, opens = self
        return SharedPhrases(
            phrases[which], names[which], positions[which], diagonals[which], bits[which], opens[which]
        )

    def anchors(self) -> list[Segment]:
        """Segments without tokens at phrases that are reason enough to search."""
        opening = self.part(np.flatnonzero(self.opens))
        pairs = zip(opening.positions.tolist(), opening.diagonals.tolist(), strict=True)
        return [Segment(position, position, diagonal, 0) for position, diagonal in pairs]

    def said(self, parts: Sequence[Segment], same: NDArray[np.int64]) -> PhraseBits:
        """The worth of the phrases in or beside segments, or in tokens that are the same, each once.

        Args:
            parts: the segments.
            same: tokens in them with the same text on both sides, rising; an index lacks some places of a name.
        """
        if not len(self.positions):
            return PhraseBits()
        start, end = min(part.start for part in parts) - BESIDE, max(part.end for part in parts) + BESIDE
        near = (self.positions >= start) & (self.positions < end)
        if near.any():
            near[near] = _apart(self.diagonals[near], np.array([part.diagonal for part in parts])) <= BAND
        here = (near | among(self.positions, same)).nonzero()[0]
        if not len(here):
            return PhraseBits()
        here = here[firsts(self.phrases[here])]
        texts = here[~self.names[here]]
        bits, of_texts = (min(MOST_OF_ALL, float(self.bits[which].sum())) for which in (here, texts))
        return PhraseBits(bits, of_texts, len(texts))


def _apart(diagonals: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distance of each diagonal from the nearest of ``others``."""
    others = np.sort(others)
    after = np.searchsorted(others, diagonals)
    nearest = others[np.stack([np.maximum(after - 1, 0), np.minimum(after, len(others) - 1)])]
    return np.asarray(np.abs(diagonals - nearest).min(axis=0), np.int64)


_NUMBERS, _MARKS = np.empty(0, np.int64), np.empty(0, np.bool_)
NOTHING_SHARED = SharedPhrases(np.empty(0, np.uint64), _MARKS, _NUMBERS, _NUMBERS, np.empty(0, np.float64), _MARKS)


def phrases_by_content(phrases: Phrases, places: Hits) -> dict[int, SharedPhrases]:
    """The phrases that each content shares with a change.

    Args:
        phrases: of the change.
        places: where they stand; ``queries`` number the phrases, positions are those of tokens.
    """
    order = np.argsort(places.contents, kind="stable")
    queries, contents = places.queries[order], places.contents[order]
    positions = phrases.positions[queries].astype(np.int64)
    of_each = _most_of_equal(phrases.hashes, np.bincount(places.queries, minlength=len(phrases)))
    pairs = SharedPhrases(
        phrases.hashes[queries],
        phrases.names[queries],
        positions,
        places.positions[order].astype(np.int64) - positions,
        np.minimum(np.where(phrases.names, WORD_OF_NAME, WORD) * phrases.words, MOST_OF_ONE)[queries],
        of_each[queries] <= MOST_PLACES,
    )
    return {content: pairs.part(slice(start, end)) for content, start, end in runs(contents)}


def _most_of_equal(hashes: NDArray[np.uint64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The most often that one of several equal phrases was found; repeated phrases are found less often."""
    order = np.argsort(hashes)
    starts = run_starts(hashes[order])
    most = np.empty(len(counts), np.int64)
    if len(starts):
        most[order] = np.repeat(np.maximum.reduceat(counts[order], starts), np.diff(starts, append=len(counts)))
    return most
