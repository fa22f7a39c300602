"""Spans are found by what they overlap, without a look at all of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.regions import BLOCK, Overlaps

SPANS = st.tuples(st.integers(0, 4 * BLOCK), st.integers(1, 2 * BLOCK)).map(lambda span: (span[0], span[0] + span[1]))


class Counted(int):
    """A place that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: int) -> bool:
        Counted.compared += 1
        return int(self) < int(other)


@given(spans=st.lists(SPANS, max_size=30), asked=SPANS)
def test_what_overlaps_is_found_in_its_order(spans: list[tuple[int, int]], asked: tuple[int, int]) -> None:
    overlaps: Overlaps[int] = Overlaps()
    for number, span in enumerate(spans):
        overlaps.add(*span, number)
    expected = [number for number, (start, end) in enumerate(spans) if start < asked[1] and asked[0] < end]
    assert list(overlaps.over(*asked)) == expected


def test_a_search_looks_at_few_of_many_spans() -> None:
    overlaps: Overlaps[int] = Overlaps()
    for number in range(10_000):
        overlaps.add(Counted(8 * number), 8 * number + 8, number)
    Counted.compared = 0
    assert [list(overlaps.over(8 * number, 8 * number + 8)) for number in range(0, 10_000, 100)] == [
        [number] for number in range(0, 10_000, 100)
    ]
    assert Counted.compared <= 100 * (BLOCK // 8 + 1)
