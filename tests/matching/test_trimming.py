"""A copy ends where it ends, not with the chance tokens of the next line."""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.matching.extension import Segment, without_loose_ends, without_stray_ends

# Tokens 0-9 stand on line 1, 10-19 on line 2, and so on.
LINES = np.repeat(np.arange(1, 9, dtype=np.int32), 10)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (10, 42, (10, 40)),
        (17, 40, (20, 40)),
        (8, 53, (10, 50)),
        (15, 45, (20, 40)),
        (14, 46, (14, 46)),
        (10, 40, (10, 40)),
        (12, 38, (12, 38)),
    ],
)
def test_a_small_part_of_a_line_is_cut(start: int, end: int, expected: tuple[int, int]) -> None:
    assert without_stray_ends((Segment(start, end, 7, 3),), LINES, 16) == (Segment(*expected, 7, 3),)


def test_the_line_of_a_long_line_file_is_not_cut() -> None:
    lines = np.ones(1000, np.int32)
    assert without_stray_ends((Segment(100, 160, 0, 3),), lines, 16) == (Segment(100, 160, 0, 3),)


def test_what_is_left_must_be_long_enough() -> None:
    parts = (Segment(10, 40, 0, 3), Segment(45, 62, 2, 1))
    assert without_stray_ends(parts, LINES, 16) == parts


def test_each_end_of_a_chain_is_cut() -> None:
    parts = (Segment(8, 40, 0, 3), Segment(45, 72, 2, 1))
    assert without_stray_ends(parts, LINES, 16) == (Segment(10, 40, 0, 3), Segment(45, 70, 2, 1))


def test_each_block_of_a_copy_in_another_order_is_cut() -> None:
    parts = (Segment(8, 40, 100, 3), Segment(40, 72, -40, 1))
    assert without_stray_ends(parts, LINES, 16) == (Segment(10, 40, 100, 3), Segment(40, 70, -40, 1))
    inside = (Segment(10, 42, 100, 3), Segment(42, 70, -40, 1))
    assert without_stray_ends(inside, LINES, 16) == (Segment(10, 40, 100, 3), Segment(42, 70, -40, 1))


def test_eight_tokens_are_cut_at_most() -> None:
    lines = np.repeat(np.arange(1, 5, dtype=np.int32), 40)
    for start, end, expected in ((32, 128, (40, 120)), (31, 129, (31, 129)), (32, 129, (40, 129))):
        assert without_stray_ends((Segment(start, end, 7, 3),), lines, 16) == (Segment(*expected, 7, 3),)


def test_as_many_tokens_are_left_as_must_be() -> None:
    assert without_stray_ends((Segment(8, 26, 0, 3),), LINES, 16) == (Segment(10, 26, 0, 3),)
    assert without_stray_ends((Segment(8, 25, 0, 3),), LINES, 16) == (Segment(8, 25, 0, 3),)
    assert without_stray_ends((Segment(14, 32, 0, 3),), LINES, 16) == (Segment(14, 30, 0, 3),)
    assert without_stray_ends((Segment(15, 32, 0, 3),), LINES, 16) == (Segment(15, 32, 0, 3),)


def test_a_block_ends_where_the_source_goes_back_from_the_segment_before() -> None:
    going_on = (Segment(8, 30, 200, 1), Segment(30, 52, 10, 1), Segment(52, 72, 12, 1))
    assert [part[:2] for part in without_stray_ends(going_on, LINES, 16)] == [(10, 30), (30, 52), (52, 70)]
    going_back = (Segment(8, 30, 0, 1), Segment(30, 52, 100, 1), Segment(52, 72, 40, 1))
    assert [part[:2] for part in without_stray_ends(going_back, LINES, 16)] == [(10, 30), (30, 50), (52, 70)]


# ---- segments at the ends ---------------------------------------------------------------------------------------

# One token a line.
SPARSE = np.arange(1, 201, dtype=np.int32)


def kept(
    parts: list[tuple[int, int]], *, lines: np.ndarray = SPARSE, there: np.ndarray = SPARSE
) -> list[tuple[int, int]]:
    """What is left of segments on one diagonal, each token of which says one bit."""
    found = without_loose_ends(
        [Segment(start, end, 0, 1) for start, end in parts], lines, there, lambda part: float(part.end - part.start)
    )
    return [(part.start, part.end) for part in found]


@pytest.mark.parametrize(("gap", "length", "stays"), [(1, 10, True), (1, 9, False), (9, 22, True), (9, 21, False)])
def test_a_segment_at_an_end_says_8_bits_and_one_and_a_half_more_for_each_line_between(
    gap: int, length: int, *, stays: bool
) -> None:
    main, before, after = (50, 90), (50 - gap - length, 50 - gap), (90 + gap, 90 + gap + length)
    assert kept([main, after]) == [main, after][: 1 + stays]
    assert kept([before, main]) == [before, main][1 - stays :]


@pytest.mark.parametrize(("length", "stays"), [(11, True), (10, False)])
def test_segments_at_an_end_say_enough_together_less_two_bits_a_break(length: int, *, stays: bool) -> None:
    parts = [(50, 90), (92, 94), (130, 130 + length)]
    assert kept(parts) == (parts[:2] if stays else parts[:1])


def test_one_loose_end_after_the_other_is_cut() -> None:
    assert kept([(0, 5), (26, 30), (50, 90), (100, 102), (120, 125)]) == [(50, 90)]
    assert kept([(0, 5)]) == [(0, 5)]


@pytest.mark.parametrize(("empty", "there", "expected"), [(3, 0, (0, 40)), (4, 0, (4, 40)), (4, 4, (0, 40))])
def test_a_few_tokens_behind_lines_without_any_are_cut_unless_the_source_has_such_lines_there(
    empty: int, there: int, expected: tuple[int, int]
) -> None:
    """A closing brace, a long comment, and the copy."""
    lines, source = SPARSE.copy(), SPARSE.copy()
    lines[4:] += empty - 1
    source[4:] += max(0, there - 1)
    assert kept([(0, 40)], lines=lines, there=source) == [expected]
