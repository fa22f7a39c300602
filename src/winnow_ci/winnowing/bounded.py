"""Fingerprints of bounded size, which show a long enough shared window with high probability.

After Ganguly and Veda ("A new randomized algorithm for document fingerprinting", sections III and IV), who never
implemented it. We had an outline of the paper, not its text: we decided what it left open, and give our own proofs.

A document is a stream of n items (k-gram hashes). A *window* is W consecutive items. The *level* of an item is the
number of zeros below the lowest set bit of its hash, so level ≥ l has a chance of 2^−l. Items are of three kinds:

- *Globally frequent*: they occur at least L = 7/16 · s / ln(1/δ) times, where s is half of the size. Stored without
  position. A CountSketch finds them in a first pass; if it needed more counters than the document has items, all items
  are counted instead.
- *Window-frequent*: they occur at least f times in a block, of the blocks of 2W items that begin at each multiple of
  W. Stored with the block. A window that begins in [jW, jW + W) lies in block j.
- *All others* are sampled in a second pass: each with all its places if its level is at least l, where l is the lowest
  level for which they fit into the size that is left. An item is left out only where all of its blocks store it.

*The size is never exceeded*. If the frequent items take more than half of it, first L and then f is doubled until they
do not, and a window of a document more repetitive than ``size_for`` allows for is found with less certainty. The chance
is over the hashes, which are fixed: whoever knows them can write a window that no sample holds.

*As selection for an index*: f starts at 2, and the size is as much as winnowing keeps, within bounds. A window W holds
64 entries: it is 32 (w + 1), and longer in huge documents. In an index every item has a position, so globally frequent
ones get their first, and window-frequent ones the first in the block. docs/papers.md has the proofs.
"""

from __future__ import annotations

from math import ceil, log, log2
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

SMALLEST, LARGEST = 64, 1 << 16
DELTA = 0.01
CHUNK = 1 << 16
# Seed of the random hash functions: any number will do, but the same input must give the same index.
_SEED = 2008
PRIME = np.uint64((1 << 31) - 1)


class Bound(NamedTuple):
    """The size and the promise of a sketch."""

    window: int  # W, in items
    size: int  # how many entries it may have, at least 1
    delta: float = DELTA  # δ, the chance to miss a shared window; more than 0, at most 0.2
    frequency: int = 2  # f, how often an item is in a block to be frequent there; at least 2


class Sketch(NamedTuple):
    """The stored items of a document."""

    everywhere: NDArray[np.int64]  # the first place of each globally frequent item
    in_block: NDArray[np.int64]  # the first place of an item in a block in which it is frequent
    blocks: NDArray[np.int64]  # for each of ``in_block``, the number of the block
    sampled: NDArray[np.int64]  # the rising places of sampled items
    rate: float  # the chance of each item to be sampled
    frequency: int  # how often an item had to be in a block to be frequent there

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self.everywhere) + len(self.in_block) + len(self.sampled)

    @property
    def places(self) -> NDArray[np.int64]:
        """One place of each entry: int64, rising, each once."""
        return np.unique(np.concatenate([self.everywhere, self.in_block, self.sampled]))


