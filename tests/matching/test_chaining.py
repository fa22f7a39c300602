"""Chains rise on both sides, and are worth what they say less what their gaps cost."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from winnow_ci.matching.constants import CONTEXT, LONGEST_GAP
from winnow_ci.matching.extension import Segment, chains

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
        (best, *_) = chains([first, one, other], BITS, texts=texts)
        assert best == (first, one if texts[1] else other)


def naive_scores(found: list[Segment], bits: list[float], texts: list[float]) -> list[float]:
    """The best score of a chain that ends with each segment, by the definition."""

    def worth(start: int, end: int) -> float:
        return sum(bits[start + 3 : end])

    scores: list[float] = []
    for after, text in zip(found, texts, strict=True):
        scores.append(worth(after.start, after.end) + text)
        for before, score in zip(found, scores[:-1], strict=False):
            gap = after.start - before.end
            shift = abs(after.diagonal - before.diagonal)
            gap_there = gap + after.diagonal - before.diagonal
            start = after.start + max(0, -gap, -gap_there)
            rises = after.start + after.diagonal > before.start + before.diagonal
            if rises and max(gap, gap_there) <= 60 and start + 3 < after.end:
                cost = 4 + 0.05 * max(gap, gap_there, 0) + (4 + 0.1 * shift if shift else 0)
                scores[-1] = max(scores[-1], score + worth(start, after.end) + text - cost)
    return scores


# As the runs around a copy are: short, on few diagonals, one after the other or over each other.
crowded = st.lists(
    st.builds(
        lambda start, length, diagonal: Segment(start, start + length, diagonal, 1),
        st.integers(0, 120),
        st.integers(5, 40),
        st.integers(197, 203) | st.just(200),
    ),
    min_size=2,
    max_size=12,
).map(sorted)


@given(found=crowded, levels=st.lists(st.integers(0, 4), min_size=8, max_size=8), data=st.data())
def test_the_best_chain_is_worth_what_the_definition_says(
    found: list[Segment], levels: list[int], data: st.DataObject
) -> None:
    bits = [float(levels[n % 8]) for n in range(200)]
    texts = data.draw(st.lists(st.sampled_from([0.0, 0.0, 6.0]), min_size=len(found), max_size=len(found)))
    cumulative, best = np.cumsum([0.0, *bits]), max(naive_scores(found, bits, texts))
    assert chains(found, cumulative, best - 0.001, texts)
    assert chains(found, cumulative, best + 0.001, texts) == []


def test_best_chains_of_many_segments_are_among_the_examples() -> None:
    few_tries = settings(max_examples=50, phases=[Phase.generate])
    assert find(crowded, lambda found: len(chains(found, BITS)[0]) > 3, settings=few_tries)


# ---- numbers that are documented --------------------------------------------------------------------------------


def worth(*segments: Segment) -> float:
    """What the best chain is worth, to the hundredth of a bit; it has all of the segments."""
    assert [part.diagonal for part in chains(segments, BITS)[0]] == [segment.diagonal for segment in segments]
    hundredths = range(20_000)
    return (bisect_left(hundredths, True, key=lambda n: not chains(segments, BITS, n / 100 - 0.001)) - 1) / 100


FIRST = Segment(100, 150, 100, 1)


def test_the_first_three_tokens_of_a_segment_are_worth_nothing() -> None:
    assert worth(FIRST) == 47


def test_a_chain_need_be_worth_nothing_unless_it_is_asked_for() -> None:
    nothing, almost = Segment(100, 103, 100, 1), np.full(400, 0.99).cumsum()
    assert chains([nothing], BITS) == [(nothing,)]
    assert chains([nothing], BITS, 0.01) == []
    assert len(chains([Segment(100, 104, 100, 1)], almost, 0.98)) == 1


def test_a_gap_costs_four_bits_and_a_twentieth_for_each_token() -> None:
    assert worth(FIRST, Segment(150, 170, 100, 1)) == 47 + 17 - 4
    assert worth(FIRST, Segment(151, 171, 100, 1)) == 47 + 17 - 4.05
    assert worth(FIRST, Segment(170, 190, 100, 1)) == 47 + 17 - 5


def test_another_diagonal_costs_four_bits_and_a_tenth_for_each_token_besides() -> None:
    assert worth(FIRST, Segment(150, 170, 101, 1)) == pytest.approx(47 + 17 - 4.05 - 4.1)
    assert worth(FIRST, Segment(160, 180, 90, 1)) == pytest.approx(47 + 17 - 4.5 - 5)


def test_what_lies_over_the_segment_before_is_worth_nothing() -> None:
    assert worth(FIRST, Segment(140, 170, 110, 1)) == 47 + 17 - 4 - 5
    assert worth(FIRST, Segment(150, 180, 90, 1)) == 47 + 17 - 4 - 5


@pytest.mark.parametrize("ahead", [0, 30, -30])
def test_a_gap_has_sixty_tokens_at_most_on_either_side(ahead: int) -> None:
    for gap, segments in ((60, 2), (61, 1)):
        start = 150 + gap - max(0, ahead)
        (best, *_) = chains([FIRST, Segment(start, start + 60, 100 + ahead, 1)], BITS)
        assert len(best) == segments


def test_at_most_half_of_a_chain_lies_in_a_better_one() -> None:
    over = [Segment(201, 399, 0, 1), Segment(200, 399, 0, 1), Segment(0, 196, 900, 1), Segment(0, 197, 900, 1)]
    long = Segment(98, 300, 200, 1)
    assert [len(chains(sorted([long, other]), BITS)) for other in over] == [2, 1, 2, 1]


def test_eight_chains_are_found_at_most() -> None:
    apart = [Segment(40 * n, 40 * n + 30, 900 - 90 * n, 1) for n in range(9)]
    assert [len(chains(apart[:count], BITS)) for count in (7, 8, 9)] == [7, 8, 8]


def test_a_segment_goes_on_with_one_of_the_two_hundred_before_it() -> None:
    for between, joined in ((199, True), (200, False)):
        aside = [Segment(150, 154, 2000 + 100 * n, 1) for n in range(between)]
        last = Segment(155, 200, 100, 1)
        assert ((FIRST, last) in chains([FIRST, *aside, last], BITS)) is joined
