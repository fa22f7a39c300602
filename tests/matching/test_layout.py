"""Lines that stand whole on both sides are counted; gaps that differ are, too."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.extension import Segment
from winnow_ci.matching.judge import layout
from winnow_ci.model import TokenMap, Tokens


def tokens_on(lines: list[int]) -> Tokens:
    ids, at = np.zeros(len(lines), np.uint64), np.array(lines, np.int32)
    return Tokens(ids, ids, at, at, np.zeros(len(lines), np.uint8))


def map_on(lines: list[int]) -> TokenMap:
    at = np.array(lines, np.int32)
    return TokenMap(at, at, np.zeros(len(lines), np.uint8))


def whole(here: list[int], there: list[int], part: Segment) -> list[tuple[int, int]]:
    return list(layout(tokens_on(here), map_on(there), [part])[0])


def test_a_line_that_is_broken_on_one_side_is_not_whole_on_both() -> None:
    here, there = [1, 1, 1, 2, 2, 2, 3, 3], [5, 5, 5, 6, 7, 7, 8, 8]
    assert whole(here, there, Segment(0, 8, 0, 1)) == [(0, 3), (6, 8)]


def test_a_line_of_which_only_a_part_matches_is_not_whole() -> None:
    lines = [1, 1, 2, 2, 3, 3]
    assert whole(lines, lines, Segment(1, 5, 0, 1)) == [(2, 4)]
    assert whole(lines, [0, *lines], Segment(0, 6, 1, 1)) == [(0, 2), (2, 4), (4, 6)]


def test_gaps_that_differ_are_counted() -> None:
    here, there = [1, 1, 2, 4, 5, 5], [1, 1, 2, 3, 4, 6]
    # A blank line before the fourth token here; where a line is only broken elsewhere, that is no gap.
    assert layout(tokens_on(here), map_on(there), [Segment(0, 6, 0, 1)])[1] == 2
    assert layout(tokens_on(here), map_on(here), [Segment(0, 6, 0, 1)])[1] == 0
    assert layout(tokens_on([1, 1, 2]), map_on([1, 2, 3]), [Segment(0, 3, 0, 1)])[1] == 0


def test_a_gap_begins_where_the_token_before_it_ends() -> None:
    """A string may span lines."""
    first, last, plain = [1, 1, 4, 5], [1, 3, 4, 5], [1, 1, 2, 3]
    string = TokenMap(np.array(first, np.int32), np.array(last, np.int32), np.zeros(4, np.uint8))
    assert layout(tokens_on(plain), string, [Segment(0, 4, 0, 1)])[1] == 0
    assert layout(tokens_on(plain), map_on(first), [Segment(0, 4, 0, 1)])[1] == 1


def test_what_stands_around_segments_is_no_gap_of_theirs() -> None:
    here, there = [1, 4, 4, 5, 9], [1, 2, 2, 3, 4]
    assert layout(tokens_on(here), map_on(there), [Segment(1, 4, 0, 1)])[1] == 0
    assert layout(tokens_on(here), map_on(there), [Segment(0, 4, 0, 1)])[1] == 1
    assert layout(tokens_on(here), map_on(there), [Segment(1, 5, 0, 1)])[1] == 1
    assert layout(tokens_on(here), map_on(there), [Segment(0, 2, 0, 1), Segment(3, 5, 0, 1)])[1] == 2


# How many lines down a token begins from where the one before ends. A copy keeps most of them.
steps = st.lists(st.sampled_from([0, 0, 0, 1, 1, 2]), min_size=4, max_size=30)
edits = st.lists(st.tuples(st.integers(0, 29), st.integers(0, 3)), max_size=4)


@given(here=steps, edits=edits, around=steps, data=st.data())
def test_it_is_what_a_plain_reading_says(
    here: list[int], edits: list[tuple[int, int]], around: list[int], data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(here) - 1))
    length = data.draw(st.integers(1, len(here) - start))
    copied = here[start : start + length]
    for place, step in edits:
        copied[place % length] = step
    start_there = data.draw(st.integers(0, len(around)))
    there = [*around[:start_there], *copied, *around[start_there:]]
    lines, lines_there = np.cumsum(here).tolist(), np.cumsum(there).tolist()

    def begins(lines: list[int], token: int) -> bool:
        return token in (0, len(lines)) or lines[token] > lines[token - 1]

    expected = [
        (low, high)
        for low in range(start, start + length)
        for high in range(low + 1, start + length + 1)
        if all(
            begins(side, first) and begins(side, last) and not any(begins(side, n) for n in range(first + 1, last))
            for side, first, last in (
                (lines, low, high),
                (lines_there, low - start + start_there, high - start + start_there),
            )
        )
    ]
    pairs = zip(here[start + 1 : start + length], copied[1:], strict=True)
    whole_lines, gaps = layout(
        tokens_on(lines), map_on(lines_there), [Segment(start, start + length, start_there - start, 1)]
    )
    assert [(first, last) for first, last in whole_lines] == expected
    assert gaps == sum(one != other and max(one, other) > 1 for one, other in pairs)
