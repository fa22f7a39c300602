"""Chains rise on both sides and are worth what they say; recurrences are counted as defined."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.chaining import CONTEXT, LONGEST_GAP, chains
from winnow_ci.matching.renaming import recurrences
from winnow_ci.matching.segments import Segment, segments

# Every token says one bit.
BITS = np.arange(400, dtype=np.float64)

any_segments = st.lists(
    st.builds(
        lambda start, length, diagonal: Segment(start, start + length, diagonal, 1),
        st.integers(0, 200),
        st.integers(16, 60),
        st.integers(-50, 50),
    ),
    max_size=25,
).map(sorted)


@given(found=any_segments)
def test_chains_are_one_to_one(found: list[Segment]) -> None:
    for chain in chains(found, BITS):
        for before, after in pairwise(chain):
            assert before.end <= after.start
            assert before.end + before.diagonal <= after.start + after.diagonal
            assert after.start - before.end <= LONGEST_GAP + 60
        assert all(segment.start < segment.end for segment in chain)


@given(found=any_segments)
def test_a_chain_lies_mostly_outside_better_ones(found: list[Segment]) -> None:
    spans = [(chain[0].start, chain[-1].end) for chain in chains(found, BITS)]
    for n, (start, end) in enumerate(spans):
        assert all(min(end, high) - max(start, low) <= (end - start) / 2 for low, high in spans[:n])


def test_the_straight_continuation_is_preferred() -> None:
    first, straight, aside = Segment(0, 30, 5, 1), Segment(35, 60, 5, 1), Segment(35, 61, 25, 1)
    assert chains([first, straight, aside], BITS)[0] == (first, straight)


@given(found=any_segments)
def test_the_best_chain_is_worth_at_least_its_best_segment(found: list[Segment]) -> None:
    worths = [segment.end - segment.start - CONTEXT for segment in found]
    assert bool(chains(found, BITS, max(worths, default=0))) == bool(found)
    assert chains(found, BITS, sum(worths) + 0.01) == []


def test_of_two_equal_ways_the_one_with_the_same_text_is_taken() -> None:
    first, one, other = Segment(0, 30, 5, 1), Segment(35, 60, 5, 1), Segment(35, 60, 5, 0)
    for texts in ([0.0, 3.0, 0.0], [0.0, 0.0, 3.0]):
        (best, *_) = chains([first, one, other], BITS, texts=np.array(texts))
        assert best == (first, one if texts[1] else other)


@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=30))
def test_recurrences_count_those_that_agree(pairs: list[tuple[int, int]]) -> None:
    names, there = np.array([name for name, _ in pairs], np.uint64), np.array([sketch for _, sketch in pairs], np.uint8)

    keys = {name for name, _ in pairs}
    agreeing = sum(max(Counter(v for k, v in pairs if k == key).values()) - 1 for key in keys)
    recurring = len(pairs) - len({name for name, _ in pairs})
    assert recurrences(names, there) == (recurring, agreeing)


sequences = st.lists(st.integers(0, 2), max_size=60)


@given(here=sequences, there=sequences, k=st.integers(1, 6), data=st.data())
def test_segments_are_the_longest_runs_around_seeds(
    here: list[int], there: list[int], k: int, data: st.DataObject
) -> None:
    equal = [
        (q, p - q)
        for q in range(len(here) - k + 1)
        for p in range(len(there) - k + 1)
        if here[q : q + k] == there[p : p + k]
    ]
    chosen = data.draw(st.lists(st.sampled_from(equal), unique=True)) if equal else []
    expected = Counter()
    for start, diagonal in chosen:
        low, high = start, start + k
        while low > 0 and low + diagonal > 0 and here[low - 1] == there[low - 1 + diagonal]:
            low -= 1
        while high < len(here) and high + diagonal < len(there) and here[high] == there[high + diagonal]:
            high += 1
        expected[low, high, diagonal] += 1
    seeds, diagonals = (np.array([pair[side] for pair in chosen], np.int64) for side in (0, 1))
    found = segments(np.array(here, np.uint8), np.array(there, np.uint8), seeds, diagonals, k)
    assert {segment[:3]: segment.seeds for segment in found} == expected
