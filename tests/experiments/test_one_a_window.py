"""One sampled item a window, against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from one_a_window import enough, one_a_window, reversed_bits

from support.streams import streams
from winnow_ci.winnowing.schemes import kgram_hashes

VALUES = kgram_hashes(np.arange(1, 201, dtype=np.uint64), 1).tolist()
documents = streams(st.sampled_from(VALUES[:4]) | st.sampled_from(VALUES) | st.just(0))
windows, sizes = st.integers(1, 40), st.integers(1, 40)


def level_of(item: int) -> int:
    return len(bin(item)) - len(bin(item).rstrip("0")) if item else 64


def naive(items: list[int], window: int, size: int) -> tuple[list[int], int]:
    """Of each window the last item whose bits, lowest first, are least; kept while it is such; then the levels."""
    chosen: list[int] = []
    for start in range(len(items) - window + 1):
        bits = [f"{item:064b}"[::-1] for item in items[start : start + window]]
        if not (chosen and chosen[-1] >= start and bits[chosen[-1] - start] == min(bits)):
            chosen.append(start + max(n for n, own in enumerate(bits) if own == min(bits)))
    level = 0
    while len(chosen) > size:
        level += 1
        chosen = [place for place in chosen if level_of(items[place]) >= level]
    return chosen, level


@given(items=documents, window=windows, size=sizes)
def test_is_what_the_definition_says(items: list[int], window: int, size: int) -> None:
    made = one_a_window(np.array(items, np.uint64), window, size)
    places, level = naive(items, min(window, len(items)), size) if items else ([], 0)
    assert (made.sampled.tolist(), made.rate) == (places, 0.5**level)
    assert made.size == len(places) <= size


@given(items=documents, window=windows, size=sizes)
def test_a_window_is_found_if_it_has_a_sampled_item(items: list[int], window: int, size: int) -> None:
    made = one_a_window(np.array(items, np.uint64), window, size)
    for start in range(len(items) - window + 1):
        is_promised = any(level_of(item) >= -np.log2(made.rate) for item in items[start : start + window])
        assert is_promised == any(start <= place < start + window for place in made.sampled)


@given(
    shared=st.lists(st.integers(0, 4), min_size=10, max_size=10),
    around=st.lists(st.lists(st.integers(0, 4), max_size=40), min_size=4, max_size=4),
)
def test_two_documents_with_a_window_choose_the_same_item_in_it(shared: list[int], around: list[list[int]]) -> None:
    items = []
    for before, after in (around[:2], around[2:]):
        hashes = kgram_hashes(np.array([*before, *shared, *after], np.uint64), 1)
        places = one_a_window(hashes, len(shared), len(hashes)).sampled
        items.append(set(hashes[places[(places >= len(before)) & (places < len(before) + len(shared))]].tolist()))
    assert items[0] & items[1]


@pytest.mark.parametrize("window", [50, 400])
def test_it_keeps_two_in_a_window_of_random_text(window: int) -> None:
    hashes = np.random.default_rng(1).integers(0, 2**64, 100_000, np.uint64)
    made = one_a_window(hashes, window, len(hashes))
    assert made.size == pytest.approx(2 * len(hashes) / (window + 1), rel=0.15)


def periodic(count: int, period: int) -> np.ndarray:
    return np.arange(count) % period


@pytest.mark.parametrize(
    "numbers",
    [
        np.arange(20_000),
        periodic(20_000, 20),
        periodic(20_000, 399),
        periodic(20_000, 401),
        np.arange(20_000) // 400 * 400 + periodic(20_000, 20),
        np.arange(20_000) // 20,
        np.where(np.arange(20_000) % 2, 0, np.arange(20_000)),
        np.random.default_rng(1).zipf(1.3, 20_000) % 20_000,
    ],
    ids=["distinct", "period 20", "period 399", "period 401", "stretches", "each 20 times", "each second", "words"],
)
def test_no_document_has_more_than_the_bound_on_average(numbers: np.ndarray) -> None:
    window, drawn = 400, 20
    random = np.random.default_rng(2)
    sizes = [
        one_a_window(random.integers(0, 2**64, 20_000, np.uint64)[numbers], window, 20_000).size for _ in range(drawn)
    ]
    assert np.mean(sizes) <= enough(len(numbers), window, 1)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=5))
def test_bits_are_reversed(items: list[int]) -> None:
    assert reversed_bits(np.array(items, np.uint64)).tolist() == [int(f"{item:064b}"[::-1], 2) for item in items]
