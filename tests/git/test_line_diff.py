"""Which lines are new."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import event, find, given, settings
from hypothesis import strategies as st

from winnow_ci.git import added_lines
from winnow_ci.git import line_diff as module
from winnow_ci.model import LineRange

few = st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"}"]), max_size=14)
texts = st.lists(st.sampled_from([b"a", b" a", b"a\t", b"b", b"", b"{", b"x y"]), max_size=30)
endings = st.sampled_from([b"\n", b"\r\n"])
# Some lines stand once in a text, so that there are anchors, and others often.
REPEATED = [b"}", b"", b"return"]
LINES = [*(b"line %d" % number for number in range(8)), *REPEATED * 3]


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[bytes], list[bytes]]:
    """A text, and another of parts of it, in any order, with lines between them that are often repeated."""
    old = draw(st.permutations(LINES))
    parts = st.tuples(st.integers(0, len(old) - 3), st.integers(2, len(old)))
    new: list[bytes] = []
    for start, size in draw(st.lists(parts, min_size=1, max_size=4)):
        new += draw(st.lists(st.sampled_from(REPEATED), min_size=1, max_size=3)) + old[start : start + size]
    return old, new + [b"end"] * draw(st.integers(0, 1))


def kept_by_definition(old: list[bytes], new: list[bytes]) -> tuple[int, int, bool]:
    """How many lines are kept, by how many anchors, and whether any by a table, without any allowance."""
    for end, step in ((0, 1), (-1, -1)):
        if old and new and old[end] == new[end]:
            inner = slice(1, None) if step == 1 else slice(None, -1)
            kept, anchors, table = kept_by_definition(old[inner], new[inner])
            return kept + 1, anchors, table
    unique = [line for line in new if old.count(line) == new.count(line) == 1]
    pairs = module._rising([(old.index(line), new.index(line)) for line in unique])
    if not pairs:
        common = longest_common(old, new)
        return common, 0, common > 0
    total, anchors, table = 0, len(pairs), False
    edges = [(-1, -1), *pairs, (len(old), len(new))]
    for (old_start, new_start), (old_end, new_end) in pairwise(edges):
        kept, more, one = kept_by_definition(old[old_start + 1 : old_end], new[new_start + 1 : new_end])
        total, anchors, table = total + kept, anchors + more, table or one
    return total + len(pairs), anchors, table


def numbers(ranges: tuple[LineRange, ...]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def squeezed(line: bytes) -> bytes:
    return b"".join(line.split())


def joined(lines: list[bytes], ending: bytes = b"\n") -> bytes:
    return b"".join(line + ending for line in lines)


def longest_common(one: list[bytes], other: list[bytes]) -> int:
    row = [0] * (len(other) + 1)
    for line in one:
        above = row
        row = [0]
        for column, candidate in enumerate(other):
            row.append(above[column] + 1 if line == candidate else max(row[-1], above[column + 1]))
    return row[-1]


@given(texts, texts, endings, endings)
def test_the_lines_left_out_stand_in_the_old_text_in_the_same_order(
    old: list[bytes], new: list[bytes], old_ending: bytes, new_ending: bytes
) -> None:
    added = numbers(added_lines(joined(old, old_ending), joined(new, new_ending)))
    left = iter([squeezed(line) for line in old])
    assert all(squeezed(line) in left for number, line in enumerate(new, 1) if number not in added)


@given(edited())
def test_as_many_lines_are_kept_as_the_definition_keeps(texts: tuple[list[bytes], list[bytes]]) -> None:
    old, new = texts
    kept, anchors, table = kept_by_definition(old, new)
    event(f"{min(anchors, 3)} anchors or more, {'a' if table else 'no'} table")
    assert len(new) - len(numbers(added_lines(joined(old), joined(new)))) == kept


def test_the_texts_have_anchors_and_gaps_with_a_table() -> None:
    def is_rich(texts: tuple[list[bytes], list[bytes]]) -> bool:
        _, anchors, table = kept_by_definition(*texts)
        return anchors >= 3 and table

    find(edited(), is_rich, settings=settings(database=None, max_examples=2000))


@given(st.permutations(range(12)))
def test_anchors_are_a_longest_rising_series(old: list[int]) -> None:
    series = module._rising([(number, new) for new, number in enumerate(old)])
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(series))
    lengths: list[int] = []
    for place, number in enumerate(old):
        lengths.append(1 + max((lengths[at] for at in range(place) if old[at] < number), default=0))
    assert len(series) == max(lengths)


@given(texts, texts)
def test_ranges_are_in_order_inside_the_text_and_apart(old: list[bytes], new: list[bytes]) -> None:
    ranges = added_lines(joined(old), joined(new))
    edges = [0, *(edge for first, last in ranges for edge in (first, last + 1))]
    assert all(first <= last for first, last in ranges)
    assert edges[1:] == sorted(set(edges[1:]))
    assert edges[-1] <= len(new) + 1


@given(texts)
def test_nothing_is_added_to_an_identical_text(lines: list[bytes]) -> None:
    assert added_lines(b"\n".join(lines), b"\n".join(lines)) == ()


@given(st.integers(0, 40), st.integers(1, 10))
def test_an_insertion_is_found_exactly(place: int, size: int) -> None:
    old = [b"%d" % number for number in range(40)]
    new = old[:place] + [b"new %d" % number for number in range(size)] + old[place:]
    assert added_lines(b"\n".join(old), b"\n".join(new)) == (LineRange(place + 1, place + size),)


@given(few, few)
def test_the_table_keeps_a_longest_common_subsequence(old: list[bytes], new: list[bytes]) -> None:
    found = list(module._common(old, new, module._Gap(0, len(old), 0, len(new))))
    assert found == sorted(set(found), reverse=True)
    assert len(found) == longest_common(old, new)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"", b"", ()),
        (b"", b"a", ((1, 1),)),
        (b"", b"a\nb\n", ((1, 2),)),
        (b"", b"\n", ((1, 1),)),
        (b"a\n", b"", ()),
        (b"a", b"a\n", ()),
        (b"a\nb\n", b"a\r\nb\r\n", ()),
        (b"a\nb\n", b"a\rb\r", ()),
        (b"", b"a\rb\rc", ((1, 3),)),
        (b"", b"a\rb\nc", ((1, 2),)),
        (b"if (x)\n  y();\n", b"\tif (x)\n\t\ty();\n", ()),
        (b"a\nb\nc\n", b"a\nX\nc\n", ((2, 2),)),
        (b"a\nb\nc\n", b"c\na\nb\n", ((1, 1),)),
        (b"f {\n}\ng {\n}\n", b"f {\n}\nh {\n}\ng {\n}\n", ((3, 4),)),
        (b"\xff\0\n", b"\xff\0\n\xfe\n", ((2, 2),)),
    ],
)
def test_examples(old: bytes, new: bytes, expected: tuple[tuple[int, int], ...]) -> None:
    assert added_lines(old, new) == expected


def test_without_allowance_everything_between_the_equal_ends_counts_as_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CELLS", 0)
    monkeypatch.setattr(module, "_PASSES", 0)
    assert added_lines(b"a\nb\nc\nd", b"a\nX\nc\nY\nd") == ((2, 4),)


@pytest.mark.parametrize(("more", "added"), [(0, 8192), (1, 16385)])
def test_a_table_has_at_most_2_to_the_27_cells(more: int, added: int) -> None:
    old, new = [b"a"] * 8192, [b"b", *[b"a"] * (16382 + more), b"b"]
    assert len(numbers(added_lines(joined(old), joined(new)))) == added


def test_tables_have_2_to_the_28_cells_together() -> None:
    gap = [b"a"] * 8192, [b"b", *[b"a"] * 16382, b"b"]
    for tables, added in ((2, 2 * 8192), (3, 2 * 8192 + 16384)):
        old, new = ([line for number in range(tables) for line in (b"anchor %d" % number, *side)] for side in gap)
        assert len(numbers(added_lines(joined(old), joined(new)))) == added


def test_large_and_pathological_texts_are_quick() -> None:
    chance = random.Random(1)
    unique = [b"line %d" % number for number in range(100_000)]
    edited = [b"edit" if chance.random() < 0.02 else line for line in unique]
    repeated = [chance.choice([b"a", b"b"]) for _ in range(100_000)]
    other = [chance.choice([b"a", b"b"]) for _ in range(100_000)]
    pairs = [
        (unique, edited),
        (unique, unique[::-1]),
        (repeated, other),
        (repeated * 10, other[:60]),
        (other[:60], repeated),
    ]
    started = time.process_time()
    for old, new in pairs:
        added_lines(b"\n".join(old), b"\n".join(new))
    assert time.process_time() - started < 10  # some 1.2 s on an idle machine
    assert len(numbers(added_lines(b"\n".join(unique), b"\n".join(edited)))) == edited.count(b"edit")
