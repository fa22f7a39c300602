"""Ganguly and Veda's O(m / W), to the letter, against its definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from next_of_level import next_of_level
from one_a_window import one_a_window

from support.streams import streams
from winnow_ci.winnowing.schemes import kgram_hashes

VALUES = kgram_hashes(np.arange(1, 201, dtype=np.uint64), 1).tolist()
documents = streams(st.sampled_from(VALUES[:4]) | st.sampled_from(VALUES) | st.just(0))
windows, sizes = st.integers(1, 12), st.integers(1, 40)


def level_of(item: int) -> int:
    return len(bin(item)) - len(bin(item).rstrip("0")) if item else 64


def naive(items: list[int], window: int, size: int) -> tuple[list[int], int]:
    levels = [level_of(item) for item in items]
    level = next(n for n in range(66) if sum(own >= n for own in levels) <= size)
    waiting = [place for place, own in enumerate(levels) if own >= level]
    stored: list[int] = []
    while waiting:
        within = [place for place in waiting if stored and place <= stored[-1] + window]
        stored.append(within[-1] if within else waiting[0])
        waiting = [place for place in waiting if place > stored[-1]]
    return stored, level


@settings(max_examples=40)
@given(items=documents, window=windows, size=sizes)
def test_is_what_the_paper_says(items: list[int], window: int, size: int) -> None:
    made = next_of_level(np.array(items, np.uint64), window, size)

    stored, level = naive(items, window, size)
    assert (made.sampled.tolist(), made.rate) == (stored, 0.5**level)
    assert made.size <= min(size, 2 * -(-len(items) // window) + 1)


@settings(max_examples=40)
@given(items=documents, window=windows, size=sizes)
def test_a_window_with_an_item_of_the_level_holds_an_entry(items: list[int], window: int, size: int) -> None:
    made = next_of_level(np.array(items, np.uint64), window, size)
    for start in range(len(items) - window + 1):
        is_promised = any(level_of(item) >= -np.log2(made.rate) for item in items[start : start + window])
        assert is_promised == any(start <= place < start + window for place in made.sampled)


def test_two_documents_may_store_different_items_of_a_window_that_they_share() -> None:
    random = np.random.default_rng(1)
    shared = random.integers(0, 2**64, 50, np.uint64)
    missed = {next_of_level: 0, one_a_window: 0}
    for _ in range(40):
        both = []
        for start in random.integers(1, 350, 2):
            both.append(random.integers(0, 2**64, 400, np.uint64))
            both[-1][start : start + 50] = shared
        for make in missed:
            items = [set(own[make(own, 50, 400).sampled].tolist()) for own in both]
            missed[make] += not (items[0] & items[1])
    assert missed[one_a_window] == 0 < missed[next_of_level]
