"""Looking k-grams up: hashes → places, on arrays.

A k-gram with very many places says little about where it comes from, and a file that repeats it would be compared with
all of them at each repetition. An index gives a scan at most ``schema.CROWD`` places of a hash, and as many of each
text of a crowd (``schema``). The bound falls each time the file repeats the k-gram: the n-th time it is ``TOGETHER`` /
n, which sums up to some ``TOGETHER`` × ln n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.found_postings import FoundPostings, Ranges, found_among, postings_of, spread_out
from winnow_ci.model import PHRASE, Hits
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index.reader import IndexReader

# Bounds on the places of one k-gram: together (nearly) over all times, and of verbatim ones each time.
TOGETHER = 4096
LEAST_VERBATIM = 2


class KgramPlaces(NamedTuple):
    """Where k-grams are.

    Attributes:
        hits: one for each pair of a k-gram and a place, ordered by k-gram. Of a hash with very many places, some of
            them and some of the verbatim ones, as common text is better evidence than a common shape. None for
            boilerplate.
        boilerplate: bool, one a k-gram; whether the index has the hash in a content of boilerplate.
        known: key → id of those whole files that the index has.
    """

    hits: Hits
    boilerplate: NDArray[np.bool_]
    known: Mapping[bytes, int]


def places_of(
    index: IndexReader,
    hashes: NDArray[np.uint64],
    checks: NDArray[np.uint32],
    files: NDArray[np.int64],
    keys: Sequence[bytes] = (),
) -> KgramPlaces:
    """Find the places of k-grams, and whole files; all of these are one question to the index, texts of crowds another.

    Args:
        index: where to look.
        hashes: uint64, shape (n,), in any order, with repetitions.
        checks: uint32, shape (n,); hash of each verbatim k-gram.
        files: int64, shape (n,); number of the file of each k-gram. What is found for one file does not depend on the
            others.
        keys: of contents (``schema.content_key``).

    Raises:
        IndexFileError: the index is damaged.
    """
    spread, whole = schema.spread(hashes), [schema.whole_file(key) for key in keys]
    of_files = np.array([hashed for hashed, _ in whole], np.uint64)
    postings, (starts, stops) = postings_of(index, np.concatenate([spread, of_files]))
    marks = (postings["position"] & np.uint32(schema.CROWDED)) > 0
    is_kgram = postings["position"] < PHRASE
    found = FoundPostings(postings, Ranges(starts[: len(hashes)], stops[: len(hashes)]))
    crowded, boilerplate = _any(marks, *found.ranges), _any(postings["content"] < 0, *found.ranges)
    texts = crowded & _any(is_kgram, *found.ranges)
    # Most k-grams of a change are nowhere in an index, and need no ranges.
    queries = np.flatnonzero((found.ranges.stops > found.ranges.starts) & ~boilerplate)
    columns = np.arange(len(hashes)), spread, checks, files, crowded, texts
    hits = _chosen(index, found, _Queries(*columns).part(queries))
    known = FoundPostings(postings, Ranges(starts[len(hashes) :], stops[len(hashes) :]))
    return KgramPlaces(hits, boilerplate, _known(keys, [check for _, check in whole], known))


def known_files(index: IndexReader, keys: Sequence[bytes]) -> Mapping[bytes, int]:
    """Key → id of those contents, given by their keys (``schema.content_key``), that an index has.

    Raises:
        IndexFileError: the index is damaged.
    """
    nothing = np.empty(0, np.int64)
    return places_of(index, nothing.astype(np.uint64), nothing.astype(np.uint32), nothing, keys).known


def _known(keys: Sequence[bytes], checks: Sequence[int], found: FoundPostings) -> dict[bytes, int]:
    """Key → id of those contents of which there is a posting of the whole file."""
    known = {}
    for key, check, start, stop in zip(keys, checks, *(column.tolist() for column in found.ranges), strict=True):
        for posting in found.postings[start:stop]:
            if posting["check"] == check and posting["position"] == schema.WHOLE:
                known[key] = int(posting["content"])
    return known


class _Queries(NamedTuple):
    """K-grams and phrases that have places; arrays with one element each.

    Attributes:
        numbers: int64; which they are of all that are looked up.
        spread: uint64; hashes as stored.
        checks: uint32.
        files: int64; numbers of their files.
        crowded: bool; whether they are crowds.
        texts: bool; whether the texts of the crowd stand apart, as those of k-grams do.
    """

    numbers: NDArray[np.int64]
    spread: NDArray[np.uint64]
    checks: NDArray[np.uint32]
    files: NDArray[np.int64]
    crowded: NDArray[np.bool_]
    texts: NDArray[np.bool_]

    def part(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> _Queries:
        """Some of them."""
        numbers, spread, checks, files, crowded, texts = self
        return _Queries(numbers[which], spread[which], checks[which], files[which], crowded[which], texts[which])


class Chosen(NamedTuple):
    """Some ranges of postings for each query.

    Attributes:
        postings: ``schema.POSTING``.
        ranges: each of them has one range for each query.
    """

    postings: NDArray[np.void]
    ranges: Sequence[Ranges]


def _chosen(index: IndexReader, found: FoundPostings, queries: _Queries) -> Hits:
    """Of all places of k-grams, those that say something."""
    of_shape = found.ranges.part(queries.numbers)
    times = _times(of_shape.starts, queries.files)
    shown = _around(times, np.minimum(schema.CROWD, TOGETHER // (times + 1)), of_shape)
    is_cut = (shown.stops - shown.starts < of_shape.stops - of_shape.starts) | queries.crowded
    if not is_cut.any():
        return chosen_hits(queries.numbers, Chosen(found.postings, [shown]), Chosen(found.postings[:0], []))
    numbers, cut, shape = np.flatnonzero(is_cut), queries.part(is_cut), of_shape.starts[is_cut]
    # A text is counted only from the first time that its shape has too many places.
    times = _times(cut.checks, shape, cut.files)
    most = np.clip(TOGETHER // (times + 1), LEAST_VERBATIM, schema.CROWD)
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
    """A range for each of ``count`` queries: nothing for those that are not in ``numbers``."""
    starts, stops = np.zeros((2, count), np.int64)
    starts[numbers], stops[numbers] = ranges
    return Ranges(starts, stops)


def chosen_hits(queries: NDArray[np.int64], shapes: Chosen, texts: Chosen) -> Hits:
    """The hits of queries, in their order; the kernel does the same in one pass.

    Args:
        queries: int64, rising.
        shapes: their postings.
        texts: postings of their texts; those that are among ``shapes`` are left out.
    """
    if native := kernel():
        found = [(one.postings.view(np.uint8), [tuple(ranges) for ranges in one.ranges]) for one in (shapes, texts)]
        return Hits(*native.chosen_hits(queries, *found))
    seen = [_hits(shapes.postings, queries, ranges) for ranges in shapes.ranges]
    more = [_hits(texts.postings, queries, ranges) for ranges in texts.ranges]
    hits = _ordered(seen)
    if not any(map(len, more)):
        return hits
    texts_of = np.zeros(int(queries[-1]) + 1, np.bool_)
    texts_of[np.concatenate([one.queries for one in more])] = True
    beside = hits.part(texts_of[hits.queries])
    return _ordered([hits, *(_unseen(one, beside) for one in more)])


def _ordered(parts: Sequence[Hits]) -> Hits:
    """Hits by their queries, which rise in each part; a whole file is no place of a k-gram."""
    some = [part for part in parts if len(part)]
    if len(some) == 1:
        return some[0].part(some[0].positions != schema.WHOLE)
    queries, contents, positions, checks = (
        np.concatenate(column)
        for column in zip(*((p.queries, p.contents, p.positions, p.checks) for p in parts), strict=True)
    )
    order = np.argsort(queries, kind="stable")
    order = order[positions[order] != schema.WHOLE]
    return Hits(queries[order], contents[order], positions[order], checks[order])


def _unseen(hits: Hits, seen: Hits) -> Hits:
    """Those of some hits that are not among others; each is there once."""
    keys = [np.concatenate([getattr(seen, name), getattr(hits, name)]) for name in ("positions", "contents", "queries")]
    order = np.lexsort(keys)
    again = np.zeros(len(order), np.bool_)
    again[order[1:]] = np.logical_and.reduce([key[order[1:]] == key[order[:-1]] for key in keys])
    return hits.part(~again[len(seen) :])


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


def _around(times: NDArray[np.int64], most: NDArray[np.int64], ranges: Ranges) -> Ranges:
    """At most ``most`` places of each range, around the n-th place for a k-gram that occurs the n-th time."""
    last = np.maximum(ranges.stops - most, ranges.starts)
    starts = np.clip(ranges.starts + times - most // 2, ranges.starts, last)
    return Ranges(starts, np.minimum(starts + most, ranges.stops))


def _beside(ranges: Ranges, others: Ranges) -> tuple[Ranges, Ranges]:
    """The parts of each range that lie before and after another range."""
    before = np.minimum(ranges.stops, others.starts)
    after = np.maximum(ranges.starts, others.stops)
    return Ranges(ranges.starts, np.maximum(before, ranges.starts)), Ranges(after, np.maximum(ranges.stops, after))


def _any(marked: NDArray[np.bool_], firsts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which ranges hold something marked: bool."""
    before = np.concatenate([[0], np.cumsum(marked)])
    return np.asarray(before[ends] > before[firsts], np.bool_)


def _verbatim(found: FoundPostings, queries: _Queries) -> Ranges:
    """Of the places of some queries, those with the check of the query; places are sorted by hash and check."""
    hashes = found.postings["hash"]
    shapes = np.cumsum(np.diff(hashes, prepend=hashes[:1]) != 0).astype(np.uint64) << np.uint64(32)
    of_queries = shapes[found.ranges.starts[queries.numbers]]
    return found_among(shapes | found.postings["check"], of_queries | queries.checks)


def _hits(postings: NDArray[np.void], queries: NDArray[np.int64], ranges: Ranges) -> Hits:
    """One hit for each place in the range of each query, without the marks of crowds."""
    at = spread_out(*ranges)
    # Column by column: NumPy takes ten times as long for whole postings.
    contents, positions, checks = (postings[name][at] for name in ("content", "position", "check"))
    positions &= ~np.uint32(schema.CROWDED)
    return Hits(np.repeat(queries, ranges.stops - ranges.starts), contents, positions, checks)
