"""Which rows of a copy the page shows, how their text is marked, and which lines the ribbon joins."""

from __future__ import annotations

import pytest

from support.pages import FORMAT_METER, block, copied, moved, without_text
from support.reports import finding
from winnow_ci.model import LineRange
from winnow_ci.model.regions import AlignedLines, AlignedRow, MarkedPiece, SideBySide, SideLine
from winnow_ci.report.excerpts import _LONGEST_UNFOLDED_GAP
from winnow_ci.report.html.panes import (
    MOST_BANDS,
    MOST_DRAWN_TOKENS,
    ShownPiece,
    panes,
    ribbon,
    ribbon_of_lines,
    shown_piece,
)

LINES = [f"x{number} = {number}" for number in range(300)]


def beside(*blocks: tuple[int, int, int]) -> SideBySide:
    """Blocks of equal lines: first line here, first line there, and how many."""
    return SideBySide(tuple(block([(line, line) for line in LINES[:count]], *firsts) for *firsts, count in blocks))


def gap(length: int) -> SideBySide:
    return SideBySide((block([("a", "a"), *[(None, "b")] * length, ("c", "c")], 1, 1),))


@pytest.mark.parametrize(
    ("marked", "shown"),
    [
        (MarkedPiece("x", "same", "name"), ShownPiece("x")),
        (MarkedPiece("if", "same", "keyword"), ShownPiece("if", "i", "k")),
        (MarkedPiece("7", "literal", "number"), ShownPiece("7", "mark", "n")),
        (MarkedPiece("x", "renamed", "name", 0), ShownPiece("x", "b", "p0")),
        (MarkedPiece("x", "renamed", "name", 41), ShownPiece("x", "b", "p41")),
        (MarkedPiece("x", "renamed", "name"), ShownPiece("x", "b")),
        (MarkedPiece("x", "only-here", "name"), ShownPiece("x", "ins")),
        (MarkedPiece("x", "only-there", "name"), ShownPiece("x", "del")),
        (MarkedPiece("# x", "not-compared", "comment"), ShownPiece("# x", "i", "c")),
        (MarkedPiece(" ", "not-compared"), ShownPiece(" ")),
    ],
)
def test_a_mark_is_an_element(marked: MarkedPiece, shown: ShownPiece) -> None:
    assert shown_piece(marked, 0) == shown


@pytest.mark.parametrize(("column", "text"), [(0, "    x"), (1, "   x"), (3, " x"), (4, "    x"), (7, " x")])
def test_a_tab_goes_to_the_next_stop_from_where_it_stands(column: int, text: str) -> None:
    assert shown_piece(MarkedPiece("\tx"), column).text == text


def test_tabs_of_several_pieces_line_up_as_in_the_file() -> None:
    line = SideLine(1, (MarkedPiece("a", "renamed", "name"), MarkedPiece("\t"), MarkedPiece("b", "only-here")))
    (shown,) = panes(SideBySide((block([], 1, 1)._replace(rows=(AlignedRow(line, None),)),)), 9).blocks
    assert shown.runs[0].rows[0].here is not None
    assert "".join(part.text for part in shown.runs[0].rows[0].here.pieces) == "a   b"


def test_the_indentation_of_a_string_has_no_mark() -> None:
    line = SideLine(1, (MarkedPiece("    text of", "literal", "string"),))
    (shown,) = panes(SideBySide((block([], 1, 1)._replace(rows=(AlignedRow(line, None),)),)), 9).blocks
    assert shown.runs[0].rows[0].here is not None
    assert shown.runs[0].rows[0].here.pieces == (ShownPiece("    "), ShownPiece("text of", "mark", "s"))


def test_a_gap_is_folded_only_if_it_is_long() -> None:
    (short,) = panes(gap(_LONGEST_UNFOLDED_GAP), 200).blocks
    assert [run.summary for run in short.runs] == [None]
    (long,) = panes(gap(_LONGEST_UNFOLDED_GAP + 1), 200).blocks
    assert [run.summary for run in long.runs] == [None, "7 lines only in the source", None]
    assert [len(run.rows) for run in long.runs] == [1, 7, 1]


def test_a_gap_of_both_sides_says_what_stands_where() -> None:
    rows = [("a", "a"), *[(None, "b")] * 5, *[("c", None)] * 1, *[(None, "d")] * 3]
    (shown,) = panes(SideBySide((block(rows, 1, 1),)), 200).blocks
    assert shown.runs[-1].summary == "1 line only in the change and 8 lines only in the source"


def test_lines_around_a_copy_are_no_gap() -> None:
    rows = tuple(AlignedRow(SideLine(number, is_copied=False), None) for number in range(1, 10))
    (shown,) = panes(SideBySide((block([], 1, 1)._replace(rows=rows),)), 200).blocks
    assert [run.summary for run in shown.runs] == [None]
    assert {row.css for run in shown.runs for row in run.rows} == {"o"}


