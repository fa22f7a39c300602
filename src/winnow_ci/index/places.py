"""Looking k-grams up: hashes → places, on arrays."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.reader import BLOCKS_A_QUERY
from winnow_ci.model import Hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.index.reader import IndexReader

MOST_PLACES = 256


class Found(NamedTuple):
    """What came of a lookup.

    Attributes:
        hits: one for each pair of a k-gram and a place, ordered by k-gram. Of a hash in very many places, the first
            ``MOST_PLACES`` and the first ``MOST_PLACES`` verbatim ones: common shapes are weak evidence, common text
            is not. None of boilerplate.
        boilerplate: bool, one a k-gram; whether its structure stands in what the index calls boilerplate.
    """

    hits: Hits
    boilerplate: NDArray[np.bool_]


def lookup(index: IndexReader, hashes: NDArray[np.uint64], checks: NDArray[np.uint32]) -> Found:
    """Find the places of k-grams.

    Args:
        index: where to look.
        hashes: uint64, shape (n,), in any order, with repetitions.
        checks: uint32, shape (n,); hash of the verbatim k-gram to each.

    Raises:
        IndexFileError: the index is damaged.
    """
    distinct, inverse = _distinct(schema.spread(hashes))
    places, ends = _places(index, distinct)
    firsts = np.concatenate([[0], ends[:-1]])
    boilerplate = _any(places["content"] < index.boilerplate, firsts, ends)
    # Most k-grams of a change are nowhere in an index: nothing is made of those.
    queries = np.flatnonzero(((ends > firsts) & ~boilerplate)[inverse])
    boilerplate, inverse = boilerplate[inverse], inverse[queries]
    starts = firsts[inverse]
    stops = np.minimum(ends[inverse], starts + MOST_PLACES)
    crowded = np.flatnonzero(stops < ends[inverse])
    if len(crowded):
        there = queries[crowded]
        same_text = _verbatim(places["check"], checks[there], stops[crowded], ends[inverse[crowded]])
        queries = np.concatenate([queries, there])
        starts, stops = (np.concatenate(pair) for pair in zip((starts, stops), same_text, strict=True))
    return Found(_hits(places, queries, starts, stops), boilerplate)


def _any(marked: NDArray[np.bool_], firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ranges hold something that is marked."""
    before = np.concatenate([[0], np.cumsum(marked)])
    return np.asarray(before[ends] > before[firsts], np.bool_)


def _distinct(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hashes, sorted, each once, and the number of each of the unsorted ones there.

    That is ``np.unique``, which imports ``numpy.ma`` and takes longer.
    """
    order = np.argsort(hashes)
    is_first = np.ones(len(hashes), np.bool_)
    is_first[1:] = hashes[order[1:]] != hashes[order[:-1]]
    inverse = np.empty(len(hashes), np.int64)
    inverse[order] = np.cumsum(is_first) - 1
    return hashes[order[is_first]], inverse


def _places(index: IndexReader, distinct: NDArray[np.uint64]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Postings that hold those of sorted hashes, and where those of each hash end.

    A few blocks at a time are in memory: a large change has hashes in all blocks of an index.
    """
    numbers = schema.block_numbers(distinct, index.bits)
    blocks = numbers[np.flatnonzero(np.diff(numbers, prepend=-1))]
    places, counts = [np.empty(0, schema.POSTING)], [np.empty(0, np.int64)]
    for start in range(0, len(blocks), BLOCKS_A_QUERY):
        some = blocks[start : start + BLOCKS_A_QUERY]
        first, end = np.searchsorted(numbers, [some[0], some[-1] + 1])
        postings = index.blocks(some.tolist())
        found = _found(np.ascontiguousarray(postings["hash"]), distinct[first:end])
        places.append(postings[_spread(*found)])
        counts.append(found[1] - found[0])
    return np.concatenate(places), np.cumsum(np.concatenate(counts))


def _verbatim(
    checks: NDArray[np.uint32], wanted: NDArray[np.uint32], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of the places of one hash each, sorted by check, those with a wanted check: where they start and stop."""

    @cache
    def find(check: int, start: int, end: int) -> tuple[int, int]:
        low, high = np.searchsorted(checks[start:end], np.array([check, check + 1], np.uint64))
        return start + int(low), start + min(int(high), int(low) + MOST_PLACES)

    found = np.array(list(map(find, wanted.tolist(), starts.tolist(), ends.tolist())), np.int64)
    return found[:, 0], found[:, 1]


def _found(hashes: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each wanted hash starts and ends among sorted ones."""
    return np.searchsorted(hashes, wanted, "left"), np.searchsorted(hashes, wanted, "right")


def _hits(
    places: NDArray[np.void], queries: NDArray[np.int64], starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> Hits:
    """One hit for each place between start and stop of each query."""
    order = np.argsort(queries, kind="stable")
    queries, starts, stops = queries[order], starts[order], stops[order]
    rows = places[_spread(starts, stops)]
    return Hits(np.repeat(queries, stops - starts), rows["content"], rows["position"], rows["check"])


def _spread(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each start up to its stop, one range after the other."""
    counts = stops - starts
    spread: NDArray[np.int64] = np.arange(counts.sum()) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
    return spread
