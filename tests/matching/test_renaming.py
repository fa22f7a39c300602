"""Recurrences of names, and those that meet the same name again, are counted as defined."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.renaming import recurrences


@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30))
def test_recurrences_count_those_that_agree(pairs: list[tuple[int, int]]) -> None:
    names, there = np.array([name for name, _ in pairs], np.uint64), np.array([sketch for _, sketch in pairs], np.uint8)

    keys = {name for name, _ in pairs}
    agreeing = sum(max(Counter(v for k, v in pairs if k == key).values()) - 1 for key in keys)
    recurring = len(pairs) - len({name for name, _ in pairs})
    assert recurrences(names, there) == (recurring, agreeing)
