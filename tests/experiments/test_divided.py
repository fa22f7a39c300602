"""A size that divides itself, against all divisions that there are."""

from __future__ import annotations

from collections import Counter
from math import ceil, log

import numpy as np
import pytest
from divided import divided
from hypothesis import given
from hypothesis import strategies as st

from support.streams import streams
from winnow_ci.winnowing.schemes import kgram_hashes

VALUES = kgram_hashes(np.arange(1, 201, dtype=np.uint64), 1).tolist()
documents = streams(st.sampled_from(VALUES[:4]) | st.sampled_from(VALUES))
DELTA = 0.1


def division(items: list[int], window: int, size: int, frequency: int) -> tuple[float, set[int], set[tuple[int, int]]]:
    """The chance of a miss with one f, globally frequent items, and those frequent in a block; above 1 without room."""
    least = max(2.0, 7 / 16 * (size / 2) / log(1 / DELTA))
    while len(common := {x for x, count in Counter(items).items() if count >= least}) > size // 4:
        least *= 2
    in_blocks = set()
    for block in range(len(items) // window + 1):
        counts = Counter(items[block * window : (block + 2) * window])
        in_blocks |= {(block, x) for x, n in counts.items() if n >= frequency and x not in common}
    if len(common) + len(in_blocks) > size:
        return 2.0, common, in_blocks
    held, level = [], 0
    for place, item in enumerate(items):
        its_blocks = {place // window, max(place // window - 1, 0)}
        if item not in common and not all((block, item) in in_blocks for block in its_blocks):
            held.append(item)
    while sum(item % 2**level == 0 for item in held) > size - len(common) - len(in_blocks):
        level += 1
    return (1 - 0.5**level) ** ceil(window / (frequency - 1)), common, in_blocks


@given(items=documents, window=st.integers(1, 40), size=st.integers(1, 60))
def test_no_other_division_misses_less(items: list[int], window: int, size: int) -> None:
    made, miss = divided(np.array(items, np.uint64), window, size, DELTA)
    assert made.size <= size
    if len(items) <= size:
        assert (made.sampled.tolist(), miss) == (list(range(len(items))), 0)
        return
    told, common, in_blocks = division(items, window, size, made.frequency)
    assert told == pytest.approx(miss)
    assert {items[place] for place in made.everywhere} == common
    assert set(zip(made.blocks.tolist(), (items[place] for place in made.in_block), strict=True)) == in_blocks
    others = [division(items, window, size, 2**power)[0] for power in range(1, 9)]
    assert min(others) == pytest.approx(miss)
