"""Resemblance and containment against their definitions, and the error that a sketch says to expect."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.comparing.similarity import similarity
from winnow_ci.model.comparison import ShareEstimate

hash_sets = st.sets(st.integers(0, 60), max_size=40)


def array(values: set[int]) -> np.ndarray:
    return np.array(sorted(values), np.uint64)


@given(a=hash_sets, b=hash_sets, sketch=st.none() | st.integers(40, 100))
def test_from_all_they_are_the_shares_themselves(a: set[int], b: set[int], sketch: int | None) -> None:
    told = similarity(array(a), array(b), sketch)
    for share, whole in zip(told, (a | b, a, b), strict=True):
        assert share == ShareEstimate(len(a & b) / len(whole) if whole else float(not (a | b)))


@given(a=hash_sets, b=hash_sets, sketch=st.integers(1, 12))
def test_a_sketch_looks_at_the_smallest_of_both(a: set[int], b: set[int], sketch: int) -> None:
    told = similarity(array(a), array(b), sketch)
    if max(len(a), len(b)) <= sketch:
        assert told == similarity(array(a), array(b))
        return
    sample = set(sorted(a | b)[:sketch])
    for share, whole in zip(told, (sample, sample & a, sample & b), strict=True):
        assert share.value == (len(sample & a & b) / len(whole) if whole else 0)
        assert 0 < share.error <= sqrt(1 / 12)


@pytest.mark.parametrize("common", [0, 300, 1500, 2900])
def test_the_error_is_as_large_as_it_says(common: int) -> None:
    random = np.random.default_rng(common)
    off, said = [], []
    for _ in range(400):
        values = random.choice(2**62, 6000 - common, replace=False).astype(np.uint64)
        a, b = np.sort(values[:3000]), np.sort(values[3000 - common :])
        for truth, told in zip(similarity(a, b), similarity(a, b, 100), strict=True):
            off.append(told.value - truth.value)
            said.append(told.error)
    assert np.sqrt(np.mean(np.square(off))) <= 1.1 * np.sqrt(np.mean(np.square(said)))
    assert abs(np.mean(off)) < 0.01
