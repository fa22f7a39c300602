"""Code beside its source: all of both in order, lines that correspond on one row, nothing wider than the screen."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.reports import ANY_TEXT, CASES, block, finding, hostile, reordered, with_text
from winnow_ci.model import LineRange
from winnow_ci.model.regions import AlignedLines, AlignedRow, Mark, MarkedPiece, SideBySide, SideLine
from winnow_ci.report import FORMATS, ReportStyle, explanation
from winnow_ci.report.coverage import left_out_files
from winnow_ci.report.excerpts import excerpt_rows, line_of_code
from winnow_ci.report.explanation import Explanation

if TYPE_CHECKING:
    from winnow_ci.model.findings import Finding

CODE = st.lists(st.sampled_from(["", "{", "  x = 1", "\treturn", "é" * 300]), min_size=1, max_size=12)


def rows(here: list[str], there: list[str], pairs: list[tuple[int, int]], width: int, most: int) -> list[str]:
    one = with_text()
    place = one.source._replace(lines=LineRange(95, 95 + len(there) - 1))
    lines = AlignedLines(LineRange(5, 5 + len(here) - 1), place.lines)
    beside = SideBySide((block(lines, here, there, numbered(lines, pairs)),))
    one = one._replace(lines=lines.here, source=place, excerpt=tuple(here), alignment=(lines,), beside=beside)
    return [" ".join(parts) for parts in excerpt_rows(one, ReportStyle(width=width), most)]


def numbered(lines: AlignedLines, pairs: list[tuple[int, int]]) -> list[tuple[int | None, int | None]]:
    """Rows of these lines, with those that correspond on one row."""
    found: list[tuple[int | None, int | None]] = []
    here, there = lines.here.first, lines.there.first
    for one, other in [*pairs, (lines.here.last + 1, lines.there.last + 1)]:
        found += [*zip_longest(range(here, one), range(there, other)), (one, other)]
        here, there = one + 1, other + 1
    return found[:-1]


def test_lines_that_correspond_stand_on_one_row() -> None:
    report = CASES["text"]._replace(findings=(with_text(),))
    lines = FORMATS["text"](report, ReportStyle(width=120)).splitlines()
    sides = [re.match(r"  (..) │(.*) (...) │(.*)", line) for line in lines if " │" in line]
    numbers = [(side[1].strip(), side[3].strip()) for side in sides if side]
    beside = [("10", "100"), ("11", "101"), ("", "102"), ("12", "103"), ("13", "104"), ("14", "105")]
    assert numbers == [*beside, ("…", "…")]


@given(CODE, CODE, st.data(), st.sampled_from([40, 100, 119, 120, 200]), st.sampled_from([1, 6, 12, 24]))
def test_every_line_is_shown_in_order_and_fits(
    here: list[str], there: list[str], data: st.DataObject, width: int, most: int
) -> None:
    count = data.draw(st.integers(0, min(len(here), len(there))))
    ours, theirs = (
        sorted(data.draw(st.sets(st.integers(first, first + len(side) - 1), min_size=count, max_size=count)))
        for first, side in ((5, here), (95, there))
    )
    pairs = list(zip(ours, theirs, strict=True))
    shown = rows(here, there, pairs, width, most)
    assert all(len(row) <= width for row in shown)
    numbers = [[int(number) for number in re.findall(r"(\d+) │", row)] for row in shown]
    left = [number for row in numbers for number in row if number < 50]
    right = [number for row in numbers for number in row if number >= 50]
    folded = [re.findall(r"(\d+) lines? only in the (change|source)", row) for row in shown]
    gone = sum((Counter({side: int(count)}) for row in folded for count, side in row), Counter[str]())
    assert all(a < b for side in (left, right) for a, b in pairwise(side))
    if not gone:
        assert left == list(range(5, 5 + len(left)))
        assert right == list(range(95, 95 + len(right)))
    is_beside = any(len(row) == 2 for row in numbers)
    assert width >= 120 or not is_beside
    if width >= 120 and len(here) + len(there) <= most:
        event(f"side by side, {'some' if pairs else 'no'} lines correspond")
        event("a gap is folded" if gone else "nothing is folded")
        assert (len(left) + gone["change"], len(right) + gone["source"]) == (len(here), len(there))
        assert set(pairs) <= set(map(tuple, numbers))


@pytest.mark.parametrize(("count", "is_folded"), [(6, False), (7, True)])
def test_long_gaps_on_one_side_are_folded(count: int, is_folded: bool) -> None:
    there = ["a", *(f"b{n}" for n in range(count)), "c"]
    shown = rows(["a", "c"], there, [(5, 95), (6, 96 + count)], 120, 24)
    assert len(shown) == (3 if is_folded else 2 + count)
    assert (shown[1].split() == ["…", "│", f"({count}", "lines", "only", "in", "the", "source)"]) == is_folded
    assert re.findall(r"\d+(?= │)", shown[-1]) == ["6", str(96 + count)]


def test_marked_differences_have_colours_where_there_are_any() -> None:
    one = with_text()
    assert one.beside is not None
    (known,) = one.beside.blocks
    marks: list[tuple[str, Mark]] = [("if\t", "not-compared"), ("x", "renamed"), ("=", "same"), ("1 \x1b", "literal")]
    line = SideLine(10, tuple(MarkedPiece(text, mark) for text, mark in marks))
    there = SideLine(100, (MarkedPiece("new", "only-there"),))
    beside = one.beside._replace(blocks=(known._replace(rows=(AlignedRow(line, there),)),))
    one = one._replace(beside=beside)
    plain, coloured = (
        next(iter(excerpt_rows(one, ReportStyle(width=120, colour=colour), 6))) for colour in (False, True)
    )
    assert plain[1].rstrip() == r"if  x=1 \x1b"
    assert coloured[1].rstrip() == "if  \x1b[36mx\x1b[0m=\x1b[35m1 \\x1b\x1b[0m"
    assert coloured[3] == "\x1b[31mnew\x1b[0m"
    assert len(plain[1]) == len(re.sub(r"\x1b\[[0-9;]*m", "", coloured[1]))


@given(ANY_TEXT, ANY_TEXT, st.integers(1, 30))
def test_colours_neither_widen_a_line_nor_change_what_it_says(first: str, second: str, room: int) -> None:
    pieces = (MarkedPiece(first, "renamed"), MarkedPiece(second, "same"))
    line = SideLine(1, tuple(piece for piece in pieces if "\n" not in piece.text and "\r" not in piece.text))
    plain, coloured = (line_of_code(line, room, ReportStyle(colour=colour), is_padded=True) for colour in (False, True))
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert len(bare) == len(plain) == room
    event("cut" if "…" in plain else "whole")
    if "\t" not in first + second and "##" not in first + second:
        assert bare == plain


def test_what_is_the_same_is_not_shown_twice_where_there_is_little_room() -> None:
    code = ["def f(a):", "    return a"]
    assert len(rows(code, code, [], 100, 6)) == 2
    assert len(rows(code, ["def  f(a):", "\treturn a"], [], 100, 6)) == 2
    assert len(rows(code, ["def g(a):", "\treturn a"], [], 100, 6)) == 5


def numbers(width: int, most: int, one: Finding) -> list[int]:
    """The numbers of the lines shown, of the change and of the source, in the order of the rows."""
    parts = [part for row in excerpt_rows(one, ReportStyle(width=width), most) for part in row]
    return [int(found[1]) for part in parts if (found := re.fullmatch(r" *(\d+) │", part))]


def test_of_blocks_in_another_order_each_is_shown() -> None:
    one = reordered()
    assert numbers(100, 200, one) == [*range(10, 16), *range(17, 21), *range(100, 104)]
    assert numbers(100, 6, one) == [10, 11, 12, 17, 18, 19]
    wide = [(10, 126), (11, 127), (12, 128), (17, 100), (18, 101), (19, 102)]
    assert numbers(120, 6, one) == [number for row in wide for number in row]
    ends = [row[0] for row in excerpt_rows(one, ReportStyle(width=100), 200) if not re.search(r"\d", row[0])]
    assert ends == ["  … │", "in lib/url.c:"]
    assert [row[0] for row in excerpt_rows(one, ReportStyle(width=120), 200)].count(" … │") == 1


@pytest.mark.parametrize("width", [100, 120])
def test_of_many_blocks_some_are_shown_and_all_are_counted(width: int) -> None:
    both = [AlignedLines(LineRange(9 - n, 9 - n), LineRange(n, n)) for n in range(1, 6)]
    blocks = tuple(block(lines, (f"x{n}",), (f"y{n}",)) for n, lines in enumerate(both))
    one = finding()._replace(beside=SideBySide(blocks))
    assert numbers(width, 6, one) == [8, 1, 7, 2, 6, 3]
    assert [row[0] for row in excerpt_rows(one, ReportStyle(width=width), 6)][-1] == "and 2 more blocks"
    assert numbers(width, 200, one) == [8, 1, 7, 2, 6, 3, 5, 4, 4, 5]
    assert not any("more block" in row[0] for row in excerpt_rows(one, ReportStyle(width=width), 10))


@given(ANY_TEXT, st.sampled_from([60, 150]))
def test_nothing_hostile_is_in_an_explanation(text: str, width: int) -> None:
    report = hostile(text)
    bad = report.findings[0]._replace(id=text, comment=("# ", ""))
    told = Explanation(bad, (bad,), 16, (27,), (f"{text}: error",), (text,) if text else ())
    for output in (explanation.render(told, ReportStyle(width=width)), left_out_files(report, ReportStyle())):
        assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069]", output) is None
        assert "##[" not in output
        assert not re.search(r"^\s*::", output, re.MULTILINE)
        output.encode("utf-8")


@pytest.mark.parametrize(
    ("comment", "line"),
    [
        (("# ", ""), "to allow it, put this above line 10:  # winnow-ci: allow curl <reason>"),
        (("<!-- ", " -->"), "to allow it, put this above line 10:  <!-- winnow-ci: allow curl <reason> -->"),
        (("", ""), "to allow it, put this in a comment above line 10:  winnow-ci: allow curl <reason>"),
    ],
)
def test_the_line_that_allows_a_copy(comment: tuple[str, str], line: str) -> None:
    report = CASES["one"]._replace(findings=(finding()._replace(comment=comment),))
    assert f"\n  {line}\n" in FORMATS["text"](report, ReportStyle())


@pytest.mark.parametrize(
    ("name", "licence", "allowed"),
    [("two words", "MIT", "allow MIT "), ("a-->b", "curl", "allow curl "), ("a\nb", "unknown", "approve")],
)
def test_a_source_that_is_no_word_is_named_by_its_licence(name: str, licence: str, allowed: str) -> None:
    one = finding(licence)
    source = one.source.file.source._replace(name=name)
    one = one._replace(source=one.source._replace(file=one.source.file._replace(source=source)))
    text = FORMATS["text"](CASES["one"]._replace(findings=(one,)), ReportStyle())
    assert allowed in text
    text = FORMATS["text"](CASES["one"]._replace(findings=(one._replace(objection=one.source),)), ReportStyle())
    assert "\n  to allow it:  winnow-ci approve 5f0c2d9a1b3e4f60 --reason TEXT --including-denied\n" in text
