"""The problem matchers of ``docs/scanning.md`` read a report as the documentation says."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from support.reports import CASES
from test_documentation import ROOT, tokens
from winnow_ci.report import printable
from winnow_ci.report.shown import ReportStyle, unsuppressed
from winnow_ci.report.text import render

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS = ("file", "line", "endLine", "severity", "message")


def patterns() -> Iterator[dict[str, Any]]:
    """That of VS Code, and that of GitHub."""
    for token in tokens(ROOT / "docs/scanning.md"):
        shown = json.loads(token.content) if token.type == "fence" and token.info == "json" else None
        if isinstance(shown, dict):
            task = shown.get("tasks", [{}])[0]
            yield task["problemMatcher"]["pattern"] if task else shown["problemMatcher"][0]["pattern"][0]


def matched(pattern: dict[str, Any], text: str) -> list[tuple[str | None, ...]]:
    found = (re.match(pattern["regexp"], line, re.ASCII) for line in text.splitlines())
    return [tuple(one[pattern[key]] if key in pattern else None for key in GROUPS) for one in found if one]


@pytest.mark.parametrize("name", CASES)
def test_each_finding_of_a_report_is_a_problem(name: str) -> None:
    of_vs_code, of_github = patterns()
    text = render(CASES[name], ReportStyle())
    problems = matched(of_vs_code, text)
    expected = []
    for finding in unsuppressed(CASES[name]):
        first, last = map(str, finding.lines)
        expected.append((printable.name(finding.path), first, last if last != first else None, finding.level))
    assert sorted(one[:4] for one in problems) == sorted(expected)
    annotated = [(*one[:2], one[3]) for one in problems if one[3] != "note"]
    assert [(*one[:2], one[3]) for one in matched(of_github, text)] == annotated


def test_code_that_looks_like_a_problem_is_none() -> None:
    of_vs_code, of_github = patterns()
    for line in ("  12 | a.c:7: error: x", "  src/a.c:7: error: x", "winnow-ci: error: a.c:7: error", "a.c: error: x"):
        assert matched(of_vs_code, line) == matched(of_github, line) == [], line
