"""The contents of a new index from a journal and old indexes; their postings merged block by block.

A run of postings is ordered by hash only. All runs advance together through the range of hashes, so memory holds a
part of each run and one part of the result, however many postings there are: a merge sort of external runs.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.index.crowds import PostingSpool, unverbatim
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.native import kernel
from winnow_ci.start_up import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index.journal import Journal
    from winnow_ci.index.rows import ContentRow
    from winnow_ci.index.whole_index import WholeIndex

# Postings merged at a time, or those of one block if it has more: as few as fit the processor's cache, but of many runs
# more, since each of them is asked for each range.
RANGE_POSTINGS = 1 << 15
POSTINGS_A_RUN = 1 << 8
MOST_RANGE_POSTINGS = 1 << 17
# Marks a content that is not wanted; no content has this id.
NONE = -(1 << 63)


class HashRange(NamedTuple):
    """The postings of some blocks, of ``[first, end)``, in the order ``schema.ORDER``."""

    first: int
    end: int
    postings: NDArray[np.void]

    def blocks(self, bits: int) -> Iterator[bytes]:
        """The postings of each block."""
        numbers = schema.block_numbers(self.postings["hash"], bits)
        edges = np.searchsorted(numbers, np.arange(self.first, self.end + 1)) * schema.POSTING.itemsize
        # Of bytes, a part costs a fifth of what one of an array does.
        data = self.postings.tobytes()
        for start, stop in pairwise(edges.tolist()):
            yield data[start:stop]


def merged(runs: Iterable[Iterator[NDArray[np.void]]], bits: int) -> Iterator[HashRange]:
    """All postings of some runs, range by range: together, all ``1 << bits`` blocks of an index.

    Args:
        runs: each gives its postings part by part, ordered by hash.
        bits: how many upper bits of a hash name its block.
    """
    cursors = [_Cursor(run) for run in runs]
    size = min(MOST_RANGE_POSTINGS, max(RANGE_POSTINGS, POSTINGS_A_RUN * len(cursors)))
    first, step = 0, 1
    while first < 1 << bits:
        end = min(first + step, 1 << bits)
        parts = [part for cursor in cursors for part in cursor.below(end << (64 - bits))]
        postings = in_order(np.concatenate([np.empty(0, schema.POSTING), *parts]))
        yield HashRange(first, end, postings)
        density = len(postings) // step + 1
        first, step = end, max(1, min(2 * step, size // density))


def runs_of(index: WholeIndex) -> list[Iterator[NDArray[np.void]]]:
    """All postings of k-grams and phrases in an index, in runs ordered by hash: those that no scan reads, too.

    Raises:
        IndexFileError: the index is damaged.
    """
    return [map(_apart, index.all_blocks()), *_crowds(index), index.overflow()]


def _apart(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Postings that are neither of a crowd, which stand elsewhere, nor of whole files."""
    marks = postings["position"] & (schema.CROWDED | schema.WHOLE)
    return postings[marks < schema.WHOLE]


def _crowds(index: WholeIndex) -> list[Iterator[NDArray[np.void]]]:
    """The postings in the blocks of crowds, in runs ordered by the hashes of the crowds."""
    spool = PostingSpool()
    for postings in index.all_blocks(crowds=True):
        spool.add(unverbatim(postings))
    return spool.runs()


