"""The blocks of a new index: runs of postings are merged, and their crowds thinned out (``schema``).

A run of postings is ordered by hash only. All runs advance together through the range of hashes, so memory holds a
part of each run and one part of the result, however many postings there are: a merge sort of external runs. Crowds are
found as the postings go by, and wait in a spool until all other blocks are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from winnow_ci.index import schema
from winnow_ci.index.coding import BlockLayout, pack_blocks, postings_in_order, ranks, runs
from winnow_ci.index.content_packs import Directory
from winnow_ci.index.journal import Journal
from winnow_ci.index.publishing import IndexTables
from winnow_ci.index.rows import ContentBatch, DigestedRow, shard_of_block
from winnow_ci.index.whole_index import WholeIndex
from winnow_ci.model import PHRASE, Progress
from winnow_ci.named_tuples import NamedTuple

# Postings merged at a time, or those of one block if it has more: as few as fit the processor's cache, but of many runs
# more, since each of them is asked for each range.
RANGE_POSTINGS = 1 << 15
POSTINGS_A_RUN = 1 << 8
MOST_RANGE_POSTINGS = 1 << 17
NONE = -(1 << 63)  # marks a content that is not wanted; no content has this id


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
        self.counts = {"crowded": 0}

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
        for part in merged(sources, bits):
            self.found += len(part.postings)
            kept, crowds, phrases, crowded = thinned_crowds(part.postings)
            self._crowds.put(verbatim(crowds))
            self._overflow.put(phrases)
            self.counts["crowded"] += crowded
            yield part._replace(postings=kept)

    def _cut(self, bits: int) -> Iterator[HashRange]:
        for part in merged(self._crowds.runs(), bits):
            is_kept = in_sample(part.postings)
            self._overflow.put(of_crowd(part.postings[~is_kept]))
            yield part._replace(postings=part.postings[is_kept])

    def _rows(self, ranges: Iterator[HashRange], bits: int, first: int, total: int) -> Iterator[DigestedRow]:
        for part in ranges:
            for number, packed in enumerate(part.blocks(bits, self._directory), part.first):
                row = first + number, packed
                yield DigestedRow(row, schema.block_digest(*row), shard_of_block(number, bits))
            if total:
                self._progress(part.end, total)

    def _overflow_rows(self) -> Iterator[DigestedRow]:
        bits = schema.block_bits(self._overflow.postings)
        number, rest = 0, np.empty(0, schema.POSTING)
        for part in merged(self._overflow.runs(), bits):
            rest = np.concatenate([rest, part.postings])
            is_last = part.end == 1 << bits
            while len(rest) >= schema.OVERFLOW_POSTINGS or (is_last and len(rest)):
                (packed,) = HashRange(0, 1, rest[: schema.OVERFLOW_POSTINGS]).blocks(0, self._directory)
                yield DigestedRow((number, packed), schema.overflow_digest(number, packed))
                number, rest = number + 1, rest[schema.OVERFLOW_POSTINGS :]


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


class HashRange(NamedTuple):
    """The postings of some blocks, of ``[first, end)``, in the order ``schema.ORDER``."""

    first: int
    end: int
    postings: NDArray[np.void]

    def edges(self, bits: int) -> NDArray[np.int64]:
        """Return where the postings of each of 2^bits blocks begin, and where the last ones end: int64."""
        numbers = schema.block_numbers(self.postings["hash"], bits)
        return np.searchsorted(numbers, np.arange(self.first, self.end + 1))

    def blocks(self, bits: int, directory: Directory) -> list[bytes]:
        """Return each block as stored."""
        layout = BlockLayout(bits, directory.place_bits)
        return pack_blocks(directory.placed(self.postings), self.edges(bits), layout)


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


class PostingSpool(Journal):
    """Postings that come in any order, and are given back as runs ordered by hash; most of many wait in a file."""

    postings = 0

    def put(self, postings: NDArray[np.void]) -> None:
        """Add postings."""
        if len(postings):
            self.add(ContentBatch((), postings))
            self.postings += len(postings)


def runs_of(index: WholeIndex) -> list[Iterator[NDArray[np.void]]]:
    """Return all postings of k-grams and phrases in an index, in runs ordered by hash: the overflow, too."""
    crowds = PostingSpool()
    for postings in index.all_blocks(index.crowd_blocks):
        crowds.put(of_crowd(postings))
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
