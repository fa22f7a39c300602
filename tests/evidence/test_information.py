"""The information measure against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.evidence.weights import informative
from winnow_ci.winnowing import kgram_hashes


def of(tokens: list[int], k: int) -> list[bool]:
    return informative(kgram_hashes(np.array(tokens, np.uint64), 4), k).tolist()


# Short patterns, each repeated: code of low entropy, as tables and lists of declarations are.
patterns = st.tuples(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.integers(2, 9))
repetitive = st.lists(patterns, min_size=1, max_size=6).map(
    lambda parts: [token for pattern, times in parts for token in pattern * times]
)


@given(tokens=repetitive, k=st.integers(4, 20))
def test_a_kgram_is_informative_if_three_quarters_of_its_4_grams_differ(tokens: list[int], k: int) -> None:
    inside = k - 4 + 1
    expected = [
        len({tuple(tokens[j : j + 4]) for j in range(i, i + inside)}) >= round(0.75 * inside)
        for i in range(len(tokens) - k + 1)
    ]
    event("with uninformative k-grams" if not all(expected) else "without")
    event("both kinds" if 0 < sum(expected) < len(expected) else "one kind")
    assert of(tokens, k) == expected


# A run of one token holds one distinct 4-gram of each that lies inside it: 3 + r equal tokens among different ones
# make 13 - (r - 1) distinct 4-grams of the 13 in a 16-gram.
@pytest.mark.parametrize(
    ("equal", "distinct", "says_enough"), [(6, 11, True), (7, 10, True), (8, 9, False), (9, 8, False)]
)
def test_of_the_13_4_grams_in_a_16_gram_10_must_be_distinct(equal: int, distinct: int, says_enough: bool) -> None:
    tokens = [0] * equal + list(range(1, 17 - equal))
    assert len({tuple(tokens[j : j + 4]) for j in range(13)}) == distinct
    assert of(tokens, 16) == [says_enough]


def test_kgrams_that_hold_one_4_gram_are_all_informative() -> None:
    assert of([0] * 10, 4) == [True] * 7
    assert of([0] * 3, 4) == []


def test_of_two_4_grams_both_must_be_distinct() -> None:
    assert of([0] * 10, 5) == [False] * 6
    assert of([0] * 5 + [1], 5) == [False, True]