def renumbered(parts: Iterable[NDArray[np.void]], ids: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """Postings whose contents are numbered from 0 with the ids of the contents; those of an id of ``NONE`` are dropped.

    Args:
        parts: postings.
        ids: int64, one a content.
    """
    for part in parts:
        contents = ids[part["content"]]
        kept = part[contents != NONE]
        kept["content"] = contents[contents != NONE]
        yield kept


def without(parts: Iterable[NDArray[np.void]], ids: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """Postings without those of some contents, given by their ids, sorted."""
    for part in parts:
        yield part[~among(part["content"], ids)]


def in_order(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Order by ``schema.ORDER``.

    Most hashes differ, and ordering by one column is several times as fast as by four, so only ties are ordered again.
    """
    if native := kernel():
        return np.asarray(native.postings_in_order(postings.view(np.uint8)).view(schema.POSTING))
    ordered = np.take(postings, np.argsort(postings["hash"]))
    same = np.zeros(len(ordered) + 1, np.bool_)
    np.equal(ordered["hash"][1:], ordered["hash"][:-1], out=same[1:-1])
    tied = np.flatnonzero(same[1:] | same[:-1])
    ties = ordered[tied]
    order = np.lexsort([ties["position"], ties["content"], _pairs(_ranks(ties), ties["check"])])
    ordered[tied] = np.take(ties, order)
    return ordered


def _ranks(ordered: NDArray[np.void]) -> NDArray[np.int64]:
    """Numbers from 0, rising with the hash."""
    return np.cumsum(np.diff(ordered["hash"], prepend=ordered["hash"][:1]) != 0)


def _pairs(upper: NDArray[Any], lower: NDArray[Any]) -> NDArray[np.uint64]:
    """Two 32-bit columns as one 64-bit column, which is faster to order by."""
    pairs: NDArray[np.uint64] = upper.astype(np.uint64) << np.uint64(32) | lower
    return pairs


@record(frozen=True, slots=True)
class KeptIndex:
    """An open old index, and what it has that no old index before it has.

    Attributes:
        index: the index.
        contents: key → id of those contents in it.
        texts: key → id of those contents in it whose text it keeps.
    """

    index: WholeIndex
    contents: dict[bytes, int]
    texts: dict[bytes, int]


@record(frozen=True, slots=True)
class DraftOrigin:
    """Where a draft has its contents.

    Attributes:
        journal: new contents, all of them flushed.
        kept: old indexes; a content or text of one key is taken from one of them only.
    """

    journal: Journal
    kept: Sequence[KeptIndex]

    def row(self, key: bytes) -> ContentRow:
        """The row of a content, without its files."""
        for old in self.kept:
            if key in old.contents:
                return old.index.content(old.contents[key])
        return self.journal.content(self.journal.numbers[key])

    def text(self, key: bytes) -> schema.PackedText:
        """The text of a content, which must be in one of them.

        Raises:
            IndexFileError: an old index says that it has the text, and has not.
        """
        for old in self.kept:
            if key in old.texts:
                text = old.index.packed_text(old.texts[key])
                if text is None:
                    raise old.index.damaged(f"text of content {old.texts[key]}")
                return text
        return self.journal.packed_text(key)

    def runs(self, contents: Mapping[bytes, int]) -> list[Iterator[NDArray[np.void]]]:
        """Runs of the postings of these contents, given by key and id, without those of their whole files."""
        of_journal = np.full(len(self.journal.numbers), NONE)
        for key, number in self.journal.numbers.items():
            if key in contents and not any(key in old.contents for old in self.kept):
                of_journal[number] = contents[key]
        runs = [renumbered(run, of_journal) for run in self.journal.runs()]
        for old in self.kept:
            # What was there before and is not taken from here.
            dropped = set(old.index.content_ids().tolist()).difference(
                content for key, content in old.contents.items() if key in contents
            )
            runs += [without(run, np.array(sorted(dropped), np.int64)) for run in runs_of(old.index)]
        return runs

    def miscounted(self) -> IndexFileError | None:
        """The error to raise if there are not as many postings as the contents say; None without old indexes."""
        problem = "it does not have as many fingerprints as its contents say"
        if len(self.kept) == 1:
            return self.kept[0].index.damaged(problem)
        if not self.kept:
            return None
        msg = f"one of these indexes is damaged: {', '.join(str(old.index.path) for old in self.kept)}: {problem}"
        return IndexFileError(msg, "find out which: winnow-ci index verify INDEX")


class _Cursor:
    """A position in a run."""

    def __init__(self, parts: Iterator[NDArray[np.void]]) -> None:
        self._parts = parts
        self._rest = np.empty(0, schema.POSTING)

    def below(self, bound: int) -> Iterator[NDArray[np.void]]:
        """Advance over the postings whose hash is less than a bound (at most 2^64), and yield them."""
        while True:
            last = bound - 1
            cut = int(np.searchsorted(self._rest["hash"], np.uint64(last), "right"))
            yield self._rest[:cut]
            self._rest = self._rest[cut:]
            if len(self._rest):
                return
            following = next(self._parts, None)
            if following is None:
                return
            self._rest = following
