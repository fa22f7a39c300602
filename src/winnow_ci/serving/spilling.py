"""Sorting the postings of an index by their keyed hashes, in bounded memory.

Keyed hashes are spread evenly, so postings are dealt out to buckets by the upper bits, each a file, and each bucket is
sorted in memory: a distribution sort (Knuth, The Art of Computer Programming 3, 5.2.5) of one pass.
"""

from __future__ import annotations

import resource
import tempfile
from contextlib import ExitStack
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.serving.packing import POSTING, known_bits, lower_part

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from numpy.typing import NDArray
    from typing_extensions import Self

KEYED = np.dtype([("hash", "<u8"), ("content", "<i4"), ("position", "<u4"), ("check", "<u4")])
# On average a bucket has at most so many postings, and sorting it takes some 100 MB.
BUCKET_POSTINGS = 1 << 20
# Of the files that a process may have open, buckets take half. Where that is 1,024, buckets grow from 5 · 10^8 postings
# on (``ulimit -n`` allows more).
_SHARE_OF_FILES = 2
_MOST_BUCKET_BITS = 12
# Bytes that wait for each file.
_BUFFER = 1 << 14


class PostingBuckets:
    """Postings that come in any order, and leave as the blocks of their keyed hashes.

    Those of one hash must come in the order of check, content and position.

    Args:
        expected: about how many there will be.

    Attributes:
        postings: how many have come.
    """

    def __init__(self, expected: int) -> None:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] // _SHARE_OF_FILES
        self._bits = min((expected // BUCKET_POSTINGS).bit_length(), most.bit_length() - 1, _MOST_BUCKET_BITS)
        self._open = ExitStack()
        self._files = [
            self._open.enter_context(tempfile.TemporaryFile(buffering=_BUFFER))  # noqa: SIM115 - it does
            for _ in range(1 << self._bits)
        ]
        self.postings = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def add(self, postings: NDArray[np.void]) -> None:
        """Add postings (``KEYED``)."""
        buckets = schema.block_numbers(postings["hash"], self._bits)
        order = np.argsort(buckets, kind="stable")
        edges = np.searchsorted(buckets[order], np.arange(len(self._files) + 1))
        dealt = np.take(postings, order)
        for file, (start, stop) in zip(self._files, pairwise(edges.tolist()), strict=True):
            if stop > start:
                file.write(dealt[start:stop].data)
        self.postings += len(postings)

    def block_bits(self) -> int:
        """How many bits should name a block: as many as in a file."""
        return max(self._bits, schema.block_bits(self.postings))

    def blocks(self, bits: int) -> Iterator[bytes]:
        """The postings (``packing.POSTING``) of each of 2^bits blocks, by number; ``bits`` as ``block_bits`` says."""
        for number, file in enumerate(self._files):
            file.seek(0)
            bucket = _in_order(np.frombuffer(file.read(), KEYED), bits)
            first = number << (bits - self._bits)
            blocks = schema.block_numbers(bucket["hash"], bits)
            edges = np.searchsorted(blocks, np.arange(first, first + (1 << (bits - self._bits)) + 1))
            packed = _packed(bucket, bits)
            for start, stop in pairwise(edges.tolist()):
                yield packed[start:stop].tobytes()


def _in_order(postings: NDArray[np.void], bits: int) -> NDArray[np.void]:
    """Order postings by hash (as far as it is kept), check, content and position."""
    hashes = known_bits(postings["hash"], bits)
    order = np.argsort(hashes, kind="stable")
    ordered = np.take(postings, order)
    # Those of one hash are in order; those of two hashes that look the same once their lower bits are lost are not.
    lost = ordered["hash"][1:] != ordered["hash"][:-1]
    same = np.zeros(len(ordered) + 1, np.bool_)
    same[1:-1] = lost & (hashes[order][1:] == hashes[order][:-1])
    ordered["hash"] = hashes[order]
    if same.any():
        tied = np.isin(ordered["hash"], ordered["hash"][same[1:]])
        ties = ordered[tied]
        ordered[tied] = np.take(ties, np.lexsort([ties[name] for name in reversed(schema.ORDER)]))
    return ordered


def _packed(postings: NDArray[np.void], bits: int) -> NDArray[np.void]:
    packed = np.empty(len(postings), POSTING)
    for name in ("content", "position", "check"):
        packed[name] = postings[name]
    packed["hash"] = lower_part(postings["hash"], bits)
    return packed
