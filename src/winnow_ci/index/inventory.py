"""What the sources of an index have, and which k-grams most of them share.

K-grams are counted block by block, so that memory holds a part of the postings. A k-gram counts once for each content
and once for each source that has it; all versions of one project count as one source. Postings come in the order of
their hashes, so all places of a k-gram are together; those that no scan reads count as well.
"""

from __future__ import annotations

import heapq
from array import array
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from winnow_ci.arrays import among, ranges
from winnow_ci.index.blocks import merged, runs_of
from winnow_ci.index.coding import runs
from winnow_ci.index.rows import display_source
from winnow_ci.model import PHRASE, no_progress
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from winnow_ci.index.whole_index import WholeIndex
    from winnow_ci.model import Progress


def file_digests(index: WholeIndex) -> dict[str, bytes]:
    """Return digests of the files of each source, their contents and licences, by name.

    They are equal in every index that has these files. Every content is checked.
    """
    states = [xxhash.xxh3_128() for _ in index.sources]
    # Every index has contents ordered by id and their files by path.
    for _, row in index.all_contents():
        for source, path, licence, _ in row.files:
            states[source].update(b"%b%d:%b%b\0" % (row.key, len(path), path, (licence or "").encode()))
    return {source.name: state.digest() for source, state in zip(index.sources, states, strict=True)}


class ContentOwners(NamedTuple):
    """The sources of each content; all arrays but ``sources`` have one element a content."""

    ids: NDArray[np.int64]  # sorted; the contents
    ends: NDArray[np.int64]  # where the sources of a content end in ``sources``
    counts: NDArray[np.int64]  # how many sources a content has
    sources: NDArray[np.int64]  # ids, content by content; versions of a project all have the least of their ids
    kept: NDArray[np.bool_]  # whether one of its sources keeps the text


def owners_of(index: WholeIndex) -> ContentOwners:
    """Return the sources of each content."""
    first: dict[str, int] = {}
    projects = [first.setdefault(display_source(source).name, number) for number, source in enumerate(index.sources)]
    counts, kept = np.zeros(index.contents, np.int64), np.zeros(index.contents, np.bool_)
    sources = array("q")
    for number, (_, row) in enumerate(index.all_contents()):
        versions = {file.source for file in row.files}
        ids = sorted({projects[source] for source in versions})
        counts[number] = len(ids)
        kept[number] = not index.with_text.isdisjoint(versions)
        sources.extend(ids)
    return ContentOwners(index.content_ids(), np.cumsum(counts), counts, np.array(sources, np.int64), kept)


class SharedKgram(NamedTuple):
    """A k-gram that several contents have."""

    sources: int  # how many sources have it
    contents: int  # how many contents have it
    hash: int  # as stored
    content: int  # id of a content that has it in its most frequent verbatim form, if possible one with text
    position: int  # number of its first token there


def most_shared(
    index: WholeIndex,
    owners: ContentOwners,
    most: int,
    progress: Progress = no_progress,
) -> list[SharedKgram]:
    """Return the k-grams that at least two contents have, those of most sources first, then those of most contents.

    ``progress`` is called with the number of blocks done and of all blocks.
    """
    best: list[SharedKgram] = []
    for part in merged(runs_of(index), index.bits):
        # That boilerplate is shared says nothing.
        wanted = (part.postings["content"] >= 0) & (part.postings["position"] < PHRASE)
        postings = part.postings[wanted]
        if not among(postings["content"], owners.ids).all():
            raise index.damaged("a block holds postings that cannot be")
        postings["content"] = np.searchsorted(owners.ids, postings["content"])
        best = heapq.nsmallest(most, [*best, *_shared(postings, owners, most)], key=_rank)
        progress(part.end, 1 << index.bits)
    return best


def _rank(kgram: SharedKgram) -> tuple[int, int, int]:
    return -kgram.sources, -kgram.contents, kgram.hash


def _shared(postings: NDArray[np.void], owners: ContentOwners, most: int) -> Iterator[SharedKgram]:
    """Yield the most shared k-grams of some postings, which are ordered by hash."""
    starts, lengths = runs(postings["hash"])
    kgrams, holders = _distinct(np.repeat(np.arange(len(starts)), lengths), postings["content"])
    contents = np.bincount(kgrams, minlength=len(starts))
    counts = owners.counts[holders]
    places = ranges(owners.ends[holders] - counts, counts)
    sources = np.bincount(_distinct(np.repeat(kgrams, counts), owners.sources[places])[0], minlength=len(starts))
    candidates = np.flatnonzero(contents > 1)
    order = np.lexsort([postings["hash"][starts[candidates]], -contents[candidates], -sources[candidates]])
    for kgram in candidates[order[:most]].tolist():
        place = _example(postings[starts[kgram] : starts[kgram] + lengths[kgram]], owners.kept)
        shared = int(sources[kgram]), int(contents[kgram])
        yield SharedKgram(*shared, int(place["hash"]), int(owners.ids[place["content"]]), int(place["position"]))


def _distinct(first: NDArray[np.int64], second: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return each pair of numbers below 2^32 once, sorted."""
    pairs = np.sort(first << 32 | second)
    kept = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]
    return kept >> 32, kept & 0xFFFFFFFF


def _example(places: NDArray[np.void], kept: NDArray[np.bool_]) -> np.void:
    """Return a place of the most frequent verbatim form; ``places`` are ordered by check."""
    starts, counts = runs(places["check"])
    most = int(np.argmax(counts))
    alike = places[starts[most] : starts[most] + counts[most]]
    place: np.void = alike[np.argmax(kept[alike["content"]])]
    return place
