"""What stands in sorted arrays, ranges and sums of many parts, against the plain definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.arrays import among, distinct, nearest, ranges, sums

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


@given(lengths=st.lists(st.integers(0, 9) | st.integers(0, 400), max_size=6), seed=st.integers(0, 9))
def test_each_sum_is_what_numpy_makes_of_the_part_to_the_last_bit(lengths: list[int], seed: int) -> None:
    values = np.random.default_rng(seed).exponential(1.0, sum(lengths))
    parts = np.split(values, np.cumsum(lengths).astype(np.int64))[:-1]
    assert sums(values, np.array(lengths, np.int64)).tolist() == [float(part.sum()) for part in parts]
