"""Runs are what ``np.unique`` finds in sorted numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.runs import runs


@given(values=st.lists(st.integers(0, 6)))
def test_runs_cover_sorted_numbers(values: list[int]) -> None:
    ordered = np.array(sorted(values), np.int64)
    found = list(runs(ordered))
    assert [value for value, _, _ in found] == np.unique(ordered).tolist()
    assert [value for value, start, end in found for _ in range(start, end)] == ordered.tolist()
