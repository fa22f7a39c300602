"""Which phrases a change and a content share, and what those say that stand in a candidate."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.extension import Segment, runs_around
from winnow_ci.matching.hits import NOTHING_SHARED, SharedPhrases, phrases_by_content
from winnow_ci.matching.judge import anchors, phrases_said
from winnow_ci.model import Hits, Phrases

if TYPE_CHECKING:
    from collections.abc import Sequence

# Hash, words, whether it is a name, and token of a phrase of the change; number of a phrase, content and token there.
Row = tuple[int, int, bool, int]
PlaceRow = tuple[int, int, int]


def phrases_of(rows: Sequence[Row]) -> Phrases:
    hashes, words, names, positions = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Phrases(
        np.array(hashes, np.uint64),
        np.array(words, np.uint8),
        np.array(names, np.bool_),
        np.array(positions, np.int32),
        np.array(positions, np.int32) + np.int32(1),
    )


def shared(rows: Sequence[Row], places: Sequence[PlaceRow]) -> dict[int, SharedPhrases]:
    queries, contents, positions = zip(*sorted(places), strict=True) if places else ((), (), ())
    hits = Hits(
        np.array(queries, np.int64),
        np.array(contents, np.uint32),
        np.array(positions, np.uint32),
        np.zeros(len(places), np.uint32),
    )
    return phrases_by_content(phrases_of(rows), hits)


def same_at(*tokens: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(tokens, np.int64)


numbers = st.integers(0, 90)
# A phrase is of one length and kind wherever it stands.
phrase_rows = st.lists(
    st.builds(lambda hash_, position: (hash_, 3 + hash_, hash_ % 3 == 0, position), st.integers(0, 8), numbers),
    min_size=1,
    max_size=12,
)
segment_rows = st.lists(st.tuples(numbers, st.integers(1, 40), st.integers(140, 260)), min_size=1, max_size=5)
# Number of a phrase, content, and how far it is there from the diagonal of which segment: about as far as it may be.
place_rows = st.lists(
    st.tuples(st.integers(0, 11), st.integers(0, 1), st.integers(0, 4), st.integers(-15, 15)),
    min_size=1,
    max_size=20,
    unique=True,
)


@given(rows=phrase_rows, data=place_rows, spans=segment_rows, same=st.sets(st.integers(0, 11), max_size=4))
def test_what_is_said_agrees_with_a_plain_definition(
    rows: list[Row], data: list[tuple[int, int, int, int]], spans: list[tuple[int, int, int]], same: set[int]
) -> None:
    places = []
    for number, content, part, aside in data:
        query = number % len(rows)
        places.append((query, content, rows[query][3] + spans[part % len(spans)][2] + aside))
    same_tokens = sorted({rows[number % len(rows)][3] for number in same})
    parts = sorted(Segment(start, start + length, diagonal, 0) for start, length, diagonal in spans)
    found = shared(rows, places)
    assert set(found) == {content for _, content, _ in places}
    low, high = min(part.start for part in parts) - 20, max(part.end for part in parts) + 20
    for content, own in found.items():
        said = {}
        for query, other, there in places:
            hash_, words, is_name, here = rows[query]
            near = low <= here < high and any(abs(there - here - part.diagonal) <= 12 for part in parts)
            if other == content and (near or here in same_tokens):
                said[hash_] = (min((2.0 if is_name else 5.0) * words, 25.0), is_name)
        total, texts = sum(bits for bits, _ in said.values()), sum(bits for bits, name in said.values() if not name)
        assert phrases_said(own, parts, same_at(*same_tokens)) == (
            min(50.0, total),
            min(50.0, texts),
            sum(not name for _, name in said.values()),
        )


def test_nothing_shared_says_nothing() -> None:
    assert shared([(7, 5, False, 3)], []) == {}
    assert phrases_said(NOTHING_SHARED, [Segment(0, 10, 0, 0)], same_at(3)) == (0, 0, 0)
    assert anchors(NOTHING_SHARED) == []


def test_a_phrase_counts_once_however_often_it_stands_there() -> None:
    rows = [(7, 4, False, position) for position in (3, 5, 7)]
    own = shared(rows, [(query, 0, there) for query in range(3) for there in (3, 5, 7)])[0]
    assert phrases_said(own, [Segment(0, 10, 0, 0)], same_at()).bits == 20


def test_names_say_less_than_texts() -> None:
    rows = [(7, 4, False, 3), (8, 4, True, 4)]
    own = shared(rows, [(0, 0, 3), (1, 0, 4)])[0]
    assert phrases_said(own, [Segment(0, 10, 0, 0)], same_at()) == (20 + 8, 20, 1)


def test_long_phrases_and_many_of_them_have_their_limits() -> None:
    rows = [(number, 200, False, 3) for number in range(9)]
    own = shared(rows, [(number, 0, 3) for number in range(9)])[0]
    assert phrases_said(own, [Segment(0, 10, 0, 0)], same_at()) == (50, 50, 9)
    assert phrases_said(shared(rows[:1], [(0, 0, 3)])[0], [Segment(0, 10, 0, 0)], same_at()).bits == 25


@pytest.mark.parametrize(("count", "opens"), [(50, 50), (51, 0)])
def test_what_stands_in_very_many_places_is_no_reason_to_look_but_evidence(count: int, opens: int) -> None:
    found = shared([(7, 4, False, 3)], [(0, content, 3) for content in range(count)])
    assert sum(len(anchors(own)) for own in found.values()) == opens
    assert all(phrases_said(own, [Segment(0, 10, 0, 0)], same_at()).bits == 20 for own in found.values())


def test_what_is_looked_up_less_each_time_that_it_is_said_is_still_common() -> None:
    places = [(0, content, 3) for content in range(51)]
    found = shared([(7, 4, False, 3), (8, 4, False, 5), (7, 4, False, 9)], [*places, (1, 0, 5), (2, 0, 3)])
    assert [anchors(own) for own in found.values() if anchors(own)] == [[Segment(5, 5, 0, 0)]]


def test_an_anchor_is_where_both_have_it() -> None:
    own = shared([(7, 4, False, 30), (8, 4, True, 2)], [(0, 0, 12), (1, 0, 40)])[0]
    assert sorted(anchors(own)) == [Segment(2, 2, 38, 0), Segment(30, 30, -18, 0)]


@pytest.mark.parametrize(
    ("position", "diagonal", "counts"),
    [
        (80, 500, True),
        (79, 500, False),
        (219, 500, True),
        (220, 500, False),
        (150, 512, True),
        (150, 513, False),
        (150, 488, True),
        (150, 487, False),
    ],
)
def test_a_phrase_belongs_to_segments_up_to_twenty_tokens_and_twelve_diagonals_away(
    position: int, diagonal: int, counts: bool
) -> None:
    own = shared([(7, 4, False, position)], [(0, 0, position + diagonal)])[0]
    parts = [Segment(100, 120, 500, 0), Segment(160, 200, 500, 0)]
    assert phrases_said(own, parts, same_at()).bits == (20 if counts else 0)
    assert phrases_said(own, parts, same_at(position)).bits == 20


# ---- hostile changes -------------------------------------------------------------------------------------------

MANY = 50_000
MOST_BYTES = 64 << 20


def peak(anchors: Sequence[Segment]) -> int:
    """The most memory that it takes to look around some anchors, in bytes, in code of very many short runs."""
    here, there = (np.random.default_rng(seed).integers(0, 2, 3000).astype(np.uint8) for seed in (1, 2))
    tracemalloc.start()
    try:
        runs_around(here, there, anchors, np.arange(len(here) + 1, dtype=np.float64))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_very_many_places_of_one_phrase_take_little_memory() -> None:
    """A change may have a known comment on each of its lines, in reach of each other: the diagonals are as many."""
    assert peak([Segment(number // 20, number // 20, number, 0) for number in range(MANY)]) < MOST_BYTES


def test_very_many_pairs_take_little_memory_to_tell_what_they_say() -> None:
    own = shared([(7, 4, False, 3)] * MANY, [(query, 0, 3) for query in range(MANY)])[0]
    parts = [Segment(number, number + 5, number, 0) for number in range(400)]
    tracemalloc.start()
    try:
        assert phrases_said(own, parts, same_at()).bits == 20
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
