"""CountSketch: what it estimates, written out naively, and how far that is off."""

from __future__ import annotations

import statistics
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.winnowing.countsketch import PRIME, CountSketch, rows_for


def value(coefficients: list[int], key: int) -> int:
    return sum(c * key**power for power, c in enumerate(reversed(coefficients))) % int(PRIME)


@given(
    items=st.lists(st.integers(0, 9) | st.integers(0, 2**64 - 1), min_size=1, max_size=60),
    width=st.integers(1, 12),
    rows=st.integers(1, 5),
)
def test_estimates_are_medians_of_signed_counters(items: list[int], width: int, rows: int) -> None:
    sketch = CountSketch(width, rows, seed=7)
    stream = np.array(items, np.uint64)
    for part in np.array_split(stream, 3):
        sketch.add(part)
    lines, cubics = sketch._buckets.tolist(), sketch._signs.tolist()
    expected = []
    for item in items:
        estimates = []
        for line, cubic in zip(lines, cubics, strict=True):
            bucket, sign = value(line, item) % width, 1 - 2 * (value(cubic, item) % 2)
            there = [other for other in items if value(line, other) % width == bucket]
            estimates.append(sign * sum(1 - 2 * (value(cubic, other) % 2) for other in there))
        expected.append(statistics.median(estimates))
    assert sketch.estimates(stream).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_frequent_items_stand_out(seed: int) -> None:
    random = np.random.default_rng(seed)
    items = random.integers(0, 2**64, 20_000, np.uint64)[random.zipf(1.2, 60_000) % 20_000]
    frequencies = Counter(items.tolist())
    width = 1024
    sketch = CountSketch(width, rows_for(0.001), seed)
    sketch.add(items)
    heavy = sorted(frequencies.values())[-width // 32 :]
    rest = sum(count * count for count in frequencies.values()) - sum(count * count for count in heavy)
    distinct = np.array(list(frequencies), np.uint64)
    off = np.abs(sketch.estimates(distinct) - list(frequencies.values()))
    assert np.mean(off > (8 * rest / width) ** 0.5) <= 0.001


def test_more_certainty_takes_more_rows() -> None:
    assert [rows_for(delta) for delta in (0.5, 0.1, 0.01)] == [5, 11, 21]