def test_without_text_nothing_is_folded() -> None:
    one = without_text(copied([("a", "a"), *[(None, "b")] * 9]))
    assert one.beside is not None
    shown = panes(one.beside, 200)
    assert not shown.has_source_text
    assert [run.summary for part in shown.blocks for run in part.runs] == [None]


@pytest.mark.parametrize(
    ("most", "said"), [(200, "100 more rows"), (299, "1 more row"), (300, ""), (0, "300 more rows")]
)
def test_what_is_left_out_is_counted(most: int, said: str) -> None:
    shown = panes(beside((1, 1, 300)), most)
    assert sum(len(run.rows) for part in shown.blocks for run in part.runs) == most
    assert shown.left_out == said


def test_rows_and_blocks_that_were_not_asked_for_are_counted_too() -> None:
    both = beside((1, 200, 10), (21, 100, 10))
    both = both._replace(blocks=(both.blocks[0], both.blocks[1]._replace(left_out=5)), blocks_left_out=2)
    shown = panes(both, 15)
    assert [sum(len(run.rows) for run in part.runs) for part in shown.blocks] == [10, 5]
    assert shown.left_out == "10 more rows and 2 more blocks"
    assert shown.blocks[0].heading == "block 1 of 4, moved: lines 1-10 here, 200-209 there"


def test_one_block_needs_no_heading() -> None:
    assert [part.heading for part in panes(beside((1, 1, 3)), 200).blocks] == [None]
    assert moved().beside is not None


def test_what_is_left_out_of_an_endless_line_is_counted() -> None:
    line = SideLine(1, (MarkedPiece("x", "same"),), bytes_before=7, bytes_after=9)
    both = SideBySide((block([], 1, 1)._replace(rows=(AlignedRow(line, None),)),))
    here = panes(both, 200).blocks[0].runs[0].rows[0].here
    assert here is not None
    assert (here.line.bytes_before, here.line.bytes_after) == (7, 9)


def test_few_tokens_are_drawn_of_a_line_with_many() -> None:
    rows = (AlignedRow(None, SideLine(1, tokens=MOST_DRAWN_TOKENS + 1)),)
    both = SideBySide((block([], 1, 1)._replace(rows=rows),), has_source_text=False)
    there = panes(both, 200).blocks[0].runs[0].rows[0].there
    assert there is not None
    assert there.tokens == MOST_DRAWN_TOKENS


def test_tokens_without_text_are_indented_as_the_line_beside_them() -> None:
    here = SideLine(1, (MarkedPiece("\t  if", "same", "keyword"), MarkedPiece(" (x)", "same")))
    rows = (AlignedRow(here, SideLine(7, tokens=4)), AlignedRow(here, SideLine(8, (MarkedPiece("if", "same"),))))
    both = SideBySide((block([], 1, 7)._replace(rows=rows),), has_source_text=False)
    shown = panes(both, 200).blocks[0].runs[0].rows
    assert [row.there and row.there.indent for row in shown] == [6, 0]


def test_lines_that_the_change_adds_are_marked() -> None:
    one = copied(FORMAT_METER)
    assert one.beside is not None
    rows = [row for part in panes(one.beside, 200).blocks for run in part.runs for row in run.rows]
    assert [row.css for row in rows] == ["a" if row.here else "" for row in rows]


def lines(here: tuple[int, int], there: tuple[int, int]) -> AlignedLines:
    return AlignedLines(LineRange(*here), LineRange(*there))


def test_bands_lie_where_the_lines_do() -> None:
    drawn = ribbon_of_lines([lines((11, 15), (101, 110)), lines((16, 20), (141, 200))])
    assert (drawn.here, drawn.there) == (LineRange(11, 20), LineRange(101, 200))
    assert drawn.bands == ((0, 500, 0, 100), (500, 1000, 400, 1000))


def test_bands_of_moved_blocks_cross() -> None:
    first, second = ribbon_of_lines([lines((1, 5), (26, 30)), lines((6, 10), (21, 25))]).bands
    assert first[0] < second[0]
    assert first[2] > second[2]


def test_a_finding_without_an_alignment_is_one_band() -> None:
    one = finding()
    drawn = ribbon(one)
    assert drawn.bands == ((0, 1000, 0, 1000),)
    assert (drawn.here, drawn.there) == (one.lines, one.source.lines)


def test_every_line_of_an_identical_file_matches() -> None:
    one = finding()._replace(identical=True, alignment=(lines((12, 40), (103, 130)),))
    assert ribbon(one).bands == ((0, 1000, 0, 1000),)
    first, last = ribbon(one._replace(identical=False)).bands[0][:2]
    assert 0 < first < last < 1000


def test_no_more_bands_are_drawn_than_a_screen_shows() -> None:
    many = [lines((2 * number, 2 * number), (number, number)) for number in range(1, MOST_BANDS + 2)]
    drawn = ribbon_of_lines(many)
    assert len(drawn.bands) == MOST_BANDS
    assert drawn.here == LineRange(2, 2 * MOST_BANDS + 2)
