"""Reading the postings of many hashes at once: those of each stand in one range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import distinct
from winnow_ci.index import schema
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.index.reader import IndexReader


class Ranges(NamedTuple):
    """Numbers of places from each start up to its stop."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]

    def part(self, which: NDArray[np.int64] | NDArray[np.bool_]) -> Ranges:
        """Some of the ranges."""
        return Ranges(self.starts[which], self.stops[which])


class FoundPostings(NamedTuple):
    """The postings of some hashes: those of each stand between its start and its stop."""

    postings: NDArray[np.void]
    ranges: Ranges


def postings_of(index: IndexReader, hashes: NDArray[np.uint64], *, crowds: bool = False) -> FoundPostings:
    """The postings of hashes, in one question.

    Reads some blocks at a time, since a large change has hashes in all blocks of an index.

    Args:
        index: where to look.
        hashes: uint64, in any order, with repetitions; ``spread``, of texts of crowds, or of whole files.
        crowds: whether they are hashes of texts of crowds, which have blocks of their own.
    """
    hashed, inverse = distinct(index.stored(hashes, crowds=crowds))
    bits, first = (index.crowd_bits, 1 << index.bits) if crowds else (index.bits, 0)
    numbers = schema.block_numbers(hashed, bits) + first
    blocks = numbers[np.flatnonzero(np.diff(numbers, prepend=-1))]
    places, counts = [np.empty(0, schema.POSTING)], [np.empty(0, np.int64)]
    for some, postings in index.block_parts(blocks.tolist()):
        start, end = np.searchsorted(numbers, [some[0], some[-1] + 1])
        own, lengths = postings_among(postings, hashed[start:end])
        places.append(own)
        counts.append(lengths)
    lengths = np.concatenate(counts)
    stops = np.cumsum(lengths)
    return FoundPostings(np.concatenate(places), Ranges((stops - lengths)[inverse], stops[inverse]))


def postings_among(
    postings: NDArray[np.void], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Those of ordered postings that have one of the hashes, which rise, and how many each hash has: int64."""
    if native := kernel():
        found, counts = native.postings_among(postings.view(np.uint8), hashes)
        return found.view(schema.POSTING), counts
    ranges = found_among(np.ascontiguousarray(postings["hash"]), hashes)
    return postings[spread_out(*ranges)], ranges.stops - ranges.starts


def found_among(keys: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> Ranges:
    """Where each wanted key stands among sorted ones."""
    return Ranges(np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right"))


def spread_out(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each start up to its stop, one range after the other."""
    counts = stops - starts
    spread: NDArray[np.int64] = np.arange(counts.sum()) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
    return spread
