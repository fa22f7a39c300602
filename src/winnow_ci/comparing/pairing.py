"""Find the pairs of documents that share most fingerprints, as MOSS does, without looking at every pair.

Schleimer, Wilkerson and Aiken 2003, section 5.2: sorting postings (hash, document) by hash brings equal hashes
together; any two documents with one hash are a match; matches are sorted by pair of documents and counted. This is done
part by part, so memory never holds all pairs or all matches. A hash of too many documents is left out, as in MOSS.

A hash that m documents have weighs 1 / (m − 1), since it may come from any of the other m − 1 documents, and pairs are
ranked by weight (``benchmarks/pairs.py``). MOSS ranks by the number of shared hashes (``--rank count``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import U64
    from winnow_ci.model.comparison import PairLimits

HASH_POSTING = np.dtype([("hash", "<u8"), ("document", "<u4")])
# ``pair`` has both documents in one integer, the smaller number in the upper half, since integers sort fastest.
# ``others`` is how many documents besides the first have the hash.
MATCH = np.dtype([("pair", "<u8"), ("others", "<u4")])
_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
# Weights are rounded, since sums of floats depend on the order of summation.
_DIGITS = 6

PARTITIONS = 64
# For all parts together; a part moves to a file when it has used up its share.
MEMORY_BYTES = 64 << 20
_BUFFERED_ROWS = 1 << 16


class Partitions(ExitStack):
    """Rows of one dtype, split into parts by a number; a part with many rows goes to a temporary file.

    Each part can be sorted by itself, and memory holds one at a time. Rows with the same number keep their order.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        super().__init__()
        self._dtype = dtype
        self._buffer: list[tuple[NDArray[np.uint8], NDArray[Any]]] = []
        self._buffered = 0
        files = (SpooledTemporaryFile(MEMORY_BYTES // PARTITIONS) for _ in range(PARTITIONS))  # noqa: SIM115
        self._files = [self.enter_context(file) for file in files]

    def add(self, rows: NDArray[Any], numbers: NDArray[Any]) -> None:
        """Add rows; the lower bits of their (unsigned) numbers choose the parts."""
        self._buffer.append(((numbers % numbers.dtype.type(PARTITIONS)).astype(np.uint8), rows))
        self._buffered += len(rows)
        if self._buffered >= _BUFFERED_ROWS:
            self._flush()

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield the rows of each part."""
        self._flush()
        for file in self._files:
            file.seek(0)
            yield np.frombuffer(file.read(), self._dtype)

    def _flush(self) -> None:
        if not self._buffer:
            return
        parts, rows = (np.concatenate(column) for column in zip(*self._buffer, strict=True))
        self._buffer, self._buffered = [], 0
        order = np.argsort(parts, kind="stable")
        rows, edges = rows[order], np.searchsorted(parts[order], np.arange(PARTITIONS + 1))
        for file, (start, end) in zip(self._files, pairwise(edges.tolist()), strict=True):
            file.write(rows[start:end].tobytes())


class DocumentPair(NamedTuple):
    """Two documents, by number, that share fingerprints."""

    one: int
    other: int
    shared: int  # how many fingerprints both have, of those that count
    weight: float  # the sum over these


class PairRanking(NamedTuple):
    """The pairs that share most."""

    pairs: tuple[DocumentPair, ...]  # the first by ``PairLimits.rank``
    found: int  # how many pairs share enough
    matches: int  # one for each hash and pair of documents
    left_out: int  # hashes that too many documents have


def postings(hashes: U64, document: int) -> NDArray[np.void]:
    """Make one document's postings (``HASH_POSTING``) from its hashes, each once."""
    rows = np.empty(len(hashes), HASH_POSTING)
    rows["hash"], rows["document"] = hashes, document
    return rows


def rank(parts: Iterable[NDArray[np.void]], limits: PairLimits, second_body: int | None = None) -> PairRanking:
    """Find the pairs of documents whose shared fingerprints weigh most.

    All postings (``HASH_POSTING``) of a hash are in one part, and there by rising document. With a ``second_body``, the
    number of its first document, only pairs with a document of each body count.
    """
    matches = left_out = 0
    with Partitions(MATCH) as by_pair:
        for part in parts:
            documents, groups, dropped = _shared(part, limits.most_documents)
            left_out += dropped
            for pairs in _pairs(documents, groups):
                one, other = pairs["pair"] >> _HALF, pairs["pair"] & _LOWER
                wanted = slice(None) if second_body is None else (one < second_body) & (other >= second_body)
                by_pair.add(pairs[wanted], one[wanted])
                matches += len(one[wanted])
        best, found = _best(by_pair, limits)
    return PairRanking(best, found, matches, left_out)


def _shared(part: NDArray[np.void], most: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Return documents with a hash that 2 to ``most`` have, the group of each, and how many hashes more have."""
    ordered = part[np.argsort(part["hash"], kind="stable")]
    _, groups, sizes = np.unique(ordered["hash"], return_inverse=True, return_counts=True)
    kept = ((sizes > 1) & (sizes <= most))[groups]
    return ordered["document"][kept].astype(np.uint64), groups[kept], int(np.count_nonzero(sizes > most))


def _pairs(documents: NDArray[np.uint64], groups: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """Yield all pairs of documents in a group: first those 1 apart, then 2 apart, and so on."""
    others = np.bincount(groups)[groups] - 1 if len(groups) else groups
    distance, one = 1, np.arange(len(documents))
    while True:
        one = one[one + distance < len(documents)]
        one = one[groups[one] == groups[one + distance]]
        if not len(one):
            return
        matches = np.empty(len(one), MATCH)
        matches["pair"] = documents[one] << _HALF | documents[one + distance]
        matches["others"] = others[one]
        yield matches
        distance += 1


def _best(parts: Iterable[NDArray[np.void]], limits: PairLimits) -> tuple[tuple[DocumentPair, ...], int]:
    """Return the first pairs by rank, and how many share enough."""
    found, best = 0, _sums(np.empty(0, MATCH))
    for part in parts:
        sums = _sums(part)
        enough = sums[sums["shared"] >= limits.least]
        found += len(enough)
        best = np.concatenate([best, enough])
        size = best["weight"] if limits.rank == "weight" else best["shared"]
        best = best[np.lexsort([best["pair"], -size])[: limits.top]]
    columns = best["pair"] >> _HALF, best["pair"] & _LOWER, best["shared"], best["weight"]
    return tuple(map(DocumentPair, *(column.tolist() for column in columns))), found


def _sums(matches: NDArray[np.void]) -> NDArray[np.void]:
    pairs, numbers, shared = np.unique(matches["pair"], return_inverse=True, return_counts=True)
    sums = np.empty(len(pairs), np.dtype([("pair", "<u8"), ("shared", "<i8"), ("weight", "<f8")]))
    sums["pair"], sums["shared"] = pairs, shared
    sums["weight"] = np.bincount(numbers, 1 / matches["others"], len(pairs)).round(_DIGITS)
    return sums
