"""The sketch of one pass against its definition, and what it promises of every single window."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from one_pass import one_pass

from support.streams import streams
from winnow_ci.winnowing.bounded import Bound, Sketch
from winnow_ci.winnowing.schemes import kgram_hashes

VALUES = kgram_hashes(np.arange(1, 201, dtype=np.uint64), 1).tolist()
documents = streams(st.sampled_from(VALUES[:4]) | st.sampled_from(VALUES) | st.just(0))
bounds = st.builds(Bound, st.integers(1, 40), st.integers(1, 60), st.sampled_from([0.01, 0.1, 0.2]), st.integers(2, 5))


def level_of(item: int) -> int:
    return len(bin(item)) - len(bin(item).rstrip("0")) if item else 64


class Entry(NamedTuple):
    item: int
    place: int
    block: int | str
    count: int = 1


class Naive:
    """The definition, one block after the other."""

    def __init__(self, items: list[int], bound: Bound) -> None:
        self.bound, self.level, self.frequency = bound, 0, bound.frequency
        self.held: list[Entry] = []
        stored: set[int] | None = None
        for block, start in enumerate(range(0, len(items), bound.window)):
            counts = Counter(items[start : start + 2 * bound.window])
            frequent = {x for x, n in counts.items() if n >= self.frequency}
            everywhere = {entry.item for entry in self.held if entry.block == "everywhere"}
            for place in range(start, min(start + bound.window, len(items))):
                is_covered = items[place] in frequent and (stored is None or items[place] in stored)
                if not is_covered and level_of(items[place]) >= self.level and items[place] not in everywhere:
                    self.held.append(Entry(items[place], place, "place"))
            self.held += [Entry(x, items.index(x, start), block, counts[x]) for x in sorted(frequent)]
            if len(self.held) > bound.size:
                self.cap()
            while len(self.held) > bound.size:
                self.drop()
            stored = frequent

    def cap(self) -> None:
        sampled = [entry for entry in self.held if entry.count < self.frequency and entry.block != "everywhere"]
        least = max(2.0, 7 / 16 * (self.bound.size / 2) / log(1 / self.bound.delta))
        for item, count in Counter(entry.item for entry in sampled).items():
            if count >= least:
                first = min(entry.place for entry in self.held if entry.item == item)
                self.held = [entry for entry in self.held if entry.item != item or entry not in sampled]
                self.held.append(Entry(item, first, "everywhere"))

    def drop(self) -> None:
        if sum(entry.count >= self.frequency for entry in self.held) > self.bound.size // 2:
            self.frequency *= 2
        else:
            self.level += 1
        self.held = [e for e in self.held if e.count >= self.frequency or level_of(e.item) >= self.level]

    def of(self, kind: str) -> list[int]:
        return sorted(entry.place for entry in self.held if entry.block == kind)


def made_of(items: list[int], bound: Bound, parts: int = 1) -> Sketch:
    return one_pass(np.array_split(np.array(items, np.uint64), parts), bound)


@given(items=documents, bound=bounds)
def test_is_what_the_definition_says(items: list[int], bound: Bound) -> None:
    made, naive = made_of(items, bound), Naive(items, bound)
    assert made.everywhere.tolist() == naive.of("everywhere")
    assert made.sampled.tolist() == naive.of("place")
    in_blocks = sorted((entry.block, entry.place) for entry in naive.held if isinstance(entry.block, int))
    assert sorted(zip(made.blocks.tolist(), made.in_block.tolist(), strict=True)) == in_blocks
    assert (made.rate, made.frequency) == (0.5**naive.level, naive.frequency)


@given(items=documents, bound=bounds, parts=st.integers(1, 9))
def test_it_does_not_matter_how_the_stream_is_cut(items: list[int], bound: Bound, parts: int) -> None:
    whole, cut = made_of(items, bound), made_of(items, bound, parts)
    assert all(np.array_equal(one, other) for one, other in zip(whole, cut, strict=True))


@given(items=documents, bound=bounds)
def test_the_size_is_never_exceeded(items: list[int], bound: Bound) -> None:
    assert made_of(items, bound).size <= bound.size


@given(items=documents, bound=bounds)
def test_sampled_and_frequent_items_are_found_in_every_window(items: list[int], bound: Bound) -> None:
    made, window = made_of(items, bound), bound.window
    everywhere = {items[place] for place in made.everywhere}
    in_blocks = set(zip(made.blocks.tolist(), (items[place] for place in made.in_block), strict=True))
    for start in range(len(items) - window + 1):
        block, counts = start // window, Counter(items[start // window * window : (start // window + 2) * window])
        for place in range(start, start + window):
            item = items[place]
            if level_of(item) >= -np.log2(made.rate):
                assert item in everywhere or (block, item) in in_blocks or place in made.sampled
            elif counts[item] >= made.frequency:
                assert (block, item) in in_blocks
