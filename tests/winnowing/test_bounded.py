"""The bounded sketch and its CountSketch against their definitions, and how often a shared window is found."""

from __future__ import annotations

import statistics
from collections import Counter
from math import comb, log

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.streams import streams
from winnow_ci.winnowing import select
from winnow_ci.winnowing.bounded import (
    LARGEST,
    PRIME,
    Bound,
    CountSketch,
    Sketch,
    _size_for,
    rows_for,
    size_for,
    sketch,
)
from winnow_ci.winnowing.schemes import kgram_hashes

VALUES = kgram_hashes(np.arange(1, 201, dtype=np.uint64), 1).tolist()
documents = streams(st.sampled_from(VALUES[:4]) | st.sampled_from(VALUES), min_size=1)
bounds = st.builds(Bound, st.integers(1, 40), st.integers(1, 60), st.sampled_from([0.01, 0.1, 0.2]), st.integers(2, 5))


class Naive:
    """The definition: everything is counted, one item after the other."""

    def __init__(self, items: list[int], bound: Bound) -> None:
        self.items, self.bound = items, bound
        least = max(2.0, 7 / 16 * (bound.size / 2) / log(1 / bound.delta))
        while len(common := {x for x, count in Counter(items).items() if count >= least}) > bound.size // 4:
            least *= 2
        self.common, self.frequency = common, bound.frequency
        while len(common) + len(self.in_blocks()) > bound.size // 2:
            self.frequency *= 2
        self.room = bound.size - len(common) - len(self.in_blocks())
        self.sample, self.level = self.sampled()

    def in_blocks(self) -> set[tuple[int, int]]:
        window, stored = self.bound.window, set()
        for block in range(len(self.items) // window + 1):
            counts = Counter(self.items[block * window : (block + 2) * window])
            stored |= {(block, x) for x, n in counts.items() if n >= self.frequency and x not in self.common}
        return stored

    def sampled(self) -> tuple[list[int], int]:
        """One place after the other; when more than there is room for are held, the lowest level is dropped."""
        held: list[int] = []
        level, in_blocks = 0, self.in_blocks()
        for place, item in enumerate(self.items):
            half = place // self.bound.window
            its_blocks = {half, max(half - 1, 0)}
            is_stored = item in self.common or all((block, item) in in_blocks for block in its_blocks)
            if not is_stored and item % 2**level == 0:
                held.append(place)
            while len(held) > self.room:
                level += 1
                held = [place for place in held if self.items[place] % 2**level == 0]
        return held, level


@given(items=documents, bound=bounds)
def test_is_what_the_definition_says(items: list[int], bound: Bound) -> None:
    made = sketch(np.array(items, np.uint64), bound)
    event(f"beyond the size: {len(items) > bound.size}, frequent: {made.size > len(made.sampled)}, rate: {made.rate}")
    if len(items) <= bound.size:
        assert (made.sampled.tolist(), made.rate) == (list(range(len(items))), 1)
        return
    naive = Naive(items, bound)
    assert {items[place] for place in made.everywhere} == naive.common
    stored = list(zip(made.blocks.tolist(), (items[place] for place in made.in_block), strict=True))
    assert len(stored) == len(set(stored))
    assert set(stored) == naive.in_blocks()
    assert made.frequency == naive.frequency
    assert (made.sampled.tolist(), made.rate) == (naive.sample, 0.5**naive.level)
    assert made.size == len(naive.common) + len(stored) + len(naive.sample)


@given(items=documents, bound=bounds)
def test_places_are_the_first(items: list[int], bound: Bound) -> None:
    made = sketch(np.array(items, np.uint64), bound)
    for place in made.everywhere.tolist():
        assert items.index(items[place]) == place
    for block, place in zip(made.blocks.tolist(), made.in_block.tolist(), strict=True):
        assert items.index(items[place], block * bound.window) == place


@given(items=documents, bound=bounds)
def test_the_size_is_never_exceeded(items: list[int], bound: Bound) -> None:
    assert sketch(np.array(items, np.uint64), bound).size <= bound.size


@given(items=documents, w=st.integers(1, 20))
def test_selection_keeps_about_what_winnowing_would(items: list[int], w: int) -> None:
    chosen = select(np.array(items, np.uint64), w, "bounded")
    assert 1 <= len(chosen) <= max(64, -(-2 * len(items) // (min(w, len(items)) + 1)))
    assert np.all(np.diff(chosen) > 0)


def test_a_huge_document_has_a_bounded_fingerprint() -> None:
    hashes = np.random.default_rng(5).integers(0, 2**64, 12 * LARGEST, np.uint64)
    hashes[: 2 * LARGEST] = hashes[0]
    assert LARGEST // 4 < len(select(hashes, 12, "bounded")) <= LARGEST


# ---- detection -------------------------------------------------------------------------------------------------


def document(kind: str, length: int, random: np.random.Generator) -> np.ndarray:
    """Items with fresh hashes: all distinct, as rare and common words are, or stretches that repeat themselves."""
    if kind == "distinct":
        return random.integers(0, 2**64, length, np.uint64)
    words = random.integers(0, 2**64, length, np.uint64)
    if kind == "zipf":
        return words[random.zipf(1.3, length) % length]
    periods = 2 ** random.integers(0, 9, length // 500)
    return words[np.concatenate([500 * n + np.arange(500) % period for n, period in enumerate(periods)])]


def finds(made: Sketch, hashes: np.ndarray, window: int, start: int) -> bool:
    """Whether an item of the window that begins at ``start`` is stored so that it points to the window."""
    asked = set(hashes[start : start + window].tolist())
    if asked & set(hashes[made.everywhere].tolist()):
        return True
    if asked & set(hashes[made.in_block[made.blocks == start // window]].tolist()):
        return True
    return bool(np.any((made.sampled >= start) & (made.sampled < start + window)))


TRIALS = 100


@pytest.mark.parametrize("kind", ["distinct", "zipf", "periodic"])
@pytest.mark.parametrize("delta", [0.2, 0.05, 0.01])
def test_a_shared_window_is_found(kind: str, delta: float) -> None:
    """So many misses or more would have to be seen in one run of a thousand if a miss had the chance δ.

    ``experiments/planted.py`` has ten thousand trials, also of the other sketches.
    """
    random, window, length = np.random.default_rng(1), 4000, 20_000
    bound, missed = size_for(length, window, delta), 0
    assert bound.size < length
    for _ in range(TRIALS):
        hashes = document(kind, length, random)
        made = sketch(hashes, bound)
        assert made.size <= bound.size
        missed += not finds(made, hashes, window, int(random.integers(0, length - window + 1)))
    fewer = sum(comb(TRIALS, n) * delta**n * (1 - delta) ** (TRIALS - n) for n in range(missed))
    assert 1 - fewer >= 0.001


@pytest.mark.parametrize(("count", "w"), [(64, 12), (65536, 1)])
def test_a_document_is_kept_whole_up_to_the_smallest_size_and_the_largest(count: int, w: int) -> None:
    hashes = np.random.default_rng(3).integers(0, 2**64, count + 1, np.uint64)
    assert len(select(hashes[:count], w, "bounded")) == count
    assert len(select(hashes, w, "bounded")) < count


def test_the_size_leaves_room_for_what_is_frequent_in_each_block() -> None:
    """Windows of 100 items, and two copies are frequent: 100 items a block, in 11 blocks, take a quarter of it."""
    assert _size_for(1000, 100, 0.01, 2) == Bound(100, 4 * 11 * 100, 0.01, 2)


# ---- CountSketch -----------------------------------------------------------------------------------------------


def value(coefficients: list[int], key: int) -> int:
    return sum(c * key**power for power, c in enumerate(reversed(coefficients))) % int(PRIME)


@given(
    items=st.lists(st.integers(0, 9) | st.integers(0, 2**64 - 1), min_size=1, max_size=60),
    width=st.integers(1, 12),
    rows=st.integers(1, 5),
)
def test_estimates_are_medians_of_signed_counters(items: list[int], width: int, rows: int) -> None:
    counters = CountSketch(width, rows, seed=7)
    stream = np.array(items, np.uint64)
    for part in np.array_split(stream, 3):
        counters.add(part)
    lines, cubics = counters._buckets.tolist(), counters._signs.tolist()
    expected = []
    for item in items:
        estimates = []
        for line, cubic in zip(lines, cubics, strict=True):
            bucket, sign = value(line, item) % width, 1 - 2 * (value(cubic, item) % 2)
            there = [other for other in items if value(line, other) % width == bucket]
            estimates.append(sign * sum(1 - 2 * (value(cubic, other) % 2) for other in there))
        expected.append(statistics.median(estimates))
    assert counters.estimates(stream).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_frequent_items_stand_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    items = random.integers(0, 2**64, 20_000, np.uint64)[random.zipf(1.2, 60_000) % 20_000]
    frequencies = Counter(items.tolist())
    width = 1024
    counters = CountSketch(width, rows_for(0.001), seed)
    counters.add(items)
    heavy = sorted(frequencies.values())[-width // 32 :]
    rest = sum(count * count for count in frequencies.values()) - sum(count * count for count in heavy)
    distinct = np.array(list(frequencies), np.uint64)
    off = np.abs(counters.estimates(distinct) - list(frequencies.values()))
    assert np.mean(off > (8 * rest / width) ** 0.5) <= 0.001


def test_more_certainty_takes_more_rows() -> None:
    assert [rows_for(delta) for delta in (0.5, 0.1, 0.01)] == [5, 11, 21]
