"""All that agrees around a seed is found, and nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.neighbourhoods import (
    BAND,
    LEAST_ASIDE,
    NEAR,
    REACH,
    SHORTEST,
    neighbourhoods,
    runs_around,
)
from winnow_ci.matching.segments import Segment

sequences = st.lists(st.integers(0, 2), min_size=1, max_size=80)


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
    return {run for run in found if run[1] - run[0] >= SHORTEST}


@given(here=sequences, there=sequences, start=st.integers(0, 79), diagonal=st.integers(-60, 60), bits=st.floats(0, 4))
def test_runs_around_a_segment_are_those_of_the_definition(
    here: list[int], there: list[int], start: int, diagonal: int, bits: float
) -> None:
    start = min(start, len(here) - 1)
    group = [Segment(start, min(start + 16, len(here)), diagonal, 1)]
    cumulative = np.arange(len(here) + 1) * bits
    found = runs_around(np.array(here, np.uint8), np.array(there, np.uint8), group, cumulative)
    window = range(max(0, start - REACH), min(len(here), start + 16 + REACH))
    expected = naive_runs(here, there, window, range(diagonal - BAND, diagonal + BAND + 1))
    telling = {
        run for run in expected if run[2] == diagonal or cumulative[run[1]] - cumulative[run[0] + 3] >= LEAST_ASIDE
    }
    assert [segment[:3] for segment in found] == sorted(telling)


def test_segments_far_apart_on_either_side_are_neighbourhoods_of_their_own() -> None:
    one, near = Segment(0, 20, 0, 1), Segment(30, 50, BAND, 1)
    later, aside = Segment(NEAR + 100, NEAR + 130, 0, 1), Segment(35, 55, BAND * 3, 1)
    assert neighbourhoods([one, near, aside, later]) == [[one, near], [aside], [later]]
