"""The blocks of a new index: runs of postings are merged, and their crowds thinned out (``schema``).

A run of postings is ordered by hash only. All runs advance together through the range of hashes, so memory holds a
part of each run and one part of the result, however many postings there are: a merge sort of external runs. Crowds are
found as the postings go by, and wait in a spool until all other blocks are written.
"""

from __future__ import annotations

import os
import weakref
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.coding import BlockLayout, pack_blocks, postings_in_order, ranks, runs
from winnow_ci.index.journal import read_at, temporary_file, write_at
from winnow_ci.index.rows import DigestedRows, blocks_by_shard, digested_row
from winnow_ci.model import PHRASE
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.index.content_packs import Directory
    from winnow_ci.index.publishing import IndexTables
    from winnow_ci.index.whole_index import WholeIndex
    from winnow_ci.model import Progress

# Postings merged at a time, or those of one block if it has more: as few as fit the processor's cache, but of many runs
# more, since each of them is asked for each range.
RANGE_POSTINGS = 1 << 15
POSTINGS_A_RUN = 1 << 8
MOST_RANGE_POSTINGS = 1 << 17
# Postings that a spool holds in memory, and reads at a time from each run.
SPOOLED = 1 << 20
SPOOL_READ = 1 << 14
# Marks a content that is not wanted; no content has this id.
NONE = -(1 << 63)


class BlockTable:
    """The tables ``block`` and ``overflow``, to be filled, given where contents are.

    ``progress`` is called after each range of blocks with the number of blocks done and of all blocks but crowds'.
    """

    def __init__(self, tables: IndexTables, directory: Directory, progress: Progress) -> None:
        self._tables = tables
        self._directory = directory
        self._progress = progress
        self._crowds = PostingSpool()
        self._overflow = PostingSpool()
        # Known once the tables are filled: how many fingerprints there were, and what ``meta`` says of them.
        self.found = 0
        self.counts = {"bits": 0, "crowd_bits": 0, "crowded": 0, "cut": 0}

    def fill(self, sources: Iterable[Iterator[NDArray[np.void]]], keys: Mapping[int, bytes], postings: int) -> None:
        """Fill both tables with runs of postings, given the keys of contents by id, and how many postings there are."""
        bits = schema.block_bits(postings + len(keys))
        thin = self._thin([*sources, iter([whole_files(keys)])], bits)
        self._tables.add_digested("block", self._rows(thin, bits, 0, total=1 << bits))
        self.found -= len(keys)
        crowd_bits = schema.block_bits(self._crowds.postings)
        crowds = self._rows(self._cut(crowd_bits), crowd_bits, 1 << bits, total=0)
        self._tables.add_digested("block", crowds, "crowd")
        self.counts |= {"bits": bits, "crowd_bits": crowd_bits, "cut": self._overflow.postings}
        self._tables.add_digested("overflow", self._overflow_rows())

    def _thin(self, sources: Iterable[Iterator[NDArray[np.void]]], bits: int) -> Iterator[HashRange]:
        """Yield the postings of each range of hashes, without their crowds."""
        for part in merged(sources, bits):
            self.found += len(part.postings)
            kept, crowds, phrases, crowded = thinned_crowds(part.postings)
            self._crowds.add(verbatim(crowds))
            self._overflow.add(phrases)
            self.counts["crowded"] += crowded
            yield part._replace(postings=kept)

    def _cut(self, bits: int) -> Iterator[HashRange]:
        """Yield the postings of crowds of each range of hashes."""
        for part in merged(self._crowds.runs(), bits):
            is_kept = in_sample(part.postings)
            self._overflow.add(of_crowd(part.postings[~is_kept]))
            yield part._replace(postings=part.postings[is_kept])

    def _rows(self, ranges: Iterator[HashRange], bits: int, first: int, total: int) -> Iterator[DigestedRows]:
        for part in ranges:
            blocks = iter(part.blocks(bits, self._directory))
            for shard, numbers in blocks_by_shard(part.first, part.end, bits):
                some = enumerate(islice(blocks, len(numbers)), first + numbers.start)
                rows = [(block, packed, schema.block_digest(block, packed)) for block, packed in some]
                yield DigestedRows(shard, rows, b"".join([digest for _, _, digest in rows]))
            if total:
                self._progress(part.end, total)

    def _overflow_rows(self) -> Iterator[DigestedRows]:
        bits = schema.block_bits(self._overflow.postings)
        number, rest = 0, np.empty(0, schema.POSTING)
        for part in merged(self._overflow.runs(), bits):
            rest = np.concatenate([rest, part.postings])
            is_last = part.end == 1 << bits
            while len(rest) >= schema.OVERFLOW_POSTINGS or (is_last and len(rest)):
                yield self._overflow_row(number, rest[: schema.OVERFLOW_POSTINGS])
                number, rest = number + 1, rest[schema.OVERFLOW_POSTINGS :]

    def _overflow_row(self, number: int, postings: NDArray[np.void]) -> DigestedRows:
        placed, edges = self._directory.placed(postings), np.array([0, len(postings)])
        (packed,) = pack_blocks(placed, edges, BlockLayout(0, self._directory.place_bits))
        return digested_row((number, packed), schema.overflow_digest(number, packed), 0)


