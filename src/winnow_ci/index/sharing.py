"""The k-grams that most sources share: block by block, so that memory holds a part of the postings.

A k-gram counts once for a content, however often it stands there, and once for a source, however many of its contents
have it; versions of one project are one source here. Blocks are ordered by hash, so all places of a k-gram come
together.
"""

from __future__ import annotations

import heapq
from array import array
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.index.reader import BLOCKS_A_QUERY
from winnow_ci.index.versions import told
from winnow_ci.model import PHRASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.index.reader import IndexReader


class SharedKgram(NamedTuple):
    """A k-gram that several contents have.

    Attributes:
        sources: how many sources have it.
        contents: how many contents have it.
        hash: as it is stored.
        content: number of one of those that have it in the form that most places have, if possible one with text.
        position: number of its first token there.
    """

    sources: int
    contents: int
    hash: int
    content: int
    position: int


class Owners(NamedTuple):
    """The sources of each content.

    Attributes:
        ends: int64, shape (contents,); where those of a content end in ``sources``.
        counts: int64, shape (contents,); how many they are.
        sources: int64; ids, those of one content behind one another; of versions of a project the least one.
        kept: bool, shape (contents,); whether one of them keeps the text.
    """

    ends: NDArray[np.int64]
    counts: NDArray[np.int64]
    sources: NDArray[np.int64]
    kept: NDArray[np.bool_]


def owners(index: IndexReader) -> Owners:
    """Who has which content.

    Raises:
        IndexFileError: the index is damaged.
    """
    first: dict[str, int] = {}
    projects = [first.setdefault(told(source).name, number) for number, source in enumerate(index.sources)]
    counts, kept = np.zeros(index.contents, np.int64), np.zeros(index.contents, np.bool_)
    sources = array("q")
    for number in range(index.contents):
        versions = {file.source for file in index.content(number).files}
        ids = sorted({projects[source] for source in versions})
        counts[number] = len(ids)
        kept[number] = not index.with_text.isdisjoint(versions)
        sources.extend(ids)
    return Owners(np.cumsum(counts), counts, np.array(sources, np.int64), kept)


def most_shared(
    index: IndexReader,
    known: Owners,
    most: int,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> list[SharedKgram]:
    """The k-grams that most sources have, and of those the ones that most contents have; only what two contents have.

    Args:
        index: the index.
        known: who has which content.
        most: how many at most.
        progress: is called with the blocks done and the number of all blocks.

    Raises:
        IndexFileError: the index is damaged.
    """
    best: list[SharedKgram] = []
    blocks = 1 << index.bits
    for first in range(0, blocks, BLOCKS_A_QUERY):
        end = min(first + BLOCKS_A_QUERY, blocks)
        postings = index.blocks(range(first, end))
        if (postings["content"] >= index.contents).any():
            raise index.damaged("a block holds postings that cannot be")
        # That everybody has boilerplate is known.
        postings = postings[(postings["content"] >= index.boilerplate) & (postings["position"] < PHRASE)]
        best = heapq.nsmallest(most, [*best, *_shared(postings, known, most)], key=_rank)
        progress(end, blocks)
    return best


def _rank(kgram: SharedKgram) -> tuple[int, int, int]:
    return -kgram.sources, -kgram.contents, kgram.hash


def _shared(postings: NDArray[np.void], known: Owners, most: int) -> Iterator[SharedKgram]:
    """The best of some postings, which are ordered by hash."""
    if not len(postings):
        return
    hashes = postings["hash"]
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    lengths = np.diff(starts, append=len(hashes))
    runs = np.repeat(np.arange(len(starts)), lengths)
    pairs = _distinct(runs, postings["content"].astype(np.int64))
    contents = np.bincount(pairs[0], minlength=len(starts))
    sources = _count_sources(*pairs, known, len(starts))
    candidates = np.flatnonzero(contents > 1)
    order = np.lexsort([hashes[starts[candidates]], -contents[candidates], -sources[candidates]])
    for run in candidates[order[:most]].tolist():
        place = _example(postings[starts[run] : starts[run] + lengths[run]], known.kept)
        counts = int(sources[run]), int(contents[run])
        yield SharedKgram(*counts, int(place["hash"]), int(place["content"]), int(place["position"]))


def _count_sources(
    runs: NDArray[np.int64], contents: NDArray[np.int64], known: Owners, count: int
) -> NDArray[np.int64]:
    """In how many sources each run is, of which these contents are."""
    counts = known.counts[contents]
    places = np.arange(counts.sum()) + np.repeat(known.ends[contents] - np.cumsum(counts), counts)
    distinct = _distinct(np.repeat(runs, counts), known.sources[places])
    return np.bincount(distinct[0], minlength=count)


def _distinct(first: NDArray[np.int64], second: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of numbers below 2^32, each once."""
    pairs = np.sort(first << 32 | second)
    kept = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]
    return kept >> 32, kept & 0xFFFFFFFF


def _example(places: NDArray[np.void], kept: NDArray[np.bool_]) -> np.void:
    """One of those places that are verbatim the same, where most are; they are ordered by check."""
    checks = places["check"]
    starts = np.flatnonzero(np.concatenate([[True], checks[1:] != checks[:-1]]))
    counts = np.diff(starts, append=len(checks))
    most = int(np.argmax(counts))
    alike = places[starts[most] : starts[most] + counts[most]]
    place: np.void = alike[np.argmax(kept[alike["content"]])]
    return place
