"""All that agrees around a seed is found, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.sequences import alike, equal_kgrams
from winnow_ci.matching.extension import Segment, neighbourhoods, runs_around


def naive_runs(here: list[int], there: list[int], window: range, diagonals: range) -> set[tuple[int, int, int]]:
    """Maximal runs of equal tokens, each token looked at on its own."""
    found = set()
    for diagonal in diagonals:
        equal = [n for n in window if 0 <= n + diagonal < len(there) and here[n] == there[n + diagonal]]
        for start in equal:
            if start - 1 not in equal:
                end = start
                while end in equal:
                    end += 1
                found.add((start, end, diagonal))
    return {run for run in found if run[1] - run[0] >= 5}


def around(here: list[int], there: list[int], group: list[Segment], bits: float = 4.0) -> list[tuple[int, ...]]:
    cumulative = np.arange(len(here) + 1) * bits
    return [run[:3] for run in runs_around(np.array(here, np.uint8), np.array(there, np.uint8), group, cumulative)]


@given(both=alike(st.integers(0, 2), 80), bits=st.sampled_from([0.0, 0.9, 1.0, 2.0, 4.0]), data=st.data())
def test_runs_around_a_segment_are_those_of_the_definition(
    both: tuple[list[int], list[int]], bits: float, data: st.DataObject
) -> None:
    here, there = both
    start, diagonal = data.draw(st.sampled_from(equal_kgrams(here, there, 4) or [(0, 0)]))
    group = [Segment(start, min(start + 16, len(here)), diagonal, 1)]
    window = range(max(0, start - 120), min(len(here), start + 16 + 120))
    expected = naive_runs(here, there, window, range(diagonal - 40, diagonal + 41))
    telling = {run for run in expected if run[2] == diagonal or (run[1] - run[0] - 3) * bits >= 4.0}
    assert around(here, there, group, bits) == sorted(telling)


def test_a_segment_is_of_the_neighbourhood_of_one_that_is_near_on_both_sides() -> None:
    one, near = Segment(0, 20, 0, 1), Segment(30, 50, 40, 1)
    later, aside = Segment(300, 330, 0, 1), Segment(35, 55, 120, 1)
    assert neighbourhoods([one, near, aside, later]) == [[one, near], [aside], [later]]


@pytest.mark.parametrize(
    ("other", "groups"),
    [
        (Segment(220, 240, 100, 1), 1),
        (Segment(221, 240, 100, 1), 2),
        (Segment(30, 50, 140, 1), 1),
        (Segment(30, 50, 141, 1), 2),
        (Segment(30, 50, 60, 1), 1),
        (Segment(30, 50, 59, 1), 2),
    ],
)
def test_near_is_up_to_200_tokens_and_40_diagonals_away(other: Segment, groups: int) -> None:
    assert len(neighbourhoods([Segment(0, 20, 100, 1), other])) == groups


@pytest.mark.parametrize(("between", "joins"), [(5, True), (6, False)])
def test_a_segment_is_compared_with_the_six_last_neighbourhoods_and_with_six_of_each(between: int, joins: bool) -> None:
    first, last = Segment(0, 20, 0, 1), Segment(50, 70, 0, 1)
    far = [Segment(30 + n, 50 + n, 1000 * (n + 1), 1) for n in range(between)]
    assert ([first, last] in neighbourhoods([first, *far, last])) is joins
    # All are near the first; the last is near no other.
    aside = [Segment(30 + n, 50 + n, 30, 1) for n in range(between)]
    last = Segment(50, 70, -30, 1)
    assert (neighbourhoods([first, *aside, last]) == [[first, *aside, last]]) is joins


ALL_ALIKE = [1] * 600


def test_a_neighbourhood_reaches_120_tokens_and_40_diagonals_beyond_its_segments() -> None:
    runs = around(ALL_ALIKE, ALL_ALIKE, [Segment(200, 216, 0, 1), Segment(230, 240, 3, 1)])
    assert {(start, end) for start, end, _ in runs} == {(80, 360)}
    assert [diagonal for _, _, diagonal in runs] == [*range(-40, 44)]


def test_runs_have_five_tokens_and_those_beside_the_seeds_four_bits() -> None:
    for length, bits, on_it, beside in (
        (5, 2.0, 1, 1),
        (4, 4.0, 0, 0),
        (5, 1.99, 1, 0),
        (7, 1.0, 1, 1),
        (7, 0.99, 1, 0),
    ):
        run = [2] * 50 + [*range(10, 10 + length)] + [3] * 50
        there = [4] * 50 + [*range(10, 10 + length)] + [5] * 50
        assert len(around(run, there, [Segment(40, 40, 0, 0)], bits)) == on_it
        assert len(around(run, there, [Segment(40, 40, 1, 0)], bits)) == beside


# ---- bounds on the work for hostile changes ---------------------------------------------------------------------


def test_six_thousand_tokens_are_looked_at_at_most() -> None:
    alike = [1] * 6200
    runs = around(alike, alike, [Segment(130, 146, 0, 1), Segment(6150, 6160, 0, 1)], 0.0)
    assert runs == [(10, 6010, 0)]


def test_280_diagonals_are_looked_at_at_most() -> None:
    def diagonals(*of_seeds: int) -> list[int]:
        group = [Segment(10, 20, diagonal, 1) for diagonal in of_seeds]
        return sorted({run[2] for run in around([1] * 30, [1] * 600, group)})

    assert diagonals(100, 298) == [*range(60, 339)]
    assert diagonals(100, 299) == [*range(60, 340)]
    assert diagonals(100, 300) == [*range(60, 340)]
    assert diagonals(100, 340) == [*range(60, 340)]
    assert diagonals(100, 500) == [*range(60, 340)]


def test_the_four_hundred_longest_runs_are_chained_at_most() -> None:
    here = [token for n in range(1, 20) for token in (*[1] * (4 + n), 2)]
    runs = around(here, ALL_ALIKE[: len(here)], [Segment(0, 5, 0, 1), Segment(100, 105, 100, 1)])
    every = naive_runs(here, ALL_ALIKE[: len(here)], range(225), range(-40, 141))
    assert len(every) > 1000
    assert len(runs) == 400
    assert runs == sorted(runs)
    lengths = sorted((end - start for start, end, _ in every), reverse=True)
    assert sorted((end - start for start, end, _ in runs), reverse=True) == lengths[:400]
