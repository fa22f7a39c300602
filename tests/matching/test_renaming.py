"""Recurrences of names, and those that meet the same name again, are counted as defined."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.renaming import recurrences

any_pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30)


@given(candidates=st.lists(any_pairs, min_size=1, max_size=4))
def test_recurrences_count_those_that_agree(candidates: list[list[tuple[int, int]]]) -> None:
    owners = np.repeat(np.arange(len(candidates)), [len(pairs) for pairs in candidates])
    every = [pair for pairs in candidates for pair in pairs]
    names, there = np.array([name for name, _ in every], np.uint64), np.array([sketch for _, sketch in every], np.uint8)
    counts, agreeing = recurrences(owners, names, there, len(candidates))
    assert list(zip(counts.tolist(), agreeing.tolist(), strict=True)) == [of_one(pairs) for pairs in candidates]


def of_one(pairs: list[tuple[int, int]]) -> tuple[int, int]:
    keys = {name for name, _ in pairs}
    agreeing = sum(max(Counter(v for k, v in pairs if k == key).values()) - 1 for key in keys)
    return len(pairs) - len(keys), agreeing