def whole_files(keys: Mapping[int, bytes]) -> NDArray[np.void]:
    """Return the postings of whole files, ordered by hash, given the keys of contents by their ids."""
    postings = np.empty(len(keys), schema.POSTING)
    postings["content"] = np.fromiter(keys, np.int64, len(keys))
    hashes, checks = zip(*map(schema.whole_file_posting, keys.values()), strict=True) if keys else ((), ())
    postings["hash"], postings["check"] = np.array(hashes, np.uint64), np.array(checks, np.uint32)
    postings["position"] = schema.WHOLE
    return np.take(postings, np.argsort(postings["hash"]))


class ThinnedCrowds(NamedTuple):
    """Postings that stay in their blocks, and those of crowds; all in the order in which they were given."""

    kept: NDArray[np.void]  # what stays; of a crowd a sample, marked with ``schema.CROWDED``
    crowds: NDArray[np.void]  # all k-grams of crowds, unmarked
    phrases: NDArray[np.void]  # all phrases of crowds, unmarked
    crowded: int  # number of hashes that are crowds


def thinned_crowds(postings: NDArray[np.void]) -> ThinnedCrowds:
    """Thin the crowds out of postings that are ordered by hash, with all places of each of their hashes."""
    _, lengths = runs(postings["hash"])
    is_crowd = lengths > schema.CROWD
    if not is_crowd.any():
        return ThinnedCrowds(postings, postings[:0], postings[:0], 0)
    inside = np.repeat(is_crowd, lengths)
    of_crowds = postings[inside]
    is_kept = ~inside
    is_kept[inside] = in_sample(of_crowds)
    kept = postings[is_kept]
    kept["position"][inside[is_kept]] += schema.CROWDED
    is_phrase = of_crowds["position"] >= PHRASE
    return ThinnedCrowds(kept, of_crowds[~is_phrase], of_crowds[is_phrase], int(is_crowd.sum()))


def in_sample(postings: NDArray[np.void]) -> NDArray[np.bool_]:
    """Return which postings, ordered by hash, are among the first ``schema.CROWD`` of their hash: bool.

    The first place of each content comes first, by the ids of the contents, which are as good as random; then the
    second one of each, and so on: places of many contents say more than many places of one.
    """
    hashes, contents, positions, checks = (postings[name] for name in ("hash", "content", "position", "check"))
    nth = np.empty(len(postings), np.int64)
    order = np.lexsort((checks, positions, contents, hashes))
    nth[order] = ranks(hashes[order], contents[order])
    order = np.lexsort((checks, positions, contents, nth, hashes))
    chosen = np.zeros(len(postings), np.bool_)
    chosen[order] = ranks(hashes[order]) < schema.CROWD
    return chosen


# ---- merging ---------------------------------------------------------------------------------------------------


class HashRange(NamedTuple):
    """The postings of some blocks, of ``[first, end)``, in the order ``schema.ORDER``."""

    first: int
    end: int
    postings: NDArray[np.void]

    def blocks(self, bits: int, directory: Directory) -> list[bytes]:
        """Return each block as stored."""
        numbers = schema.block_numbers(self.postings["hash"], bits)
        edges = np.searchsorted(numbers, np.arange(self.first, self.end + 1))
        return pack_blocks(directory.placed(self.postings), edges, BlockLayout(bits, directory.place_bits))


