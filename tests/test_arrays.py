"""Look-up in sorted arrays, ranges and whole steps do what their plain definitions say."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.arrays import among, distinct, firsts, in_steps, nearest, ranges

NUMBERS = st.lists(st.integers(0, 9) | st.integers(0, 2**64 - 1), max_size=20)


@given(values=NUMBERS, known=NUMBERS)
def test_values_are_found_where_they_are(values: list[int], known: list[int]) -> None:
    asked, there = np.array(values, np.uint64), np.array(sorted(known), np.uint64)
    assert among(asked, there).tolist() == [value in known for value in values]
    if known:
        places = nearest(asked, there).tolist()
        assert [int(there[place]) for place, value in zip(places, values, strict=True) if value in known] == [
            value for value in values if value in known
        ]


@given(values=NUMBERS)
def test_distinct_values_are_numbered(values: list[int]) -> None:
    found, numbers = distinct(np.array(values, np.uint64))
    assert found.tolist() == sorted(set(values))
    assert found[numbers].tolist() == values


@given(parts=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9)), max_size=6))
def test_ranges_follow_each_other(parts: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(parts, np.int64).reshape(-1, 2).T
    assert ranges(starts, lengths).tolist() == [n for start, length in parts for n in range(start, start + length)]


@given(values=NUMBERS)
def test_the_first_of_each_value_is_told_by_rising_value(values: list[int]) -> None:
    found = firsts(np.array(values, np.uint64)).tolist()
    assert found == [values.index(value) for value in sorted(set(values))]


@given(bits=st.lists(st.floats(0, 200, width=32), min_size=2, max_size=40), seed=st.integers(0, 9))
def test_bits_in_whole_steps_have_one_sum_in_any_order(bits: list[float], seed: int) -> None:
    steps = in_steps(np.array(bits))
    assert np.abs(steps - bits).max() <= 1 / 2048
    assert np.random.default_rng(seed).permutation(steps).cumsum()[-1] == steps.sum() == sum(steps.tolist())
