"""Segments are the longest equal runs around seeds, on the strongest diagonals."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.sequences import alike, equal_kgrams
from winnow_ci.matching.extension import Segment, segments
from winnow_ci.matching.hits import Seeds


def around(here: list[int], there: list[int], seeds: list[tuple[int, int]], k: int) -> list[Segment]:
    """The segments around seeds, which are told by position and diagonal."""
    positions, diagonals = (np.array([pair[side] for pair in seeds], np.int64) for side in (0, 1))
    every = np.ones(len(seeds), np.bool_)
    found = Seeds(positions, diagonals, every, every, every)
    return segments(np.array(here, np.uint8), np.array(there, np.uint8), found, k)


@given(both=alike(st.integers(0, 2)), k=st.integers(1, 6), data=st.data())
def test_segments_are_the_longest_runs_around_seeds(
    both: tuple[list[int], list[int]], k: int, data: st.DataObject
) -> None:
    here, there = both
    equal = equal_kgrams(here, there, k)
    chosen = data.draw(st.lists(st.sampled_from(equal), unique=True, max_size=30)) if equal else []
    if equal and data.draw(st.booleans()):
        # All seeds of one diagonal, of which several stand in one run, or in one run each.
        _, diagonal = data.draw(st.sampled_from(equal))
        chosen = list({*chosen, *(pair for pair in equal if pair[1] == diagonal)})
    expected = Counter()
    for start, diagonal in chosen:
        low, high = start, start + k
        while low > 0 and low + diagonal > 0 and here[low - 1] == there[low - 1 + diagonal]:
            low -= 1
        while high < len(here) and high + diagonal < len(there) and here[high] == there[high + diagonal]:
            high += 1
        expected[low, high, diagonal] += 1
    found = around(here, there, chosen, k)
    assert [segment[:3] for segment in found] == sorted(expected)
    assert {segment[:3]: segment.seeds for segment in found} == expected


def test_a_run_is_followed_for_2048_tokens_beyond_its_seeds() -> None:
    assert around([1] * 9000, [1] * 9000, [(4000, 0)], 5) == [Segment(1952, 6053, 0, 1)]
    assert around([1] * 9000, [1] * 9000, [(4000, 0), (4500, 0)], 5) == [Segment(1952, 6553, 0, 2)]
    whole = [0] * 1952 + [1] * 4101 + [0] * 100
    assert around(whole, whole, [(4000, 0)], 5) == [Segment(1952, 6053, 0, 1)]


def test_the_128_diagonals_with_most_seeds_are_followed() -> None:
    weak, strong = [(9, diagonal) for diagonal in range(100)], [(at, d) for d in range(100, 140) for at in (3, 7)]
    found = around([1] * 20, [1] * 200, [*weak, *strong], 5)
    diagonals = sorted(segment.diagonal for segment in found)
    assert len(diagonals) == 128
    assert diagonals[-40:] == [*range(100, 140)]
    assert len(around([1] * 20, [1] * 200, weak[:60] + strong, 5)) == 100


def test_a_seed_that_both_sides_contradict_is_none() -> None:
    """Chance lets two k-grams have one hash, and a damaged map may tell anything."""
    here, there = [1, 1, 1, 1, 1, 1, 2, 1, 1], [1, 1, 1, 1, 1, 1, 3, 1, 1]
    assert around(here, there, [(2, 0)], 5) == []
    assert around(here, there, [(1, 0)], 5) == [Segment(0, 6, 0, 1)]
    assert around(here, there, [(1, 0), (2, 0)], 5) == [Segment(0, 6, 0, 1)]
    assert around(here, there, [(7, 0)], 5) == []
    for beyond in (8, 11, 12, 13, 14, 50):
        assert around([1] * 100, [1] * 12, [(beyond, 0)], 5) == []
        assert around([1] * 100, [1] * 12, [(beyond - 4, 4)], 5) == []
    assert around([1] * 100, [1] * 12, [(7, 0)], 5) == [Segment(0, 12, 0, 1)]


def test_a_segment_stands_further_on_by_its_diagonal() -> None:
    assert Segment(10, 19, 4, 1).span_there == (14, 23)
    assert Segment(10, 19, -4, 1).span_there == (6, 15)
