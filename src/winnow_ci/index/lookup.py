"""Look up the places of k-grams by their hashes, on arrays.

A k-gram with very many places is weak evidence of where it comes from, and a file that repeats it would be compared
with all of them at each repetition. An index gives a scan at most ``schema.CROWD`` places of a hash, and as many of
each text of a crowd (``schema``). The bound falls each time the file repeats the k-gram: the n-th time it is
``PLACES_TOGETHER`` / n, which sums up to some ``PLACES_TOGETHER`` × ln n.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.arrays import distinct
from winnow_ci.index import schema
from winnow_ci.index.coding import Chosen, Ranges, chosen_hits, ranks
from winnow_ci.index.reader import IndexReader
from winnow_ci.model import PHRASE, Hits
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Bounds on the places of one k-gram: together (nearly) over all times, and of verbatim ones each time.
PLACES_TOGETHER = 4096
LEAST_VERBATIM = 2


class KgramPlaces(NamedTuple):
    """Where k-grams are."""

    # One for each pair of a k-gram and a place, ordered by k-gram. Of a hash with very many places, some of them and
    # some of the verbatim ones, as common text is better evidence than a common shape. None for boilerplate.
    hits: Hits
    boilerplate: NDArray[np.bool_]  # one a k-gram; whether the index has the hash in a content of boilerplate
    known: Mapping[bytes, int]  # key → id of those whole files that the index has


class FoundPostings(NamedTuple):
    """The postings of some hashes: those of each stand in one range."""

    postings: NDArray[np.void]
    ranges: Ranges


class _Queries(NamedTuple):
    """K-grams and phrases that have places; arrays with one element each."""

    numbers: NDArray[np.int64]  # which they are of all that are looked up
    spread: NDArray[np.uint64]  # hashes as stored
    checks: NDArray[np.uint32]
    files: NDArray[np.int64]  # numbers of their files
    crowded: NDArray[np.bool_]  # whether they are crowds
    texts: NDArray[np.bool_]  # whether the texts of the crowd stand apart, as those of k-grams do

    def part(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> _Queries:
        return _Queries._make(column[which] for column in self)


def places_of(
    index: IndexReader,
    hashes: NDArray[np.uint64],
    checks: NDArray[np.uint32],
    files: NDArray[np.int64],
    keys: Sequence[bytes] = (),
) -> KgramPlaces:
    """Find the places of k-grams, and whole files; all of these are one question to the index, texts of crowds another.

    Args:
        hashes: uint64, shape (n,), in any order, with repetitions.
        checks: uint32, shape (n,); hash of each verbatim k-gram.
        files: int64, shape (n,); number of the file of each k-gram. What is found for one file does not depend on the
            others.
        keys: of contents (``schema.content_key``).
    """
    spread, kept = schema.spread(hashes), schema.kept_checks(checks)
    whole = [schema.whole_file_posting(key) for key in keys]
    of_files = np.array([hashed for hashed, _ in whole], np.uint64)
    postings, (starts, stops) = postings_of(index, np.concatenate([spread, of_files]))
    marks = (postings["position"] & np.uint32(schema.CROWDED)) > 0
    is_kgram = postings["position"] < PHRASE
    found = FoundPostings(postings, Ranges(starts[: len(hashes)], stops[: len(hashes)]))
    crowded, boilerplate = _any(marks, found.ranges), _any(postings["content"] < 0, found.ranges)
    texts = crowded & _any(is_kgram, found.ranges)
    # Most k-grams of a change are nowhere in an index, and need no ranges.
    queries = np.flatnonzero((found.ranges.stops > found.ranges.starts) & ~boilerplate)
    columns = np.arange(len(hashes)), spread, kept, files, crowded, texts
    hits = _chosen(index, found, _Queries(*columns).part(queries))
    # Where all that is kept of a check agrees, the rest does, too.
    whole_checks = np.where(hits.checks == kept[hits.queries], checks[hits.queries], hits.checks)
    hits = Hits(hits.queries, hits.contents, hits.positions, whole_checks)
    known = FoundPostings(postings, Ranges(starts[len(hashes) :], stops[len(hashes) :]))
    return KgramPlaces(hits, boilerplate, _known(keys, [check for _, check in whole], known))


def known_files(index: IndexReader, keys: Sequence[bytes]) -> Mapping[bytes, int]:
    """Return key → id of those contents, given by their keys (``schema.content_key``), that an index has."""
    nothing = np.empty(0, np.int64)
    return places_of(index, nothing.astype(np.uint64), nothing.astype(np.uint32), nothing, keys).known


def _known(keys: Sequence[bytes], checks: Sequence[int], found: FoundPostings) -> dict[bytes, int]:
    known = {}
    for key, check, start, stop in zip(keys, checks, *(column.tolist() for column in found.ranges), strict=True):
        for posting in found.postings[start:stop]:
            if posting["check"] == check and posting["position"] == schema.WHOLE:
                known[key] = int(posting["content"])
    return known


def postings_of(index: IndexReader, hashes: NDArray[np.uint64], *, crowds: bool = False) -> FoundPostings:
    """Return the postings of hashes, in any order, with repetitions; texts of ``crowds`` have blocks of their own."""
    kind = index.crowd_blocks if crowds else index.blocks
    hashed, inverse = distinct(index.stored(hashes, kind))
    postings = index.postings_of(hashed, kind)
    starts, stops = (np.searchsorted(postings["hash"], hashed, side) for side in ("left", "right"))
    return FoundPostings(postings, Ranges(starts[inverse], stops[inverse]))


def _chosen(index: IndexReader, found: FoundPostings, queries: _Queries) -> Hits:
    of_shape = found.ranges.part(queries.numbers)
    times = _times(of_shape.starts, queries.files)
    shown = _around(times, np.minimum(schema.CROWD, PLACES_TOGETHER // (times + 1)), of_shape)
    is_cut = (shown.stops - shown.starts < of_shape.stops - of_shape.starts) | queries.crowded
    if not is_cut.any():
        return chosen_hits(queries.numbers, Chosen(found.postings, [shown]), Chosen(found.postings[:0], []))
    numbers, cut, shape = np.flatnonzero(is_cut), queries.part(is_cut), of_shape.starts[is_cut]
    # A text is counted only from the first time that its shape has too many places.
    times = _times(cut.checks, shape, cut.files)
    most = np.clip(PLACES_TOGETHER // (times + 1), LEAST_VERBATIM, schema.CROWD)
    calm = ~cut.crowded
    same = _around(times[calm], most[calm], _verbatim(found, cut.part(calm)))
    beside = _beside(same, shown.part(is_cut).part(calm))
    crowded = cut.part(cut.texts)
    texts = postings_of(index, schema.verbatim_hash(crowded.spread, crowded.checks), crowds=True)
    own = _around(times[cut.texts], most[cut.texts], texts.ranges)
    shapes = [shown, *(_of_all(ranges, numbers[calm], len(shown.starts)) for ranges in beside)]
    of_texts = Chosen(texts.postings, [_of_all(own, numbers[cut.texts], len(shown.starts))])
    return chosen_hits(queries.numbers, Chosen(found.postings, shapes), of_texts)


def _of_all(ranges: Ranges, numbers: NDArray[np.int64], count: int) -> Ranges:
    """Return a range for each of ``count`` queries: nothing for those that are not in ``numbers``."""
    starts, stops = np.zeros((2, count), np.int64)
    starts[numbers], stops[numbers] = ranges
    return Ranges(starts, stops)


def _times(*keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many equal elements come before each element, given as columns: int64."""
    order = np.lexsort(keys)
    times = np.empty(len(order), np.int64)
    times[order] = ranks(*(key[order] for key in keys))
    return times


