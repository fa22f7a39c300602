"""What stands in sorted arrays, against the plain definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.arrays import among, nearest

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
