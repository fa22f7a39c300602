"""What hits say together, before a content is read: whether it can have more than chance gave it.

The larger an index, the more of its contents have a k-gram of a file by chance; the copies do not become more. A copy
has several hits near each other on about one diagonal, a content that is there by chance has one here and one there. So
a content is worth what its best *neighbourhood* says: hits that follow each other within ``NEAR`` tokens, on diagonals
that an edit could have moved; each token and each k-gram once, with what equal text and shared phrases say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.candidate_bits import SAME
from winnow_ci.matching.segments import CONTEXT
from winnow_ci.matching.shared_contents import LEAST_OF_TEXT
from winnow_ci.matching.shared_phrases import MOST_OF_ALL
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.shared_contents import SharedContents

# The least bits of a content that is hardly there by chance. Of 4,097 contents that have something of ten files of
# WebKit's DOM among 56 million fingerprints of other projects, three say so much; so do those of seven of eight copies.
SIGNIFICANT = 80.0
# What one k-gram says at most by its structure: of C++ and other languages that the tables have not learnt, everything
# looks rare, and 21 of the contents of 56 million fingerprints have one that would say 87 bits.
MOST_OF_KGRAM = 30.0
# Tokens from one hit of a neighbourhood to the next one at most.
NEAR = 120
# Diagonals of a neighbourhood lie in a band of this width; bands overlap by half.
BAND = 80


class _Hits(NamedTuple):
    """Seeds and shared phrases of all contents; arrays with one element each.

    Attributes:
        owners: int64; which of the contents has it.
        positions: int64; where it begins in the change.
        diagonals: int64; position there − position here.
        ends: int64; the token after it; a phrase has no tokens.
        hashes: uint64; of the k-gram or phrase.
        verbatim: bool; whether it has tokens whose text is the same.
        bits: float64; what it says besides its tokens: that of a phrase.
    """

    owners: NDArray[np.int64]
    positions: NDArray[np.int64]
    diagonals: NDArray[np.int64]
    ends: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    verbatim: NDArray[np.bool_]
    bits: NDArray[np.float64]

    def part(self, which: NDArray[np.int64]) -> _Hits:
        """Some of them."""
        return _Hits._make(column[which] for column in self)


def is_significant(shared: SharedContents, file: FileHits, k: int) -> NDArray[np.bool_]:
    """Which contents are hardly there by chance: bool, one a content.

    Those with a k-gram of telling structure and equal text are among them, since each informative verbatim run of t
    tokens is to be found.
    """
    significant = said_together(shared, file, k) >= SIGNIFICANT
    significant[shared.owners[shared.seeds.verbatim & shared.seeds.telling]] = True
    return significant


def said_together(shared: SharedContents, file: FileHits, k: int) -> NDArray[np.float64]:
    """What the best neighbourhood of each content says: float64, bits.

    Args:
        shared: what the file shares with contents.
        file: the file.
        k: length of its k-grams.
    """
    hits, most = _hits(shared, file, k), np.zeros(len(shared.contents), np.float64)
    if len(hits.owners):
        for shift in (0, BAND // 2):
            bands = (hits.diagonals + shift) // BAND
            order = np.lexsort((hits.ends, hits.positions, bands, hits.owners))
            own = hits.part(order)
            first = _first(own, bands[order])
            np.maximum.at(most, own.owners[first], _said(own, np.cumsum(first), file))
    return most


def _hits(shared: SharedContents, file: FileHits, k: int) -> _Hits:
    seeds, hashes = shared.seeds, file.kgrams.kgrams.hashes
    at, nothing = seeds.positions, np.zeros(len(seeds.positions))
    columns = [_Hits(shared.owners, at, seeds.diagonals, at + k, hashes[at], seeds.verbatim, nothing)]
    for owner in np.flatnonzero(np.isin(shared.contents, [*shared.phrases])).tolist():
        own = shared.phrases[int(shared.contents[owner])]
        at, no_tokens = own.positions, np.zeros(len(own.positions), np.bool_)
        columns.append(_Hits(np.full(len(at), owner), at, own.diagonals, at, own.phrases, no_tokens, own.bits))
    return _Hits(*map(np.concatenate, zip(*columns, strict=True)))


def _first(hits: _Hits, bands: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which hits, ordered by content, band and position, are the first of a neighbourhood."""
    first = np.ones(len(bands), np.bool_)
    first[1:] = (np.diff(hits.owners) != 0) | (np.diff(bands) != 0) | (np.diff(hits.positions) > NEAR)
    return first


def _said(hits: _Hits, numbers: NDArray[np.int64], file: FileHits) -> NDArray[np.float64]:
    """What each neighbourhood says, given its number, which rises from 1 on, for each of its hits."""
    of_text = SAME * file.new_literal_bits + np.maximum(0.0, LEAST_OF_TEXT - file.token_bits)
    texts = np.concatenate([[0.0], np.cumsum(of_text)])
    apart, new = numbers * (len(file.tokens) + 1), _distinct(hits.hashes, numbers)
    begins = np.maximum(hits.positions + CONTEXT, _reached(hits.ends, apart))
    structure = file.cumulative[hits.ends] - file.cumulative[np.minimum(begins, hits.ends)]
    begins = np.maximum(hits.positions, _reached(np.where(hits.verbatim, hits.ends, 0), apart))
    text = np.where(hits.verbatim, texts[hits.ends] - texts[np.minimum(begins, hits.ends)], 0.0)
    structure = np.minimum(structure, MOST_OF_KGRAM)
    starts = np.flatnonzero(np.diff(numbers, prepend=0))
    phrases = np.minimum(np.add.reduceat(new * hits.bits, starts), MOST_OF_ALL)
    return np.asarray(np.add.reduceat(new * structure + text, starts) + phrases, np.float64)


def _distinct(hashes: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which hits are the first with their hash in their neighbourhood: code that repeats itself says a thing once."""
    order = np.lexsort((hashes, numbers))
    new = np.ones(len(order), np.bool_)
    new[order[1:]] = (np.diff(hashes[order]) != 0) | (np.diff(numbers[order]) != 0)
    return new


def _reached(ends: NDArray[np.int64], apart: NDArray[np.int64]) -> NDArray[np.int64]:
    """The furthest end of the hits before each hit in its neighbourhood; ``apart`` keeps neighbourhoods apart."""
    reached = np.maximum.accumulate(ends + apart)
    return np.maximum(np.concatenate([[0], reached[:-1]]) - apart, 0)
