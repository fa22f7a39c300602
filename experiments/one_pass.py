"""The sketch of ``bounded`` in one pass, which divides a given size by itself: future work of Ganguly and Veda.

The stream is read in halves of W items, two of which are in memory besides the sketch: they make the blocks of 2W items
that begin at each multiple of W. Neither the number of items nor how often each occurs is known in advance. There are
three kinds of entries:

- *Block entries*: an item that occurs at least f times in a block, stored with the block as soon as the block is read.
- *Places* of items, except where all blocks of a place store its item.
- *Globally frequent* items without position: those with L or more other entries, if there is no room for these.

When more than S entries are held: L or more places of one item become one entry, and if that is not enough, either

- f is doubled, if block entries of f or more take more than half of S; or
- the level l is raised by one, and of all entries with less than f occurrences, only items of level l or more stay: a
  block entry with less than the new f is then part of the sample, like a place.

So the document decides how the size is divided, and frequent and sampled items get at least half each.

*What is found.* An item whose level is at least l was never dropped: each of its places leads to a place, to its
block's entry, or to the globally frequent item, so it is found in every window. So is an item that occurs f times in
the window's block. A CountSketch is not needed: a window without an item that is frequent in its block has at least
d = W / (f − 1) distinct ones, enough for the sample, whether some of them are frequent in the whole or not. What these
did to the sample's size, L bounds: an item's places count L at most, for which all of an item's places have to
be known, and they are, since a level only rises. The proof of ``bounded`` holds as it is, with the same ``size_for``:
block entries take a quarter of that size at most, so f stays, and each item has less than L entries in the sample.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.winnowing.bounded import Bound, Sketch, levels_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

# Instead of the number of a block.
PLACE, EVERYWHERE = -1, -2


class _Entries(NamedTuple):
    """Entries, one a row; a place, or a globally frequent item, has ``PLACE`` or ``EVERYWHERE`` for its block.

    Attributes:
        items: uint64.
        places: int64; of the item, the first in the block, or the first of all.
        blocks: int64.
        counts: int64; how often the item is in the block, or 1.
    """

    items: NDArray[np.uint64]
    places: NDArray[np.int64]
    blocks: NDArray[np.int64]
    counts: NDArray[np.int64]

    def where(self, is_kept: NDArray[np.bool_]) -> _Entries:
        return _Entries(self.items[is_kept], self.places[is_kept], self.blocks[is_kept], self.counts[is_kept])

    def joined(self, *others: _Entries) -> _Entries:
        return _Entries(*map(np.concatenate, zip(self, *others, strict=True)))


class _Half(NamedTuple):
    """W items, the last half fewer.

    Attributes:
        start: place of the first.
        hashes: uint64, in their order.
        items: uint64, sorted, each once.
        first: int64; where in the half each of ``items`` stands first.
        counts: int64; how often.
    """

    start: int
    hashes: NDArray[np.uint64]
    items: NDArray[np.uint64]
    first: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], start: int) -> _Half:
        return cls(start, hashes, *np.unique(hashes, return_index=True, return_counts=True))


class _Held(NamedTuple):
    """The sketch so far.

    Attributes:
        entries: at most as many as there may be.
        level: l; the sample has the items of this level and above.
        frequency: f.
    """

    entries: _Entries
    level: int
    frequency: int

    def with_sample(self, sample: _Entries, in_block: _Entries, bound: Bound) -> _Held:
        """Add the entries of a half and of its block, and drop entries until they fit."""
        own = self.entries
        everywhere = own.items[own.blocks == EVERYWHERE]
        is_new = (levels_of(sample.items) >= self.level) & ~np.isin(sample.items, everywhere)
        held = self._replace(entries=own.joined(sample.where(is_new), in_block))
        return held if len(held.entries.items) <= bound.size else held.capped(bound).reduced(bound)

    def capped(self, bound: Bound) -> _Held:
        """Replace the entries of each item that has L or more in the sample by one."""
        entries = self.entries
        is_sampled = (entries.counts < self.frequency) & (entries.blocks != EVERYWHERE)
        items, counts = np.unique(entries.items[is_sampled], return_counts=True)
        frequent = items[counts >= max(2.0, 7 / 32 * bound.size / log(1 / bound.delta))]
        if not len(frequent):
            return self
        is_capped = np.isin(entries.items, frequent)
        first = np.full(len(frequent), np.iinfo(np.int64).max)
        np.minimum.at(first, np.searchsorted(frequent, entries.items[is_capped]), entries.places[is_capped])
        once = np.ones(len(frequent), np.int64)
        kept = entries.where(~(is_capped & is_sampled))
        return self._replace(entries=kept.joined(_Entries(frequent, first, EVERYWHERE * once, once)))

    def reduced(self, bound: Bound) -> _Held:
        """Double the frequency or raise the level until the entries fit."""
        entries, level, frequency = self
        levels = levels_of(entries.items)
        while len(levels) > bound.size:
            if np.count_nonzero(entries.counts >= frequency) > bound.size // 2:
                frequency *= 2
            else:
                level += 1
            is_kept = (entries.counts >= frequency) | (levels >= level)
            entries, levels = entries.where(is_kept), levels[is_kept]
        return _Held(entries, level, frequency)


def one_pass(stream: Iterable[NDArray[np.uint64]], bound: Bound) -> Sketch:
    """Reduce a stream to a sketch.

    Args:
        stream: the items in parts of any length, uint64, uniformly distributed.
        bound: the size, and what it is for.

    Returns:
        A sketch with at most ``bound.size`` entries. If f was doubled, ``in_block`` has sampled items as well.
    """
    nothing = _Entries(np.empty(0, np.uint64), *(np.empty(0, np.int64) for _ in range(3)))
    held, before, stored = _Held(nothing, 0, bound.frequency), None, None
    for half in _halves(stream, bound.window):
        if before is not None:
            held, stored = _taken(held, before, half, stored, bound)
        before = half
    if before is not None:
        held, _ = _taken(held, before, None, stored, bound)
    return _sketch(held)


def _halves(stream: Iterable[NDArray[np.uint64]], window: int) -> Iterator[_Half]:
    start, waiting = 0, np.empty(0, np.uint64)
    for part in stream:
        waiting = np.concatenate([waiting, part])
        while len(waiting) >= window:
            yield _Half.of(waiting[:window], start)
            start, waiting = start + window, waiting[window:]
    if len(waiting):
        yield _Half.of(waiting, start)


def _taken(
    held: _Held, half: _Half, after: _Half | None, stored: NDArray[np.uint64] | None, bound: Bound
) -> tuple[_Held, NDArray[np.uint64]]:
    """Add a half, after both of its blocks were read; also return the items that its own block stores.

    ``stored`` are the items that the block before stores.
    """
    in_block = _frequent(half, after, half.start // bound.window, held.frequency)
    is_covered = np.isin(half.hashes, in_block.items)
    if stored is not None:
        is_covered &= np.isin(half.hashes, stored)
    places = np.flatnonzero(~is_covered)
    once = np.ones(len(places), np.int64)
    sample = _Entries(half.hashes[places], half.start + places, PLACE * once, once)
    return held.with_sample(sample, in_block, bound), in_block.items


def _frequent(half: _Half, after: _Half | None, block: int, frequency: int) -> _Entries:
    """The entries of a block."""
    items, places, counts = half.items, half.start + half.first, half.counts
    if after is not None:
        # ``np.unique`` returns the first place, which is in the first half if the item is there.
        items, own, numbers = np.unique(
            np.concatenate([half.items, after.items]), return_index=True, return_inverse=True
        )
        places = np.concatenate([places, after.start + after.first])[own]
        counts = np.bincount(numbers, np.concatenate([counts, after.counts])).astype(np.int64)
    entries = _Entries(items, places, np.full(len(items), block), counts)
    return entries.where(counts >= frequency)


def _sketch(held: _Held) -> Sketch:
    entries = held.entries
    is_place, is_everywhere = entries.blocks == PLACE, entries.blocks == EVERYWHERE
    in_block = entries.where(~is_place & ~is_everywhere)
    return Sketch(
        np.sort(entries.places[is_everywhere]),
        in_block.places,
        in_block.blocks,
        np.sort(entries.places[is_place]),
        0.5**held.level,
        held.frequency,
    )
