"""What an index has of what was asked: the places of k-grams and phrases, for several files in one pass over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.index import lookup
from winnow_ci.model import PHRASE, Hits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.index import IndexReader
    from winnow_ci.model import Fingerprints, Phrases


class Asked(NamedTuple):
    """The k-grams or phrases of a file; arrays with one element each.

    Attributes:
        hashes: uint64.
        checks: uint32; hashes of the verbatim k-grams.
        wanted: bool; which of them are looked up.
    """

    hashes: NDArray[np.uint64]
    checks: NDArray[np.uint32]
    wanted: NDArray[np.bool_]


class Answer(NamedTuple):
    """What an index has of them.

    Attributes:
        hits: where those stand that are asked for.
        boilerplate: bool, one a k-gram or phrase; which of them are boilerplate in this index.
    """

    hits: Hits
    boilerplate: NDArray[np.bool_]


def asked_kgrams(kgrams: Fingerprints, wanted: NDArray[np.bool_]) -> Asked:
    """Some of the k-grams of a file."""
    return Asked(kgrams.hashes, kgrams.checks, wanted)


def asked_phrases(phrases: Phrases) -> Asked:
    """Phrases, as they are looked up: all, and without a check."""
    return Asked(phrases.hashes, np.zeros(len(phrases), np.uint32), np.ones(len(phrases), np.bool_))


def answers(index: IndexReader, batch: Sequence[Asked]) -> list[Answer]:
    """Look up what is asked of each file of a batch.

    Raises:
        IndexFileError: the index is damaged.
    """
    asked = [np.flatnonzero(one.wanted) for one in batch]
    hashes = np.concatenate([one.hashes[own] for one, own in zip(batch, asked, strict=True)])
    checks = np.concatenate([one.checks[own] for one, own in zip(batch, asked, strict=True)])
    found = lookup(index, hashes, checks, np.repeat(np.arange(len(batch)), [*map(len, asked)]))
    edges = np.cumsum([0, *map(len, asked)])
    parts = np.searchsorted(found.hits.queries, edges)
    return [
        Answer(
            _part(found.hits, parts[n], parts[n + 1], asked[n], edges[n]),
            _marked(asked[n][found.boilerplate[edges[n] : edges[n + 1]]], len(one.hashes)),
        )
        for n, one in enumerate(batch)
    ]


def of_phrases(places: Hits) -> Hits:
    """Those places that are of phrases, with the numbers of their tokens."""
    found = kept(places, places.positions >= PHRASE)
    return Hits(found.queries, found.contents, found.positions - np.uint32(PHRASE), found.checks)


def kept(hits: Hits, which: NDArray[np.bool_]) -> Hits:
    """Some of the hits."""
    return Hits(hits.queries[which], hits.contents[which], hits.positions[which], hits.checks[which])


def _part(hits: Hits, start: int, end: int, asked: NDArray[np.int64], first: int) -> Hits:
    """The hits of one file of a batch, which asked for those k-grams, the first of them as that number."""
    part = slice(start, end)
    return Hits(asked[hits.queries[part] - first], hits.contents[part], hits.positions[part], hits.checks[part])


def _marked(numbers: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """True at these of so many places."""
    marks = np.zeros(count, np.bool_)
    marks[numbers] = True
    return marks