def _around(times: NDArray[np.int64], most: NDArray[np.int64], ranges: Ranges) -> Ranges:
    """Return at most ``most`` places of each range, around the n-th place for a k-gram that occurs the n-th time."""
    last = np.maximum(ranges.stops - most, ranges.starts)
    starts = np.clip(ranges.starts + times - most // 2, ranges.starts, last)
    return Ranges(starts, np.minimum(starts + most, ranges.stops))


def _beside(ranges: Ranges, others: Ranges) -> tuple[Ranges, Ranges]:
    """Return the parts of each range that lie before and after another range."""
    before = np.minimum(ranges.stops, others.starts)
    after = np.maximum(ranges.starts, others.stops)
    return Ranges(ranges.starts, np.maximum(before, ranges.starts)), Ranges(after, np.maximum(ranges.stops, after))


def _any(marked: NDArray[np.bool_], ranges: Ranges) -> NDArray[np.bool_]:
    """Return which ranges hold something marked: bool."""
    before = np.concatenate([[0], np.cumsum(marked)])
    return np.asarray(before[ranges.stops] > before[ranges.starts], np.bool_)


def _verbatim(found: FoundPostings, queries: _Queries) -> Ranges:
    """Return those places of some queries that have the check of the query; places are sorted by hash and check."""
    hashes = found.postings["hash"]
    shapes = np.cumsum(np.diff(hashes, prepend=hashes[:1]) != 0).astype(np.uint64) << np.uint64(32)
    keys = shapes | found.postings["check"]
    wanted = shapes[found.ranges.starts[queries.numbers]] | queries.checks
    return Ranges(np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right"))
