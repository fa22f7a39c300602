"""Which documents of a set share fingerprints: sort postings by hash, matches by pair, and rank the pairs by weight.

MOSS does the same (Schleimer, Wilkerson and Aiken 2003, section 5.2), and no step looks at every pair of documents.
Postings (hash, document) are sorted by hash, which brings equal hashes together; any two documents with one hash are a
match; matches are sorted by pair of documents and counted. This is done part by part, and pairs that share too little
are dropped at once, so memory never holds them or all matches. The work grows with postings and matches. A hash that
most documents have would make many matches; it is left out, as MOSS does: it is an idiom of the language or
boilerplate, and says little about any pair.

To a lesser degree the same is true below that limit, so pairs are not ranked by the bare number of shared hashes: a
hash that m documents have weighs 1 / (m − 1), and so 1 if only two have it, since it may stem from any of the other
m − 1 documents (``benchmarks/pairs.py`` compares both orders). MOSS ranks by the bare number, which can be asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.comparing.partitions import Partitions
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.model import U64
    from winnow_ci.model.comparison import PairLimits

POSTING = np.dtype([("hash", "<u8"), ("document", "<u4")])
# ``pair`` has both documents in one integer, the smaller number in the upper half, since integers sort fastest.
# ``others`` is how many documents besides the first have the hash.
MATCH = np.dtype([("pair", "<u8"), ("others", "<u4")])
# Weights are rounded, since sums of floats depend on the order of summation.
_DIGITS = 6
_LOWER = np.uint64(0xFFFFFFFF)


class DocumentPair(NamedTuple):
    """A pair of documents.

    Attributes:
        one, other: their numbers.
        shared: how many fingerprints both have, of those that count.
        weight: the sum over these; a fingerprint that m documents have weighs 1 / (m − 1).
    """

    one: int
    other: int
    shared: int
    weight: float


class PairRanking(NamedTuple):
    """The pairs that share most.

    Attributes:
        pairs: the first by ``PairLimits.rank``.
        found: how many pairs share enough.
        matches: how many matches there were: one per hash and pair of documents.
        left_out: how many hashes too many documents have.
    """

    pairs: tuple[DocumentPair, ...]
    found: int
    matches: int
    left_out: int


def postings(hashes: U64, document: int) -> NDArray[np.void]:
    """One document's postings: shape (n,), dtype ``POSTING``; ``hashes`` are uint64, shape (n,), each once."""
    rows = np.empty(len(hashes), POSTING)
    rows["hash"], rows["document"] = hashes, document
    return rows


def rank(parts: Iterable[NDArray[np.void]], limits: PairLimits, second_body: int | None = None) -> PairRanking:
    """Find the pairs of documents whose shared fingerprints weigh most.

    Args:
        parts: postings (``POSTING``); all of a hash are in one part, and there by rising document.
        limits: which hashes and pairs count.
        second_body: number of the first document of the second body; only pairs with a document of each body count.
            None if there is one body.
    """
    matches = left_out = 0
    with Partitions(MATCH) as by_pair:
        for part in parts:
            documents, groups, dropped = _shared(part, limits.most_documents)
            left_out += dropped
            for pairs in _pairs(documents, groups):
                wanted = pairs if second_body is None else pairs[_across(pairs["pair"], second_body)]
                by_pair.add(wanted, wanted["pair"] >> np.uint64(32))
                matches += len(wanted)
        best, found = _best(by_pair, limits)
    return PairRanking(best, found, matches, left_out)


def _shared(part: NDArray[np.void], most: int) -> tuple[NDArray[np.uint64], NDArray[np.int64], int]:
    """Documents with a hash that several have, but not too many; the group of each; how many hashes are left out."""
    ordered = part[np.argsort(part["hash"], kind="stable")]
    hashes = ordered["hash"]
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]])) if len(hashes) else np.empty(0, int)
    sizes = np.diff(starts, append=len(hashes))
    kept = np.repeat((sizes > 1) & (sizes <= most), sizes)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return ordered["document"][kept].astype(np.uint64), groups[kept], int(np.count_nonzero(sizes > most))


def _pairs(documents: NDArray[np.uint64], groups: NDArray[np.int64]) -> Iterator[NDArray[np.void]]:
    """All pairs of documents in a group: first those 1 apart, then 2 apart, and so on."""
    others = np.bincount(groups)[groups] - 1 if len(groups) else groups
    distance, one = 1, np.arange(len(documents))
    while True:
        one = one[one + distance < len(documents)]
        one = one[groups[one] == groups[one + distance]]
        if not len(one):
            return
        matches = np.empty(len(one), MATCH)
        matches["pair"] = documents[one] << np.uint64(32) | documents[one + distance]
        matches["others"] = others[one]
        yield matches
        distance += 1


def _across(pairs: NDArray[np.uint64], second_body: int) -> NDArray[np.bool_]:
    return np.asarray((pairs >> np.uint64(32) < second_body) & (pairs & _LOWER >= second_body), np.bool_)


def _best(matches: Partitions, limits: PairLimits) -> tuple[tuple[DocumentPair, ...], int]:
    """The first pairs by rank, and how many share enough."""
    found, best = 0, _Sums.of(np.empty(0, MATCH))
    for part in matches:
        sums = _Sums.of(part)
        enough = sums.where(sums.shared >= limits.least)
        found += len(enough.pairs)
        best = best.joined(enough)
        sizes = best.weights if limits.rank == "weight" else best.shared
        best = best.where(np.lexsort([best.pairs, -sizes])[: limits.top])
    one, other = best.pairs >> np.uint64(32), best.pairs & _LOWER
    return tuple(map(DocumentPair, one.tolist(), other.tolist(), best.shared.tolist(), best.weights.tolist())), found


class _Sums(NamedTuple):
    """Matches summed by pair: uint64, int64 and float64, one per pair."""

    pairs: NDArray[np.uint64]
    shared: NDArray[np.int64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, matches: NDArray[np.void]) -> _Sums:
        pairs, numbers, shared = np.unique(matches["pair"], return_inverse=True, return_counts=True)
        weights = np.bincount(numbers, 1 / matches["others"], len(pairs)).astype(np.float64)
        return cls(pairs, shared, weights.round(_DIGITS))

    def where(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> _Sums:
        return _Sums(self.pairs[chosen], self.shared[chosen], self.weights[chosen])

    def joined(self, more: _Sums) -> _Sums:
        return _Sums(
            np.concatenate([self.pairs, more.pairs]),
            np.concatenate([self.shared, more.shared]),
            np.concatenate([self.weights, more.weights]),
        )
