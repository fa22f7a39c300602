"""Which findings reports show, in which order and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.reports import ANY_TEXT, CASES, finding, hostile
from winnow_ci.model import LineRange
from winnow_ci.model.findings import Advice
from winnow_ci.report import FORMATS, ReportStyle
from winnow_ci.report.shown import GROUPINGS, GroupBy, causes, covered_lines, finding_groups

if TYPE_CHECKING:
    from winnow_ci.model.findings import Finding

BASE = CASES["none"]
PLACES = st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 20), st.integers(0, 9)), max_size=9)


def _from(name: str, licence: str = "MIT", source_path: str = "lib/url.c", **fields: object) -> Finding:
    one = finding(licence)
    source = one.source.file.source._replace(name=name, version=None)
    file = one.source.file._replace(source=source, path=source_path)
    return one._replace(source=one.source._replace(file=file))._replace(**fields)  # type: ignore[arg-type]


def test_what_is_denied_comes_first_then_the_worst_level_then_the_largest_group() -> None:
    findings = [
        _from("many", level="warning"),
        _from("many", level="warning", path="b.c"),
        _from("few", level="warning"),
        _from("bad", level="error"),
        _from("forbidden", level="error", denied=True),
        _from("weak", level="note", denied=True),
    ]
    assert [group.name for group in finding_groups(findings, "source")] == ["forbidden", "bad", "many", "few", "weak"]


@given(PLACES)
def test_a_line_of_several_findings_counts_once(places: list[tuple[str, int, int]]) -> None:
    findings = [finding(path=path, first=first, last=first + more) for path, first, more in places]
    assert covered_lines(findings) == len(
        {(path, line) for path, first, more in places for line in range(first, first + more + 1)}
    )


def test_a_group_counts_its_findings_lines_and_files() -> None:
    one = _from("a", path="x.c", lines=LineRange(1, 10))
    (group,) = finding_groups([one, one._replace(lines=LineRange(6, 15)), one._replace(path="y.c")], "source")
    assert group.counts == ("3", "25", "2")


@pytest.mark.parametrize(
    ("by", "names", "others"),
    [
        ("source", ["a", "b"], ["MIT, ISC", "MIT"]),
        ("licence", ["MIT", "ISC"], ["b, a", "a"]),
        ("folder", ["lib/x/", "./"], ["MIT, ISC", "MIT"]),
    ],
)
def test_groups_have_names_and_say_what_else_is_in_them(by: GroupBy, names: list[str], others: list[str]) -> None:
    findings = [_from("a", path="lib/x/1.c"), _from("a", "ISC", path="lib/x/2.c"), _from("b", path="3.c")]
    found = finding_groups(findings, by)
    assert [group.name for group in found] == names
    assert [group.others(by) for group in found] == others


def test_fifty_seven_findings_fit_one_screen_and_each_has_one_line() -> None:
    findings = tuple(
        _from(f"source{number % 5}", path=f"vendor/{number}.c", id=f"{number:016x}", source_path=f"{number}.c")
        for number in range(57)
    )
    lines = FORMATS["text"](BASE._replace(findings=findings), ReportStyle(group_by="source")).splitlines()
    overview = lines[: lines.index("")]
    assert len(overview) == 1 + 5
    assert sum(line.startswith("  vendor/") for line in lines) == 57
    assert len(lines) == len(overview) + 57 + 5 * 2 + 4
    assert FORMATS["text"](BASE._replace(findings=findings), ReportStyle()).splitlines() == lines


def _of_lines(number: int, first: int, last: int, **fields: object) -> Finding:
    one = _from("a", path=f"dist/{number}.js", **fields)
    return one._replace(source=one.source._replace(lines=LineRange(first, last)))


def test_copies_of_about_the_same_lines_are_one_entry() -> None:
    found = [_of_lines(1, 1, 40), _of_lines(2, 21, 60), _of_lines(3, 22, 61), _of_lines(4, 1, 40, level="warning")]
    paths = [[one.path[5:-3] for one in entry] for entry in causes(found)]
    # Half of the lines in common is enough, one line less is not; levels stay apart.
    assert paths == [["1", "2"], ["3"], ["4"]]


def test_a_terminal_folds_what_is_weak_and_what_is_the_same() -> None:
    weak = [_of_lines(n, 100 * n, 100 * n + 9, level="note", strength="weak") for n in range(1, 8)]
    same = [_of_lines(n, 1, 40) for n in range(1, 7)]
    lines = FORMATS["text"](BASE._replace(findings=(*weak, *same)), ReportStyle()).splitlines()
    assert len(lines) <= 25
    assert any(line.startswith("  the same in 5 more places: dist/2.js:10-42 (") for line in lines)
    assert "7 weak notes, which unrelated code may have too: --group-by source lists them" in lines
    # A denied one comes before a strong note, and is folded all the same.
    note = _of_lines(9, 900, 940, level="note")
    mixed = (note, weak[0]._replace(denied=True), *weak[1:])
    lines = FORMATS["text"](BASE._replace(findings=mixed), ReportStyle()).splitlines()
    assert sum(": note: " in line for line in lines) == 1
    assert "7 weak notes, which unrelated code may have too: --group-by source lists them" in lines
    grouped = FORMATS["text"](BASE._replace(findings=(*weak, *same)), ReportStyle(group_by="source")).splitlines()
    assert sum(": note: " in line for line in grouped) == 7


def test_of_more_than_three_copies_no_code_is_shown() -> None:
    found = tuple(_of_lines(n, 100 * n, 100 * n + 9, excerpt=("int a;",)) for n in range(1, 5))
    for count, shows in ((3, True), (4, False)):
        assert ("int a;" in FORMATS["text"](BASE._replace(findings=found[:count]), ReportStyle())) == shows


def test_on_a_terminal_words_stay_whole_and_so_do_commands_and_code() -> None:
    one = _of_lines(1, 100, 130, excerpt=("int a = b;" * 20,))._replace(path=f"src/{'deep/' * 8}a.c")
    scan = BASE._replace(findings=(one,), advice=Advice(("--since", "main", "--index", "../known/code.db")))
    lines = FORMATS["text"](scan, ReportStyle(width=80, wraps=True)).splitlines()
    assert all("winnow-ci " in line or "│" in line for line in lines if len(line) > 80)
    assert lines[1] == "    (MIT), lib/url.c:100-130"
    assert lines[3] == "  more: winnow-ci explain 5f0c2d9a1b3e4f60 --since main --index ../known/code.db"
    assert len(FORMATS["text"](scan, ReportStyle(width=80)).splitlines()) == len(lines) - 2


@given(ANY_TEXT)
def test_no_name_breaks_a_line(text: str) -> None:
    for by in GROUPINGS:
        lines = FORMATS["text"](hostile(text), ReportStyle(group_by=by)).split("\n")
        assert sum(line.startswith("  ") and " verbatim from " in line for line in lines) == 1