def merged(sources: Iterable[Iterator[NDArray[np.void]]], bits: int) -> Iterator[HashRange]:
    """Yield all postings of some runs, each ordered by hash, range by range: together, all ``1 << bits`` blocks."""
    cursors = [_Cursor(run) for run in sources]
    size = min(MOST_RANGE_POSTINGS, max(RANGE_POSTINGS, POSTINGS_A_RUN * len(cursors)))
    first, step = 0, 1
    while first < 1 << bits:
        end = min(first + step, 1 << bits)
        parts = [part for cursor in cursors for part in cursor.below(end << (64 - bits))]
        postings = postings_in_order(np.concatenate([np.empty(0, schema.POSTING), *parts]))
        yield HashRange(first, end, postings)
        density = len(postings) // step + 1
        first, step = end, max(1, min(2 * step, size // density))


class _Cursor:
    """A position in a run."""

    def __init__(self, parts: Iterator[NDArray[np.void]]) -> None:
        self._parts = parts
        self._rest = np.empty(0, schema.POSTING)

    def below(self, bound: int) -> Iterator[NDArray[np.void]]:
        """Advance over the postings whose hash is less than a bound (at most 2^64), and yield them."""
        while True:
            cut = int(np.searchsorted(self._rest["hash"], np.uint64(bound - 1), "right"))
            yield self._rest[:cut]
            self._rest = self._rest[cut:]
            if len(self._rest):
                return
            following = next(self._parts, None)
            if following is None:
                return
            self._rest = following


class PostingSpool:
    """Postings that come in any order, and are given back as runs ordered by hash; most of many wait in a file."""

    def __init__(self) -> None:
        self._waiting: list[NDArray[np.void]] = []
        self._in_memory = 0
        self._file: int | None = None
        self._runs: list[tuple[int, int]] = []
        self.postings = 0

    def add(self, postings: NDArray[np.void]) -> None:
        """Add postings."""
        self._waiting.append(postings)
        self._in_memory += len(postings)
        self.postings += len(postings)
        if self._in_memory >= SPOOLED:
            self._flush()

    def runs(self) -> list[Iterator[NDArray[np.void]]]:
        """Return all postings, in runs that are ordered by hash, part by part."""
        return [iter([self._run()]), *(self._parts(start, count) for start, count in self._runs)]

    def _run(self) -> NDArray[np.void]:
        """Return what waits in memory, ordered by hash."""
        run = np.concatenate([np.empty(0, schema.POSTING), *self._waiting])
        return np.take(run, np.argsort(run["hash"]))

    def _flush(self) -> None:
        if self._file is None:
            self._file = temporary_file()
            weakref.finalize(self, os.close, self._file)
        run = self._run()
        start = os.lseek(self._file, 0, os.SEEK_END)
        write_at(self._file, start, [run.view(np.uint8).data])
        self._runs.append((start, len(run)))
        self._waiting, self._in_memory = [], 0

    def _parts(self, start: int, count: int) -> Iterator[NDArray[np.void]]:
        width, file = schema.POSTING.itemsize, self._file
        assert file is not None
        for first in range(0, count, SPOOL_READ):
            size = min(SPOOL_READ, count - first) * width
            yield np.frombuffer(read_at(file, start + first * width, size), schema.POSTING)


def runs_of(index: WholeIndex) -> list[Iterator[NDArray[np.void]]]:
    """Return all postings of k-grams and phrases in an index, in runs ordered by hash: the overflow, too."""
    crowds = PostingSpool()
    for postings in index.all_blocks(index.crowd_blocks):
        crowds.add(of_crowd(postings))
    return [map(_apart, index.all_blocks(index.blocks)), *crowds.runs(), index.overflow()]


def _apart(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Return postings that are neither of a crowd, which stand elsewhere, nor of whole files."""
    marks = postings["position"] & (schema.CROWDED | schema.WHOLE)
    return postings[marks < schema.WHOLE]


def verbatim(crowds: NDArray[np.void]) -> NDArray[np.void]:
    """Return postings of crowds under the hashes of their texts."""
    changed = crowds.copy()
    changed["hash"] = schema.verbatim_hash(crowds["hash"], crowds["check"])
    return changed


def of_crowd(postings: NDArray[np.void]) -> NDArray[np.void]:
    """Undo ``verbatim``."""
    changed = postings.copy()
    changed["hash"] = schema.crowd_hash(postings["hash"], postings["check"])
    return changed


def with_ids(parts: Iterable[NDArray[np.void]], ids: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """Replace numbers from 0 by the ids of contents (int64, one each); drop the postings of an id of ``NONE``."""
    for part in parts:
        contents = ids[part["content"]]
        kept = part[contents != NONE]
        kept["content"] = contents[contents != NONE]
        yield kept
