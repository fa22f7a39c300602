"""Blocks of one copy are joined, whatever their order; what stands apart is not."""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.matching.judge import Candidate
from winnow_ci.matching.layout import Layout
from winnow_ci.matching.reordering import APART, APART_THERE, joined
from winnow_ci.matching.segments import Segment


def candidate(parts: tuple[Segment, ...]) -> Candidate:
    here = np.concatenate([np.arange(part.start, part.end) for part in parts])
    return Candidate(parts, here, np.zeros(len(here), np.uint8), Layout(np.empty((0, 2), np.int64), 0))


def join(*blocks: Segment) -> list[tuple[Segment, ...]]:
    found = joined([candidate((block,)) for block in blocks], lambda one: len(one.here), candidate)
    return [one.segments for one, _ in found]


FIRST, SECOND = Segment(0, 30, 40, 1), Segment(32, 60, -32, 1)


def test_blocks_in_another_order_are_one_copy() -> None:
    assert join(SECOND, FIRST) == [(FIRST, SECOND)]


@pytest.mark.parametrize("other", [Segment(31 + APART, 60 + APART, -40, 1), Segment(32, 60, 40 + APART_THERE, 1)])
def test_what_stands_apart_on_either_side_is_not_joined(other: Segment) -> None:
    assert sorted(join(FIRST, other)) == sorted([(FIRST,), (other,)])


def test_each_token_is_matched_once() -> None:
    over = Segment(20, 45, -20, 1)
    assert join(FIRST, over) == [(FIRST, Segment(30, 45, -20, 1))]
    same_source = Segment(32, 60, 30, 1)
    assert join(FIRST, same_source) == [(FIRST, Segment(40, 60, 30, 1))]


def test_what_is_no_better_together_stays_apart() -> None:
    blocks = [candidate((FIRST,)), candidate((SECOND,))]
    assert len(joined(blocks, lambda one: 50 - len(one.segments), candidate)) == 2


def test_blocks_that_say_little_stay_apart() -> None:
    blocks = [candidate((FIRST,)), candidate((SECOND,))]
    assert len(joined(blocks, lambda one: len(one.segments), candidate)) == 2
