"""A shape in several wordings is an idiom; one wording in many places is not."""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.matching.candidate import Candidate
from winnow_ci.matching.idioms import is_idiom
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
    shapes = [candidate(wording) for wording in range(3)]
    assert is_idiom(shapes[0], shapes)
    assert not is_idiom(shapes[0], shapes[:2])
    assert is_idiom(shapes[0], [shapes[0], *shapes[:2], shapes[2]])


def test_shapes_elsewhere_do_not_matter() -> None:
    shapes = [candidate(0), *(candidate(wording, start=45) for wording in range(1, 9))]
    assert not is_idiom(shapes[0], shapes)


@pytest.mark.parametrize(
    ("start", "length", "covers"), [(0, 50, True), (0, 49, False), (50, 90, True), (51, 90, False)]
)
def test_wordings_are_compared_where_they_cover_half_of_the_shape(start: int, length: int, covers: bool) -> None:
    shapes = [candidate(wording, start, length) for wording in (1, 2)]
    assert is_idiom(candidate(0, length=100), [candidate(0, length=100), *shapes]) is covers


def test_a_shape_that_covers_more_than_the_candidate_counts_by_what_it_covers() -> None:
    shapes = [candidate(wording, 10, 90) for wording in range(3)]
    assert is_idiom(candidate(0, 30, 10), shapes)


@pytest.mark.parametrize(("different", "wordings"), [(10, 1), (11, 2)])
def test_stretches_are_one_wording_if_nine_of_ten_tokens_agree(different: int, wordings: int) -> None:
    plain = candidate(0, length=100)
    there = np.where(plain.here < different, 9, plain.there).astype(np.uint8)
    shapes = [plain, candidate(1, length=100), plain._replace(there=there)]
    assert is_idiom(plain, shapes) is (wordings == 2)


def test_stretches_that_match_no_token_in_common_are_two_wordings() -> None:
    left, right, all_of_it = candidate(0, 0, 60), candidate(0, 60, 60), candidate(1, 0, 120)
    assert is_idiom(all_of_it, [all_of_it, left, right])
    assert not is_idiom(all_of_it, [candidate(0, 0, 120), left, right])
