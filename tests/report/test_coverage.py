"""What is said of a scan's coverage, and which of the files that it left out are listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.reports import CASES
from winnow_ci.model import Fallback, Skipped
from winnow_ci.report import ReportStyle, coverage
from winnow_ci.report.coverage import _RULES, left_out_files

RULE = Path(__file__).parents[2] / "docs" / "rules" / "not-scanned.md"
BASE = CASES["none"]


def test_coverage_names_what_was_compared_and_what_was_not_looked_at() -> None:
    assert coverage(CASES["one"]) == (
        "winnow-ci: compared main (3f2a1c9e0b12) with the work tree: 14 files scanned, 1 skipped (1 symbolic link)"
    )
    first, existing, fallback, second = coverage(CASES["many"]).split("\n")
    assert existing == "winnow-ci: not counted: 3 copies that the repository already had"
    assert first.endswith("14 files scanned, 3 skipped (2 unknown language, 1 symbolic link), 1 NOT scanned")
    assert second.startswith("winnow-ci: not scanned: big new\\nline")
    assert fallback.startswith("winnow-ci: 2 files read by the fallback tokenizer: slow new\\nline")
    assert fallback.endswith(".scala (not lexed within 2 s), src/b.c (of some reason)")
    assert coverage(BASE).endswith(": 1 file scanned, 0 skipped")


def test_coverage_counts_text_that_was_not_looked_at() -> None:
    lines = coverage(BASE._replace(unread=(("a.md", 1000), ("b.py", 50)))).splitlines()
    assert lines[1:] == ["winnow-ci: text not read as code: 1,050 lines in 2 files"]


def test_coverage_counts_the_contents_that_files_were_not_compared_with() -> None:
    (line,) = coverage(BASE._replace(uncompared=(("a.c", 1200), ("b.c", 34)))).splitlines()[1:]
    assert line == (
        "winnow-ci: compared only with the known files that share most: 2 files"
        " (1,234 known contents with less in common left out)"
    )


def test_coverage_stays_short() -> None:
    skipped = tuple(
        Skipped(f"{n}", f"reason {n}", state) for n in range(40) for state in ("out-of-scope", "not-scanned")
    )
    lines = coverage(BASE._replace(skipped=skipped)).splitlines()
    assert len(lines) == 12
    assert "35 for other reasons" in lines[0]
    assert lines[-1] == "winnow-ci: not scanned: and 30 more"


def test_coverage_names_ten_files_that_the_fallback_tokenizer_read() -> None:
    files = tuple(Fallback(f"{number}.chpl", "failed") for number in range(11))
    assert coverage(BASE._replace(fallback=files[:10])).endswith(", 9.chpl (failed)")
    assert coverage(BASE._replace(fallback=files)).endswith(", 9.chpl (failed), and 1 more")


def told(*skipped: Skipped) -> list[str]:
    return left_out_files(BASE._replace(skipped=skipped), ReportStyle()).splitlines()


@pytest.mark.parametrize(("count", "listed"), [(200, 200), (201, 20)])
def test_up_to_200_files_are_listed_else_20_of_each_rule(count: int, listed: int) -> None:
    lines = told(*(Skipped(f"{number:03}.bin", "binary content", "out-of-scope") for number in range(count)))
    assert [line.strip() for line in lines if line.endswith(".bin")] == [f"{number:03}.bin" for number in range(listed)]
    assert ("--skipped" in lines[-1]) == (listed < count)
    assert f"binary content: {count} files" in lines


@pytest.mark.parametrize(
    ("reason", "rule"),
    [
        ("excluded by **/generated/**", 'paths.exclude: "**/generated/**" in the configuration'),
        ("language java is not among languages", "languages in the configuration does not list java"),
        ("cannot be read: Permission denied", "fix that, or leave it out with paths.exclude"),
        ("a reason that nobody foresaw", None),
    ],
)
def test_a_reason_is_told_with_its_rule(reason: str, rule: str | None) -> None:
    lines = told(Skipped("a.c", reason, "not-scanned"))
    assert lines == ["not scanned: 1 file", "", f"{reason}: 1 file", *([f"  {rule}"] if rule else []), "    a.c"]


def test_reasons_on_the_page_of_files_that_were_not_scanned_are_those_that_are_given() -> None:
    page = RULE.read_text(encoding="utf-8")
    reasons = [
        reason for row in re.findall(r"^\| (`.*?) \| ", page, re.MULTILINE) for reason in re.findall("`(.+?)`", row)
    ]
    given = [pattern for pattern, _ in _RULES]
    assert len(reasons) > 8
    assert [reason for reason in reasons if not any(re.match(pattern, reason) for pattern in given)] == []
