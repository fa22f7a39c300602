"""The blocks of a new index: those of all hashes, then those of crowds; and what no scan reads of these.

Crowds are found as the postings go by, and wait in a spool until all other blocks are written.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.crowds import PostingSpool, in_rows, least_of_each, thinned, unverbatim, verbatim
from winnow_ci.index.merging import merged
from winnow_ci.index.tables import DigestedRows, digested_row
from winnow_ci.index.tree import blocks_by_shard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.index.merging import DraftOrigin, HashRange
    from winnow_ci.index.tables import IndexTables


class BlockTable:
    """The tables ``block`` and ``overflow``, to be filled.

    Args:
        tables: where they are.
        progress: called after each range of blocks with the number of blocks done and of all blocks but crowds'.

    Attributes:
        counts: what ``meta`` says of them, once they are filled.
    """

    def __init__(self, tables: IndexTables, progress: Callable[[int, int], None]) -> None:
        self._tables = tables
        self._progress = progress
        self._crowds = PostingSpool()
        self._overflow = PostingSpool()
        self._found = 0
        self.counts = {"bits": 0, "crowd_bits": 0, "crowded": 0, "cut": 0}

    def fill(self, keys: Mapping[int, bytes], postings: int, origin: DraftOrigin) -> None:
        """Fill both tables.

        Args:
            keys: of the contents, by their ids.
            postings: how many fingerprints these have.
            origin: holds these.

        Raises:
            IndexFileError: an old index is damaged.
        """
        contents = {key: content for content, key in keys.items()}
        bits = schema.block_bits(postings + len(keys))
        runs = [*origin.runs(contents), iter([whole_files(keys)])]
        self._tables.add_digested("block", self._rows(self._thin(runs, bits), bits, 0, total=1 << bits))
        if self._found != postings + len(keys) and (error := origin.miscounted()):
            raise error
        crowd_bits = schema.block_bits(self._crowds.postings)
        crowds = self._rows(self._cut(crowd_bits), crowd_bits, 1 << bits, total=0)
        self._tables.add_digested("block", crowds, "crowd")
        self.counts |= {"bits": bits, "crowd_bits": crowd_bits, "cut": self._overflow.postings}
        self._tables.add_digested("overflow", self._overflow_rows())

    def _thin(self, runs: Iterable[Iterator[NDArray[np.void]]], bits: int) -> Iterator[HashRange]:
        """The postings of each range of hashes, without their crowds."""
        for part in merged(runs, bits):
            self._found += len(part.postings)
            kept, crowds, phrases, crowded = thinned(part.postings)
            self._crowds.add(verbatim(crowds))
            self._overflow.add(phrases)
            self.counts["crowded"] += crowded
            yield part._replace(postings=kept)

    def _cut(self, bits: int) -> Iterator[HashRange]:
        """The postings of crowds of each range of hashes."""
        for part in merged(self._crowds.runs(), bits):
            is_kept = least_of_each(part.postings)
            self._overflow.add(unverbatim(part.postings[~is_kept]))
            yield part._replace(postings=part.postings[is_kept])

    def _rows(self, ranges: Iterator[HashRange], bits: int, first: int, total: int) -> Iterator[DigestedRows]:
        for part in ranges:
            blocks = part.blocks(bits)
            for shard, numbers in blocks_by_shard(part.first, part.end, bits):
                some = enumerate(islice(blocks, len(numbers)), first + numbers.start)
                rows = [(block, postings, schema.block_digest(block, postings)) for block, postings in some]
                yield DigestedRows(shard, rows, b"".join([digest for _, _, digest in rows]))
            if total:
                self._progress(part.end, total)

    def _overflow_rows(self) -> Iterator[DigestedRows]:
        bits = schema.block_bits(self._overflow.postings)
        parts = (part.postings for part in merged(self._overflow.runs(), bits))
        for row in enumerate(in_rows(parts)):
            yield digested_row(row, schema.overflow_digest(*row), 0)


def whole_files(keys: Mapping[int, bytes]) -> NDArray[np.void]:
    """The postings of whole files, ordered by hash, given the keys of contents by their ids."""
    postings = np.empty(len(keys), schema.POSTING)
    postings["content"] = np.fromiter(keys, np.int64, len(keys))
    hashes, checks = zip(*map(schema.whole_file, keys.values()), strict=True) if keys else ((), ())
    postings["hash"], postings["check"] = np.array(hashes, np.uint64), np.array(checks, np.uint32)
    postings["position"] = schema.WHOLE
    return np.take(postings, np.argsort(postings["hash"]))
