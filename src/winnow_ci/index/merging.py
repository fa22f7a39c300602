"""The contents of a new index from a journal and old indexes; their postings merged block by block.

A run of postings is ordered by hash only. All runs advance together through the range of hashes, so memory holds a
part of each run and one part of the result, however many postings there are: a merge sort of external runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.index.journal import Journal
    from winnow_ci.index.reader import IndexReader
    from winnow_ci.index.rows import ContentRow

# Postings merged at a time, or those of one block if it has more.
RANGE_POSTINGS = 1 << 17


def merged(runs: Iterable[Iterator[NDArray[np.void]]], bits: int) -> Iterator[bytes]:
    """The blocks of an index, by number: ``1 << bits`` of them, each ordered by ``schema.ORDER``.

    Args:
        runs: each gives its postings part by part, ordered by hash, with the contents' final numbers.
        bits: how many upper bits of a hash name its block.
    """
    cursors = [_Cursor(run) for run in runs]
    first, step = 0, 1
    while first < 1 << bits:
        end = min(first + step, 1 << bits)
        parts = [part for cursor in cursors for part in cursor.below(end << (64 - bits))]
        postings = in_order(np.concatenate([np.empty(0, schema.POSTING), *parts]))
        numbers = schema.block_numbers(postings["hash"], bits)
        edges = np.searchsorted(numbers, np.arange(first, end + 1))
        for start, stop in pairwise(edges.tolist()):
            yield postings[start:stop].tobytes()
        # Minima of windows are small: the first blocks hold many times as much as the last.
        density = len(postings) // step + 1
        first, step = end, max(1, min(2 * step, RANGE_POSTINGS // density))


def renumbered(parts: Iterable[NDArray[np.void]], numbers: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """Postings with new content numbers, ``numbers[old]``; postings of a content whose new number is −1 are dropped."""
    for part in parts:
        contents = numbers[part["content"]]
        kept = part[contents >= 0]
        kept["content"] = contents[contents >= 0]
        yield kept


def in_order(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Order by ``schema.ORDER``.

    Most hashes differ, and ordering by one column is several times as fast as by four, so only ties are ordered again.
    """
    ordered = np.take(postings, np.argsort(postings["hash"]))
    same = np.zeros(len(ordered) + 1, np.bool_)
    np.equal(ordered["hash"][1:], ordered["hash"][:-1], out=same[1:-1])
    tied = np.flatnonzero(same[1:] | same[:-1])
    ties = ordered[tied]
    order = np.lexsort([_pairs(ties["content"], ties["position"]), _pairs(_ranks(ties), ties["check"])])
    ordered[tied] = np.take(ties, order)
    return ordered


def _ranks(ordered: NDArray[np.void]) -> NDArray[np.int64]:
    """Numbers from 0, rising with the hash."""
    return np.cumsum(np.diff(ordered["hash"], prepend=ordered["hash"][:1]) != 0)


def _pairs(upper: NDArray[Any], lower: NDArray[Any]) -> NDArray[np.uint64]:
    """Two 32-bit columns as one 64-bit column, which is faster to order by."""
    pairs: NDArray[np.uint64] = upper.astype(np.uint64) << np.uint64(32) | lower
    return pairs


@dataclass(frozen=True, slots=True)
class KeptIndex:
    """An open old index, and what it has that no old index before it has.

    Attributes:
        index: the index.
        contents: key → number of those contents in it.
        texts: key → number of those contents in it whose text it keeps.
    """

    index: IndexReader
    contents: dict[bytes, int]
    texts: dict[bytes, int]


@dataclass(frozen=True, slots=True)
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

    def blocks(self, keys: Sequence[bytes], bits: int, postings: int) -> Iterator[bytes]:
        """The blocks of an index of these contents, which have ``postings`` postings."""
        found = 0
        for block in merged(self._runs(keys), bits):
            found += len(block) // schema.POSTING.itemsize
            yield block
        if self.kept and found != postings:
            raise self._miscounted()

    def _runs(self, keys: Sequence[bytes]) -> list[Iterator[NDArray[np.void]]]:
        """Runs of the postings of these contents, each content numbered by the place of its key."""
        of_journal = np.full(len(self.journal.numbers), -1)
        of_kept = [np.full(old.index.contents, -1) for old in self.kept]
        for number, key in enumerate(keys):
            for old, numbers in zip(self.kept, of_kept, strict=True):
                if key in old.contents:
                    numbers[old.contents[key]] = number
                    break
            else:
                of_journal[self.journal.numbers[key]] = number
        runs = [renumbered(run, of_journal) for run in self.journal.runs()]
        return runs + [
            renumbered(old.index.all_postings(), numbers) for old, numbers in zip(self.kept, of_kept, strict=True)
        ]

    def _miscounted(self) -> IndexFileError:
        problem = "it does not have as many fingerprints as its contents say"
        if len(self.kept) == 1:
            return self.kept[0].index.damaged(problem)
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
