"""Rows of a copy beside its source: every token that matched is marked, every line stands in one row, in order."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.reports import finding
from winnow_ci.languages import normalise, tokenize
from winnow_ci.model import LineRange, TokenMap, Tokens
from winnow_ci.model.regions import AlignedLines, Region, Stretch
from winnow_ci.scanner.match import aligned_lines
from winnow_ci.scanner.show import CONTEXT_LINES, beside
from winnow_ci.scanner.side_text import LONGEST_LINE, SideText, known_side, read_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.model.findings import Finding
    from winnow_ci.model.regions import AlignedBlock, Mark, SideBySide, SideLine

ALL = 10_000
ITEMS = [
    "alpha = beta(1)",
    "# a note",
    "",
    'beta = """p\n  q"""',
    "if (\n    alpha): gamma()",
    "gamma = 'é' + alpha",
    "x = y",
]
OWN = ["# mine", "", "delta = beta(2)", "epsilon()", "x = y"]
NEW_NAMES = {"alpha": "omega", "beta": "psi", "gamma": "gamma"}


class Copy(NamedTuple):
    """A file with copied items, its source, and which tokens of both correspond."""

    text: str
    source: str
    stretches: tuple[Stretch, ...]


def tokens_in(item: str) -> int:
    return len(tokenize("python", item.encode()))


def renamed(item: str) -> str:
    return re.sub(r"[a-z]+", lambda word: NEW_NAMES.get(word[0], word[0]), item).replace("1", "7")


@st.composite
def copies(draw: st.DrawFn) -> Copy:
    """Parts of a source in any order, some with other names and numbers, and lines of the change's own between them."""
    source = draw(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=14))
    starts = [0]
    for item in source:
        starts.append(starts[-1] + tokens_in(item))
    items: list[str] = []
    stretches: list[Stretch] = []
    for _ in range(draw(st.integers(1, 4))):
        items += draw(st.lists(st.sampled_from(OWN), max_size=4))
        first = draw(st.integers(0, len(source) - 1))
        part = source[first : draw(st.integers(first + 1, len(source)))]
        if count := sum(map(tokens_in, part)):
            stretches.append(Stretch(sum(map(tokens_in, items)), starts[first], count))
        items += map(renamed, part) if draw(st.booleans()) else part
    items += draw(st.lists(st.sampled_from(OWN), max_size=4))
    copy = Copy("\n".join([*items, ""]), "\n".join([*source, ""]), tuple(stretches))
    return copy if stretches else draw(copies())


def found(copy: Copy, here: SideText, there: SideText) -> Finding:
    """The finding of a copy."""
    assert here.tokens is not None
    assert there.tokens is not None
    assert isinstance(here.tokens, Tokens)
    last = copy.stretches[-1]
    region = Region(0, copy.stretches[0].start, last.start + last.tokens, 0, 1, 1, 1, 1, "renamed", copy.stretches)
    alignment = aligned_lines(here.tokens, there.tokens, region)
    first, last_line = alignment[0].here.first, max(lines.here.last for lines in alignment)
    lines = LineRange(first, last_line)
    return finding()._replace(lines=lines, added=(lines,), alignment=alignment, stretches=copy.stretches)


def sides(copy: Copy) -> tuple[SideText, SideText]:
    return tuple(read_side(text.encode(), "python", "python") for text in (copy.text, copy.source))  # type: ignore[return-value]


def shown(copy: Copy, most: int = ALL) -> SideBySide:
    here, there = sides(copy)
    return beside(found(copy, here, there), here, there, most)


def text_of(line: SideLine) -> str:
    return "".join(piece.text for piece in line.pieces)


def copied(block: AlignedBlock, side: int) -> list[SideLine]:
    return [line for row in block.rows if (line := row[side]) and line.is_copied]


