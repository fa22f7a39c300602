"""Looking k-grams up: hashes → places, on arrays.

A k-gram with very many places says little about where it comes from, and a file that repeats it would be compared with
all of them at each repetition. So the places of a k-gram are bounded, and the bound falls each time the file repeats
it: the n-th time it is ``TOGETHER`` / n, which sums up to some ``TOGETHER`` × ln n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.reader import BLOCKS_A_QUERY
from winnow_ci.model import Hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.index.reader import IndexReader

# Bounds on the places of one k-gram: each time, together (nearly) over all times, and of verbatim ones each time.
MOST_PLACES = 256
TOGETHER = 4096
LEAST_VERBATIM = 2


class _Ranges(NamedTuple):
    """Numbers of places from each start up to its stop."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]


class KgramPlaces(NamedTuple):
    """Where k-grams are.

    Attributes:
        hits: one for each pair of a k-gram and a place, ordered by k-gram. Of a hash with very many places, some of
            them and some of the verbatim ones, as common text is better evidence than a common shape. None for
            boilerplate.
        boilerplate: bool, one a k-gram; whether the index has the hash in a content of boilerplate.
    """

    hits: Hits
    boilerplate: NDArray[np.bool_]


def places_of(
    index: IndexReader, hashes: NDArray[np.uint64], checks: NDArray[np.uint32], files: NDArray[np.int64]
) -> KgramPlaces:
    """Find the places of k-grams.

    Args:
        index: where to look.
        hashes: uint64, shape (n,), in any order, with repetitions.
        checks: uint32, shape (n,); hash of each verbatim k-gram.
        files: int64, shape (n,); number of the file of each k-gram. What is found for one file does not depend on the
            others.

    Raises:
        IndexFileError: the index is damaged.
    """
    distinct, inverse = _distinct(schema.spread(hashes))
    places, ends = _places(index, distinct)
    firsts = np.concatenate([[0], ends[:-1]])
    boilerplate = _any(places["content"] < index.boilerplate, firsts, ends)
    # Most k-grams of a change are nowhere in an index, and need no ranges.
    queries = np.flatnonzero(((ends > firsts) & ~boilerplate)[inverse])
    boilerplate, inverse = boilerplate[inverse], inverse[queries]
    times = _times(inverse, files[queries])
    most = np.minimum(MOST_PLACES, TOGETHER // (times + 1))
    of_hash = _Ranges(firsts[inverse], ends[inverse])
    found = _around(times, most, of_hash)
    crowded = np.flatnonzero(found.stops - found.starts < of_hash.stops - of_hash.starts)
    if len(crowded):
        there = queries[crowded]
        # A text is counted only from the first time that its shape has too many places.
        times = _times(checks[there], inverse[crowded], files[there])
        most = np.clip(TOGETHER // (times + 1), LEAST_VERBATIM, MOST_PLACES)
        more = _around(times, most, _verbatim(places["check"], ends, inverse[crowded], checks[there]))
        before, after = _beside(more, _Ranges(found.starts[crowded], found.stops[crowded]))
        queries = np.concatenate([queries, there, there])
        found = _Ranges(*map(np.concatenate, zip(found, before, after, strict=True)))
    return KgramPlaces(_hits(places, queries, *found), boilerplate)


def _times(*keys: NDArray[Any]) -> NDArray[np.int64]:
    """How many equal elements come before each element, given as columns: int64."""
    order = np.lexsort(keys)
    is_first = np.zeros(len(order), np.bool_)
    is_first[:1] = True
    for key in keys:
        is_first[1:] |= key[order[1:]] != key[order[:-1]]
    starts = np.flatnonzero(is_first)
    times = np.empty(len(order), np.int64)
    times[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    return times


def _around(times: NDArray[np.int64], most: NDArray[np.int64], ranges: _Ranges) -> _Ranges:
    """At most ``most`` places of each range, around the n-th place for a k-gram that occurs the n-th time."""
    last = np.maximum(ranges.stops - most, ranges.starts)
    starts = np.clip(ranges.starts + times - most // 2, ranges.starts, last)
    return _Ranges(starts, np.minimum(starts + most, ranges.stops))


def _beside(ranges: _Ranges, others: _Ranges) -> tuple[_Ranges, _Ranges]:
    """The parts of each range that lie before and after another range."""
    before = np.minimum(ranges.stops, others.starts)
    after = np.maximum(ranges.starts, others.stops)
    return _Ranges(ranges.starts, np.maximum(before, ranges.starts)), _Ranges(after, np.maximum(ranges.stops, after))


def _any(marked: NDArray[np.bool_], firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ranges hold something marked: bool."""
    before = np.concatenate([[0], np.cumsum(marked)])
    return np.asarray(before[ends] > before[firsts], np.bool_)


def _distinct(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The distinct hashes, sorted, and the number of each hash among them.

    ``np.unique`` does the same, but imports ``numpy.ma`` and takes longer.
    """
    order = np.argsort(hashes)
    is_first = np.ones(len(hashes), np.bool_)
    is_first[1:] = hashes[order[1:]] != hashes[order[:-1]]
    inverse = np.empty(len(hashes), np.int64)
    inverse[order] = np.cumsum(is_first) - 1
    return hashes[order[is_first]], inverse


def _places(index: IndexReader, distinct: NDArray[np.uint64]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """The postings of sorted hashes, and where those of each hash end.

    Reads a few blocks at a time, since a large change has hashes in all blocks of an index.
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
        counts.append(found.stops - found.starts)
    return np.concatenate(places), np.cumsum(np.concatenate(counts))


def _verbatim(
    checks: NDArray[np.uint32], ends: NDArray[np.int64], hashes: NDArray[np.int64], wanted: NDArray[np.uint32]
) -> _Ranges:
    """Of the places of some hashes, those with the wanted check.

    Args:
        checks: of all places, sorted by hash and check.
        ends: where the places of each hash end.
        hashes: number of each wanted hash.
        wanted: the check wanted with it.
    """
    numbers = np.repeat(np.arange(len(ends), dtype=np.uint64), np.diff(ends, prepend=0))
    return _found(numbers << np.uint64(32) | checks, hashes.astype(np.uint64) << np.uint64(32) | wanted)


def _found(keys: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> _Ranges:
    """Where each wanted key stands among sorted ones."""
    return _Ranges(np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right"))


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