class Reduction(NamedTuple):
    """How far documents were reduced: the least of their rates, and the highest of their frequencies."""

    rate: float = 1.0
    frequency: int = 2

    def and_that_of(self, made: Sketch) -> Reduction:
        """Include one more document."""
        return Reduction(min(self.rate, made.rate), max(self.frequency, made.frequency))

    def sampled(self, hashes: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which items every sketch has of its document: bool, shape (n,)."""
        return 0.5 ** levels_of(hashes) <= self.rate

    def chance_of_miss(self, window: int) -> float:
        """Return the greatest chance that two of the sketches do not show a shared window, given their rates."""
        return float((1 - self.rate) ** ceil(window / (self.frequency - 1)))


def bounded(hashes: NDArray[np.uint64], w: int) -> NDArray[np.int64]:
    """Select the items of a sketch whose size follows from w; rising positions."""
    size = min(LARGEST, max(SMALLEST, ceil(2 * len(hashes) / (w + 1))))
    return sketch(hashes, Bound(SMALLEST * len(hashes) // size, size)).places


def sketched(hashes: NDArray[np.uint64], window: int, size: int | None = None, delta: float = DELTA) -> Sketch:
    """Reduce a document to a sketch, of the size that the proof asks for unless one is given; see ``Bound``."""
    if size is not None:
        return sketch(hashes, Bound(window, size, delta))
    return sketch(hashes, size_for(max(1, len(hashes)), window, delta * 2 / 3))


def size_for(count: int, window: int, delta: float = DELTA) -> Bound:
    """Return the bound that finds a shared window of ``count`` items with a chance of at least 1 − δ."""
    return min((_size_for(count, window, delta, 2 << n) for n in range(window.bit_length())), key=lambda b: b.size)


def _size_for(count: int, window: int, delta: float, frequency: int) -> Bound:
    distinct = ceil(window / (frequency - 1))
    sample = ceil(8 * count * log(2 / delta) / distinct)
    in_blocks = (count // window + 1) * (2 * window // frequency)
    # Globally frequent items need 4 · √(8/7 · n · ln(1/δ)). That is less than the larger of these two sizes, whose
    # product is at least 64 · n · ln(2/δ).
    return Bound(window, max(2 * sample, 4 * in_blocks), delta, frequency)


def sketch(hashes: NDArray[np.uint64], bound: Bound) -> Sketch:
    """Reduce a document to a sketch of at most ``bound.size`` of its items, which are uniformly distributed."""
    nothing = np.empty(0, np.int64)
    if len(hashes) <= bound.size:
        return Sketch(nothing, nothing, nothing, np.arange(len(hashes)), 1.0, bound.frequency)
    everywhere, is_left = globally_frequent(hashes, bound)
    occurrences = Occurrences.of(hashes, is_left, bound.window)
    frequency = bound.frequency
    blocks, in_block = occurrences.frequent(frequency)
    while len(everywhere) + len(blocks) > bound.size // 2:
        frequency *= 2
        blocks, in_block = occurrences.frequent(frequency)
    rest = np.flatnonzero(is_left & ~occurrences.covered(frequency, len(hashes)))
    places, rate = sampled(hashes, rest, bound.size - len(everywhere) - len(in_block))
    return Sketch(everywhere, in_block, blocks, places, rate, frequency)


def globally_frequent(hashes: NDArray[np.uint64], bound: Bound) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the first places of the globally frequent items, and which places have another item."""
    least = max(2.0, 7 / 32 * bound.size / log(1 / bound.delta))
    frequencies = _frequencies(hashes, least, bound.delta)
    while True:
        is_frequent = frequencies >= least
        first = np.flatnonzero(is_frequent)[np.unique(hashes[is_frequent], return_index=True)[1]]
        if len(first) <= bound.size // 4:
            return np.sort(first), ~is_frequent
        least *= 2


def _frequencies(hashes: NDArray[np.uint64], least: float, delta: float) -> NDArray[np.float64]:
    """Count each item, or estimate so that a frequent one is rarely below ``least``; one number a place."""
    rows, width = rows_for(delta), 1 << ceil(log2(32 * len(hashes) / least))
    if rows * width >= len(hashes):
        _, numbers, counts = np.unique(hashes, return_inverse=True, return_counts=True)
        return counts[numbers].astype(np.float64)
    counters = CountSketch(width, rows, _SEED)
    chunks = [hashes[start : start + CHUNK] for start in range(0, len(hashes), CHUNK)]
    for chunk in chunks:
        counters.add(chunk)
    # An estimate is off by less than half of ``least``, as F₂ of the rarer items is at most n · least.
    return np.concatenate([counters.estimates(chunk) for chunk in chunks]) + least / 2


class Occurrences(NamedTuple):
    """The places that are left, grouped by item and half (of a block; half h is shared by blocks h − 1 and h)."""

    places: NDArray[np.int64]  # ordered by item, then rising
    starts: NDArray[np.int64]  # where a group starts in ``places``
    halves: NDArray[np.int64]  # of each group
    counts: NDArray[np.int64]  # of each group
    after: NDArray[np.int64]  # how often the item is in the half after, which makes the block of that number full
    before: NDArray[np.int64]  # how often it is in the half before

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], is_left: NDArray[np.bool_], window: int) -> Occurrences:
        """Group the places that are left of a document by halves of ``window`` items."""
        places = np.flatnonzero(is_left)
        places = places[np.argsort(hashes[places], kind="stable")]
        items, halves = hashes[places], places // window
        starts = np.flatnonzero(np.append(True, (items[1:] != items[:-1]) | (halves[1:] != halves[:-1])))[: len(places)]
        counts = np.diff(np.append(starts, len(places)))
        items, halves = items[starts], halves[starts]
        is_next = (items[1:] == items[:-1]) & (halves[1:] == halves[:-1] + 1)
        after, before = np.zeros_like(counts), np.zeros_like(counts)
        after[:-1][is_next] = counts[1:][is_next]
        before[1:][is_next] = counts[:-1][is_next]
        return cls(places, starts, halves, counts, after, before)

    def frequent(self, frequency: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a block for each item that is frequent in it, and the item's first place there."""
        here = self.counts + self.after >= frequency
        # A block whose first half lacks the item has no group of its own: only its second half's is there.
        second = (self.before == 0) & (self.counts >= frequency) & (self.halves > 0)
        blocks = np.concatenate([self.halves[here], self.halves[second] - 1])
        return blocks, self.places[np.concatenate([self.starts[here], self.starts[second]])]

    def covered(self, frequency: int, count: int) -> NDArray[np.bool_]:
        """Return which of all places lie only in blocks that store their item: bool, shape (count,)."""
        in_both = (self.counts + self.after >= frequency) & (
            (self.counts + self.before >= frequency) | (self.halves == 0)
        )
        is_covered = np.zeros(count, np.bool_)
        is_covered[self.places] = np.repeat(in_both, self.counts)
        return is_covered


def sampled(hashes: NDArray[np.uint64], places: NDArray[np.int64], room: int) -> tuple[NDArray[np.int64], float]:
    """Return the places of the items from the lowest level on at which they fit, and the rate of that level."""
    levels = levels_of(hashes[places])
    at_least = np.cumsum(np.bincount(levels, minlength=66)[::-1])[::-1]
    level = int(np.argmax(at_least <= room))
    return places[levels >= level], 0.5**level


def levels_of(items: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Count the zeros below the lowest set bit: int64, shape (n,), 64 for an item that is 0."""
    return np.bitwise_count((items & (~items + np.uint64(1))) - np.uint64(1)).astype(np.int64)


def rows_for(delta: float) -> int:
    """Return how many rows make the chance of a wrong median less than ``delta``: odd, O(log 1/δ)."""
    return 2 * ceil(2 * log(1 / delta)) + 1


class CountSketch:
    """Estimates how often the items of a stream occur, in space that does not grow with it.

    After Charikar, Chen and Farach-Colton (2002). Each of ``rows`` has ``width`` counters; an item adds ±1 to one of
    them. Signs are 4-wise independent (a random cubic modulo a prime), buckets pairwise independent (a random line). In
    one row, counter × sign is the item's frequency plus what others add, which is 0 on average. Set aside the heavy
    items, at most width / 32 of them: with these, an item shares its bucket in at most one row of 32, and what the rest
    add exceeds √(8 F₂ / width) in at most one of eight (F₂: sum of the squared frequencies of the rest). So the median
    of r rows is farther off with a chance of at most 0.73^r.

    The prime is 2^31 − 1, so that all products fit into 64 bits. Two items of equal residue count as one.
    """

    def __init__(self, width: int, rows: int, seed: int) -> None:
        random = np.random.Generator(np.random.PCG64(seed))
        self._counters = np.zeros((rows, width), np.int64)
        self._signs = random.integers(0, int(PRIME), (rows, 4), np.uint64)
        self._buckets = random.integers(1, int(PRIME), (rows, 2), np.uint64)

    def add(self, items: NDArray[np.uint64]) -> None:
        """Count each occurrence of items: uint64, any shape."""
        distinct, counts = np.unique(items, return_counts=True)
        for row, bucket, sign in self._places(distinct):
            np.add.at(row, bucket, sign * counts)

    def estimates(self, items: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Estimate how often each item was added: float64, shape (n,)."""
        distinct, numbers = np.unique(items, return_inverse=True)
        rows = [row[bucket] * sign for row, bucket, sign in self._places(distinct)]
        return np.asarray(np.median(rows, axis=0)[numbers])

    def _places(self, items: NDArray[np.uint64]) -> Iterator[tuple[NDArray[np.int64], ...]]:
        """Yield for each row its counters, and bucket and sign of each item."""
        keys, width = items % PRIME, np.uint64(self._counters.shape[1])
        for row, line, cubic in zip(self._counters, self._buckets, self._signs, strict=True):
            buckets = (_polynomial(line, keys) % width).astype(np.int64)
            yield row, buckets, 1 - 2 * (_polynomial(cubic, keys) % np.uint64(2)).astype(np.int64)


def _polynomial(coefficients: NDArray[np.uint64], keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return values of a line or a cubic modulo the prime, by Horner's rule.

    As 2^31 ≡ 1, folding the upper bits onto the lower ones keeps the residue. Up to three folds leave room for the next
    product; dividing each time would take twice as long.
    """
    values = np.full(len(keys), coefficients[0], np.uint64)
    for coefficient in coefficients[1:]:
        values = values * keys + coefficient
        values = (values & PRIME) + (values >> np.uint64(31))
    return values % PRIME
