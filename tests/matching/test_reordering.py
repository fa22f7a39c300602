"""Blocks of one copy are joined, whatever their order; what stands apart is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from winnow_ci.matching.extension import Segment
from winnow_ci.matching.judge import Candidate, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def candidate(parts: tuple[Segment, ...]) -> Candidate:
    here = np.concatenate([np.arange(part.start, part.end) for part in parts])
    return Candidate(parts, here, np.zeros(len(here), np.uint8), (), 0)


def joined_by(candidates: Sequence[Candidate], score: Callable[[Candidate], float]) -> list[tuple[Candidate, float]]:
    return joined(candidates, score, candidate)


def join(*blocks: Segment) -> list[tuple[Segment, ...]]:
    found = joined_by([candidate((block,)) for block in blocks], lambda one: len(one.here))
    return [one.segments for one, _ in found]


FIRST, SECOND = Segment(0, 30, 40, 1), Segment(32, 60, -32, 1)


def test_blocks_in_another_order_are_one_copy() -> None:
    assert join(SECOND, FIRST) == [(FIRST, SECOND)]


@pytest.mark.parametrize(
    ("other", "are_one"),
    [
        (Segment(90, 120, 20, 1), True),
        (Segment(91, 121, 20, 1), False),
        (Segment(32, 62, 158, 1), True),
        (Segment(32, 62, 159, 1), False),
        (Segment(190, 220, -180, 1), False),
    ],
)
def test_blocks_stand_up_to_60_tokens_apart_here_and_up_to_120_there(other: Segment, are_one: bool) -> None:
    assert len(join(FIRST, other)) == (1 if are_one else 2)
    assert len(join(other, FIRST)) == (1 if are_one else 2)


def test_blocks_whose_order_in_the_source_is_another_stand_as_near() -> None:
    assert len(join(Segment(0, 30, 300, 1), Segment(32, 60, 120, 1))) == 1
    assert len(join(Segment(0, 30, 300, 1), Segment(32, 60, 119, 1))) == 2


def test_each_token_is_matched_once() -> None:
    over = Segment(20, 45, -20, 1)
    assert join(FIRST, over) == [(FIRST, Segment(30, 45, -20, 1))]
    same_source = Segment(32, 60, 30, 1)
    assert join(FIRST, same_source) == [(FIRST, Segment(40, 60, 30, 1))]


def test_a_run_of_another_block_takes_the_place_of_one_a_third_as_long() -> None:
    far, long = Segment(60, 200, 0, 1), Segment(20, 56, 200, 1)

    def join_to(chance: Segment) -> list[tuple[Segment, ...]]:
        found = joined_by([candidate((chance, far)), candidate((long,))], worth_of_tokens)
        return [one.segments for one, _ in found]

    assert join_to(Segment(35, 47, -30, 1)) == [(long, far)]
    assert join_to(Segment(35, 48, -30, 1)) == [(Segment(20, 35, 200, 1), Segment(35, 48, -30, 1), far)]
    assert join_to(Segment(10, 22, -5, 1)) == [(Segment(10, 20, -5, 1), long, far)]
    assert join_to(Segment(10, 20, -5, 1)) == [(Segment(10, 20, -5, 1), long, far)]


def test_what_is_no_better_together_stays_apart() -> None:
    blocks = [candidate((FIRST,)), candidate((SECOND,))]
    assert len(joined_by(blocks, lambda one: 50 - len(one.segments))) == 2
    assert len(joined_by(blocks, lambda _one: 50)) == 2


def test_blocks_that_say_little_stay_apart() -> None:
    blocks = [candidate((FIRST,)), candidate((SECOND,))]
    assert len(joined_by(blocks, lambda one: len(one.segments))) == 2


@pytest.mark.parametrize(("least", "are_one"), [(12.0, True), (11.99, False)])
def test_blocks_are_worth_24_bits_together(least: float, are_one: bool) -> None:
    blocks = [candidate((FIRST,)), candidate((SECOND,))]
    worth = {1: least, 2: 30.0}
    found = joined_by(blocks, lambda one: 12.0 if one.segments == (FIRST,) else worth[len(one.segments)])
    assert len(found) == (1 if are_one else 2)


@pytest.mark.parametrize(("tokens", "are_one"), [(12, True), (11, False)])
def test_a_block_has_twelve_tokens_that_are_not_matched_yet(tokens: int, are_one: bool) -> None:
    assert len(join(FIRST, Segment(32, 32 + tokens, 60, 1))) == (1 if are_one else 2)
    assert len(join(FIRST, Segment(25, 30 + tokens, 60, 1))) == (1 if are_one else 2)


def test_pieces_of_five_tokens_are_left_of_a_block() -> None:
    def join_chain(end: int) -> list[tuple[Segment, ...]]:
        other = (Segment(24, end, 60, 1), Segment(end + 2, end + 20, 61, 1))
        return [one.segments for one, _ in joined_by([candidate((FIRST,)), candidate(other)], worth_of_tokens)]

    assert join_chain(35) == [(FIRST, Segment(30, 35, 60, 1), Segment(37, 55, 61, 1))]
    assert join_chain(34) == [(FIRST, Segment(36, 54, 61, 1))]


def worth_of_tokens(one: Candidate) -> int:
    return 30 + len(one.here)


def test_a_block_is_tried_with_the_twelve_best_of_the_others() -> None:
    for others, blocks in ((11, 1), (12, 2)):
        # They stand too far away in the source.
        aside = [Segment(40, 70, 1000 * n, 1) for n in range(1, others + 1)]
        found = joined_by([candidate((one,)) for one in (FIRST, *aside, SECOND)], worth_of_tokens)
        assert len(found) == others + blocks


def test_a_block_that_was_joined_is_not_tried_again() -> None:
    third = Segment(62, 92, 20, 1)
    assert join(FIRST, SECOND, third) == [(FIRST, SECOND, third)]
    found = joined_by([candidate((one,)) for one in (FIRST, SECOND)], worth_of_tokens)
    assert [(one.segments, worth) for one, worth in found] == [((FIRST, SECOND), 30 + 58)]