def marks_of(block: AlignedBlock, side: int, text: str) -> Iterator[tuple[int, Mark, int | None]]:
    """The mark and the pair of each character on the copied lines of a side."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    for line in copied(block, side):
        at = starts[line.number - 1]
        for piece in line.pieces:
            yield from ((at + number, piece.mark, piece.pair) for number in range(len(piece.text)))
            at += len(piece.text)


def spans(side: SideText, text: str) -> list[tuple[int, int]]:
    """Where each token stands, in characters."""
    assert side.places is not None
    assert side.text is not None
    return [
        tuple(len(side.text[:edge].decode()) for edge in edges)  # type: ignore[misc]
        for edges in zip(side.places.starts.tolist(), side.places.ends.tolist(), strict=True)
    ]


@given(copies())
def test_every_matched_token_is_marked_on_both_sides_by_its_text(copy: Copy) -> None:
    here, there = sides(copy)
    page = beside(found(copy, here, there), here, there, ALL)
    ours = {place: rest for block in page.blocks for place, *rest in marks_of(block, 0, copy.text)}
    theirs: dict[int, list[list[Mark | int | None]]] = {}
    for block in page.blocks:
        for place, *rest in marks_of(block, 1, copy.source):
            theirs.setdefault(place, []).append(rest)
    matched = Counter(part.source_start + n for part in copy.stretches for n in range(part.tokens))
    for part in copy.stretches:
        for number in range(part.tokens):
            (start, end), (start_there, end_there) = (
                spans(side, text)[first + number]
                for side, text, first in ((here, copy.text, part.start), (there, copy.source, part.source_start))
            )
            old, new = copy.source[start_there:end_there], copy.text[start:end]
            wanted = "same" if old == new else "renamed" if new[0].isalpha() else "literal"
            pair = (
                page.renames.index(next(each for each in page.renames if each[:2] == (old, new)))
                if wanted == "renamed"
                else None
            )
            for place in range(start, end):
                assert copy.text[place] == "\n" or ours[place] == [wanted, pair]
            for place in range(start_there, end_there):
                assert copy.source[place] == "\n" or (
                    [wanted, pair] in theirs[place] or (matched[part.source_start + number] > 1 and place in theirs)
                )
            event(f"{wanted}, {'on several lines' if chr(10) in new else 'on one line'}")


@given(copies())
def test_what_did_not_match_is_on_one_side_and_what_is_no_token_is_not_compared(copy: Copy) -> None:
    here, there = sides(copy)
    page = beside(found(copy, here, there), here, there, ALL)
    for side, text, index, one_sided in ((here, copy.text, 0, "only-here"), (there, copy.source, 1, "only-there")):
        in_tokens = {place for start, end in spans(side, text) for place in range(start, end)}
        for block in page.blocks:
            for place, mark, pair in marks_of(block, index, text):
                assert (mark == "not-compared") == (place not in in_tokens)
                assert mark in ("same", "renamed", "literal", "not-compared", one_sided)
                assert pair is None or mark == "renamed"
                event(mark)


@given(copies())
def test_lines_rise_and_each_stands_in_one_row_of_its_block_with_its_text(copy: Copy) -> None:
    page = shown(copy)
    lines = found(copy, *sides(copy)).lines
    assert (page.blocks_left_out, page.has_source_text) == (0, True)
    event("one block" if len(page.blocks) == 1 else "several blocks")
    ends = 0
    for block in page.blocks:
        assert block.left_out == 0
        for side, text in enumerate((copy.text, copy.source)):
            first, last = block.lines[side]
            assert [line.number for line in copied(block, side)] == list(range(first, last + 1))
            numbers = [line.number for row in block.rows if (line := row[side])]
            assert all(a + 1 == b for a, b in pairwise(numbers))
            assert first - CONTEXT_LINES <= numbers[0] and numbers[-1] <= last + CONTEXT_LINES  # noqa: PT018 - one range
            for row in block.rows:
                if line := row[side]:
                    assert text_of(line) == text.split("\n")[line.number - 1]
                    assert line.is_added == (side == 0 and lines.first <= line.number <= lines.last)
        assert all(row.here or row.there for row in block.rows)
        before = [row.here.number for row in block.rows if row.here and not row.here.is_copied]
        assert all(number > ends for number in before)
        ends = max(row.here.number for row in block.rows if row.here)
    assert [block.lines for block in page.blocks] == list(found(copy, *sides(copy)).block_lines)


@given(copies())
def test_rows_that_correspond_begin_with_tokens_that_match(copy: Copy) -> None:
    here, there = sides(copy)
    pairs = [
        (int(here.tokens.first_lines[part.start + n]), int(there.tokens.first_lines[part.source_start + n]))  # type: ignore[union-attr]
        for part in copy.stretches
        for n in range(part.tokens)
    ]
    page = shown(copy)
    for block in page.blocks:
        first = next(row for row in block.rows if row.here and row.here.is_copied and row.there and row.there.is_copied)
        assert first.here
        assert first.there
        assert (first.here.number, first.there.number) == (block.lines.here.first, block.lines.there.first)
        rows = {(row.here.number, row.there.number) for row in block.rows if row.here and row.there}
        last = (0, 0)
        for pair in pairs:
            if all(first <= line <= end for line, (first, end) in zip(pair, block.lines, strict=True)):
                is_below = pair[0] > last[0] and pair[1] > last[1]
                last = pair if is_below else last
                assert not is_below or pair in rows


@given(copies(), st.integers(1, 12))
def test_what_is_left_out_is_counted(copy: Copy, most: int) -> None:
    whole, some = shown(copy), shown(copy, most)
    assert len(some.blocks) + some.blocks_left_out == len(whole.blocks)
    for part, block in zip(some.blocks, whole.blocks, strict=False):
        shown_rows, all_rows = ([row for row in each.rows if _is_copied(row)] for each in (part, block))
        assert shown_rows == all_rows[: len(shown_rows)]
        assert len(shown_rows) + part.left_out == len(all_rows)
    rows = sum(_is_copied(row) for block in some.blocks for row in block.rows)
    assert rows <= max(most, 2 * (len(some.blocks) > 1))
    event("some is left out" if some != whole else "all is shown")


def _is_copied(row: Iterable[SideLine | None]) -> bool:
    return any(line and line.is_copied for line in row)


@given(copies())
def test_renames_are_counted_and_come_by_frequency(copy: Copy) -> None:
    here, there = sides(copy)
    words = (
        (there.text[slice(*_place(there, part.source_start + n))], here.text[slice(*_place(here, part.start + n))])  # type: ignore[index]
        for part in copy.stretches
        for n in range(part.tokens)
    )
    counted = Counter((old.decode(), new.decode()) for old, new in words if old != new and new[:1].isalpha())
    renames = shown(copy).renames
    assert {(old, new): count for old, new, count in renames} == counted
    assert [count for *_, count in renames] == sorted(counted.values(), reverse=True)


def _place(side: SideText, number: int) -> tuple[int, int]:
    assert side.places is not None
    return int(side.places.starts[number]), int(side.places.ends[number])


@given(copies())
def test_without_the_sources_text_its_lines_have_numbers_and_tokens(copy: Copy) -> None:
    here, there = sides(copy)
    assert there.tokens is not None
    known = TokenMap(there.tokens.first_lines, there.tokens.last_lines, there.tokens.sketch)
    page = beside(found(copy, here, there), here, known_side(SideText(), known), ALL)
    assert not page.has_source_text
    assert page.renames == ()
    full = shown(copy)
    for block, whole in zip(page.blocks, full.blocks, strict=True):
        numbers = [[line.number for line in copied(each, 1)] for each in (block, whole)]
        assert numbers[0] == numbers[1]
        for line in copied(block, 1):
            assert line.pieces == ()
            assert line.tokens == sum(there.tokens.first_lines == line.number)
        assert all(row.there is None or row.there.is_copied for row in block.rows)


def test_tokens_in_a_gap_are_compared_once_more() -> None:
    """Matching paired the first and the last line; between them, ``y`` is on both sides."""
    copy = Copy("a = b\nx = y\nc = d\n", "a = b\ny\nc = d\n", (Stretch(0, 0, 3), Stretch(6, 4, 3)))
    (block,) = shown(copy).blocks
    middle = [piece for piece in copied(block, 0)[1].pieces if piece.text.strip()]
    assert [(piece.text, piece.mark) for piece in middle] == [("x", "only-here"), ("=", "only-here"), ("y", "same")]
    assert [(piece.text, piece.mark) for piece in copied(block, 1)[1].pieces] == [("y", "same")]


def test_lines_of_comments_that_say_the_same_stand_on_one_row() -> None:
    here = "a = b\n\n# kept\nc = d\n"
    there = "a = b\n# dropped\n\n#  dropped, too\n#   kept\nc = d\n"
    (block,) = shown(Copy(here, there, (Stretch(0, 0, 6),))).blocks
    rows = [(row.here and row.here.number, row.there and row.there.number) for row in block.rows]
    assert rows == [(1, 1), (None, 2), (None, 3), (2, 4), (3, 5), (4, 6)]


@pytest.mark.parametrize(("count", "mark"), [(64, "same"), (65, "only-here")])
def test_a_gap_of_more_than_64_tokens_is_not_compared(count: int, mark: Mark) -> None:
    own = "y\n" * count
    copy = Copy(f"a = b\n{own}c = d\n", "a = b\ny\nc = d\n", (Stretch(0, 0, 3), Stretch(3 + count, 4, 3)))
    (block,) = shown(copy).blocks
    assert mark in {piece.mark for line in copied(block, 0)[1:-1] for piece in line.pieces}
    assert ("same" in {piece.mark for piece in copied(block, 1)[1].pieces}) == (mark == "same")


def test_roles_are_those_of_the_language() -> None:
    text = "if x: # why\n    y = 'é' + 12\n"
    (block,) = shown(Copy(text, text, (Stretch(0, 0, 8),))).blocks
    roles = {piece.text.strip(): piece.role for line in copied(block, 0) for piece in line.pieces}
    wanted = {"if": "keyword", "x": "name", "y": "name", "# why": "comment", "'é'": "string", "12": "number", "=": ""}
    assert wanted.items() <= roles.items()


def test_words_of_prose_have_no_role() -> None:
    text = " ".join(f"word{n}," for n in range(70)).encode()
    side = read_side(text, "markdown", "text")
    copy = Copy(text.decode(), text.decode(), (Stretch(0, 0, 70),))
    (block,) = beside(found(copy, side, side), side, side, ALL).blocks
    (line,) = copied(block, 0)
    assert {(piece.mark, piece.role) for piece in line.pieces} == {("same", ""), ("not-compared", "")}


def test_of_a_very_long_line_the_part_with_the_copy_is_shown() -> None:
    before = "é = 1; " * 20_000
    text = f"{before}alpha = beta(gamma); {before}\n"
    count = tokens_in(before)
    copy = Copy(text, "alpha = beta(gamma);\n", (Stretch(count, 0, 7),))
    (block,) = shown(copy).blocks
    (line,) = copied(block, 0)
    shown_text = text_of(line)
    assert "alpha = beta(gamma)" in shown_text
    assert len(shown_text.encode()) <= LONGEST_LINE + 3
    assert line.bytes_before + len(shown_text.encode()) + line.bytes_after == len(text.encode()) - 1
    assert "\N{REPLACEMENT CHARACTER}" not in shown_text
    assert line.bytes_before > 100_000 < line.bytes_after


def test_a_line_of_a_thousand_bytes_is_shown_whole() -> None:
    for size, left_out in ((1000, 0), (1001, 1)):
        text = "a = " + "b" * (size - 4)
        (block,) = shown(Copy(text, text, (Stretch(0, 0, 3),))).blocks
        assert [line.bytes_after for line in copied(block, 0)] == [left_out]


def test_where_tokens_have_no_places_lines_are_marked() -> None:
    text = b"alpha = 1\n# no\nbeta = 2\nother\n"
    plain = SideText(normalise(text), tokenize("python", text), None, "python")
    copy = Copy(text.decode(), text.decode(), (Stretch(0, 0, 3), Stretch(3, 3, 3)))
    one = found(copy, plain, plain)._replace(
        alignment=(AlignedLines(LineRange(1, 1), LineRange(1, 1)), AlignedLines(LineRange(3, 3), LineRange(3, 3)))
    )
    (block,) = beside(one, plain, plain, ALL).blocks
    marks = [(line.number, [piece.mark for piece in line.pieces]) for row in block.rows if (line := row.here)]
    assert marks == [(1, ["same"]), (2, ["not-compared"]), (3, ["same"]), (4, ["not-compared"])]


def test_where_tokens_are_not_known_lines_stand_beside_each_other_by_their_alignment() -> None:
    one = finding()._replace(
        lines=LineRange(2, 5),
        alignment=(AlignedLines(LineRange(2, 3), LineRange(11, 12)), AlignedLines(LineRange(5, 5), LineRange(14, 14))),
        stretches=(Stretch(0, 0, 99),),
    )
    text = SideText("".join(f"line {n}\n" for n in range(1, 21)).encode())
    (block,) = beside(one, text, text, ALL).blocks
    rows = [(row.here and row.here.number, row.there and row.there.number) for row in block.rows]
    assert rows == [(None, 8), (None, 9), (1, 10), (2, 11), (3, 12), (4, 13), (5, 14), (6, 15), (7, 16), (8, 17)]


BAD: list[Sequence[Stretch]] = [
    (),
    (Stretch(0, 0, 99),),
    (Stretch(0, 5, 3),),
    (Stretch(-1, 0, 3),),
    (Stretch(0, -1, 3),),
    (Stretch(0, 0, 0),),
    (Stretch(0, 0, 3), Stretch(2, 3, 1)),
    (Stretch(1 << 70, 0, 3),),
]


@pytest.mark.parametrize("stretches", BAD)
def test_stretches_that_cannot_be_are_not_believed(stretches: tuple[Stretch, ...]) -> None:
    """A stored report may be anybody's."""
    side = read_side(b"a = 1\nb = 2\n", "python", "python")
    lines = AlignedLines(LineRange(1, 1 << 40), LineRange(2, 1 << 40))
    one = finding()._replace(lines=lines.here, added=(), alignment=(lines,), stretches=tuple(stretches))
    (block,) = beside(one, side, side, 5).blocks
    assert [
        (row.here and row.here.number, row.there and row.there.number) for row in block.rows if _is_copied(row)
    ] == [
        (1, 2),
        *((n, n + 1) for n in range(2, 6)),
    ]
    assert block.left_out == (1 << 40) - 5
