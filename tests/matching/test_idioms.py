"""A shape in several wordings is an idiom; one wording in many places is not."""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.matching.idioms import WORDINGS, is_idiom
from winnow_ci.matching.judge import Candidate
from winnow_ci.matching.layout import Layout
from winnow_ci.matching.segments import Segment


def candidate(wording: int, start: int = 0, length: int = 60) -> Candidate:
    """A stretch of the change that matches a known stretch; its names are those of the wording."""
    here = np.arange(start, start + length)
    there = np.where(here % 3 == 0, 130 + wording, 7).astype(np.uint8)
    layout = Layout(np.empty((0, 2), np.int64), 0)
    return Candidate((Segment(start, start + length, 0, 5),), here, there, layout)


@pytest.mark.parametrize("copies", [1, 5])
def test_many_copies_of_one_wording_are_no_idiom(copies: int) -> None:
    assert not is_idiom(candidate(0), [candidate(0) for _ in range(copies)])


def test_several_wordings_are_an_idiom() -> None:
    shapes = [candidate(wording) for wording in range(WORDINGS)]
    assert is_idiom(shapes[0], shapes)
    assert not is_idiom(shapes[0], shapes[: WORDINGS - 1])


def test_shapes_elsewhere_do_not_matter() -> None:
    shapes = [candidate(0), *(candidate(wording, start=45) for wording in range(1, 9))]
    assert not is_idiom(shapes[0], shapes)
