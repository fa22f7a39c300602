from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile
from support.runner import Command, commands
from winnow_ci.model import Level, LineRange, Skipped
from winnow_ci.report import FORMATS, ReportStyle

if TYPE_CHECKING:
    from winnow_ci.model.findings import Finding, ScanReport

BASE = CASES["none"]
ELSEWHERE = "the log of this step lists all, as do its summary and reports"
COMMAND = {"error": "error", "warning": "warning", "note": "notice"}


def _annotations(report: ScanReport) -> list[Command]:
    """What the runner makes of it, and that it resumes with the word that stopped it."""
    *annotations, stop, resume = commands(FORMATS["github"](report, STYLE))
    assert (stop.name, stop.data) == ("stop-commands", STYLE.guard)
    assert resume.name == STYLE.guard
    return annotations


def _findings(files: int, each: int, level: Level = "error") -> tuple[Finding, ...]:
    return tuple(
        finding(path=f"src/{file:02}.c", first=10 * copy + 1, last=10 * copy + 9)._replace(
            id=f"{file}-{copy}",
            tokens=1000 - 10 * file - copy,
            level=level,
        )
        for file in range(files)
        for copy in range(each)
    )


def _mentioned(annotations: list[Command]) -> int:
    return sum(line.count(" copied from curl ") for one in annotations for line in one.data.split("\n"))


def test_the_runner_itself_obeys_what_it_should() -> None:
    """The oracle sees the attacks that it is there for."""
    assert commands("x = 1 ##[add-mask]e\n  ::stop-commands::abc\n::error::no\n::abc::\n::notice a=b%2C::c%0Ad") == [
        Command("add-mask", {}, "e"),
        Command("stop-commands", {}, "abc"),
        Command("abc", {}, ""),
        Command("notice", {"a": "b,"}, "c\nd"),
    ]


@given(ANY_TEXT)
def test_nothing_in_a_change_is_taken_for_a_command(text: str) -> None:
    annotations = _annotations(hostile(text))
    assert [annotation.name for annotation in annotations] == ["error", "error"]
    for annotation in annotations:
        assert list(annotation.properties) in (["title"], ["file", "title"], ["file", "line", "endLine", "title"])


@given(ANY_TEXT)
def test_the_text_says_nothing_that_a_runner_obeys_even_without_its_guard(text: str) -> None:
    output = FORMATS["github"](hostile(text), STYLE)
    guarded = output.partition(f"::stop-commands::{STYLE.guard}\n")[2].removesuffix(f"::{STYLE.guard}::\n")
    assert guarded == FORMATS["text"](hostile(text), STYLE)
    assert commands(guarded) == []


def test_an_annotation_has_its_place_and_says_it_again() -> None:
    report = BASE._replace(
        findings=(finding(path="a,b:c%0A.c")._replace(added=(LineRange(12, 20), LineRange(30, 42))),)
    )
    (annotation,) = _annotations(report)
    assert annotation.properties == {
        "file": "a,b:c%0A.c",
        "line": "12",
        "endLine": "20",
        "title": "Copied from curl 8.1.0 (curl)",
    }
    assert annotation.data == (
        "a,b:c%0A.c:12: lines 10-42 copied from curl 8.1.0 (curl), lib/url.c:100-131; the change adds 12-20, 30-42; "
        "verbatim but for 6 of 180 tokens; see https://curl.se"
    )


@pytest.mark.parametrize("level", COMMAND)
def test_levels_have_their_commands(level: Level) -> None:
    (annotation,) = _annotations(BASE._replace(findings=_findings(1, 1, level)))
    assert annotation.name == COMMAND[level]


@pytest.mark.parametrize(("files", "each"), [(1, 10), (10, 1), (1, 11), (3, 4), (10, 3), (11, 1), (40, 7), (1, 500)])
def test_ten_annotations_a_level_speak_for_all_findings(files: int, each: int) -> None:
    levels: list[Level] = ["error", "warning", "note"]
    findings = tuple(one for level in levels for one in _findings(files, each, level))
    annotations = _annotations(BASE._replace(findings=findings))
    assert Counter(one.name for one in annotations) == dict.fromkeys(COMMAND.values(), min(files * each, 10))
    assert max(len(one.data) for one in annotations) <= 4096
    assert max(one.data.count("\n") for one in annotations) <= 10
    errors = [one for one in annotations if one.name == "error"]
    if files * each <= 10:
        assert _mentioned(errors) == files * each
    if files <= 10:
        assert {one.properties["file"] for one in errors} == {f"src/{file:02}.c" for file in range(files)}
        assert errors[0].properties["line"] == "1"


def test_findings_of_one_file_share_an_annotation_only_where_they_must() -> None:
    annotations = _annotations(BASE._replace(findings=_findings(3, 4)))
    assert _mentioned(annotations) == 12
    together = [one for one in annotations if "\n" in one.data]
    assert [one.properties["file"] for one in together] == ["src/02.c"]
    assert together[0].properties["title"] == "Copied from curl 8.1.0 (curl), and 2 more findings"
    assert [line.split(" ")[0] for line in together[0].data.split("\n")] == [
        "src/02.c:1:",
        "src/02.c:21:",
        "src/02.c:31:",
    ]


def test_what_has_no_annotation_is_counted_in_the_last() -> None:
    *shown, last = _annotations(BASE._replace(findings=_findings(12, 3)))
    assert [one.properties["file"] for one in shown] == [f"src/{file:02}.c" for file in range(9)]
    assert last.properties == {"title": "9 more findings in 3 more files"}
    assert last.data.split("\n") == [
        f"winnow-ci: {last.properties['title']}; {ELSEWHERE}",
        *(f"src/{file:02}.c: 3 findings" for file in (9, 10, 11)),
    ]


def test_an_incomplete_scan_is_an_error_and_takes_one_of_the_ten() -> None:
    skipped = Skipped("a.c", "larger than 64 MiB", "not-scanned")
    (annotation,) = _annotations(BASE._replace(skipped=(skipped,)))
    assert annotation == Command(
        "error",
        {"file": "a.c", "title": "winnow-ci could not scan 1 file"},
        "a.c:1: not scanned: larger than 64 MiB",
    )
    many = tuple(skipped._replace(path=f"{number}.c") for number in range(30))
    first, *others = _annotations(BASE._replace(skipped=many, findings=_findings(12, 1)))
    assert first.properties == {"title": "winnow-ci could not scan 30 files"}
    assert first.data.endswith("\nand 20 more")
    assert len(others) == 9


def test_messages_and_titles_are_cut_where_the_runner_cuts_them() -> None:
    (annotation,) = _annotations(BASE._replace(findings=(finding(license="x" * 200, path="p" * 5000),)))
    assert len(annotation.data) == 4096
    assert len(annotation.properties["title"]) == 120


def test_nobody_can_foresee_the_word() -> None:
    words = {ReportStyle().guard for _ in range(100)}
    assert len(words) == 100
    assert min(len(word) for word in words) >= 32
