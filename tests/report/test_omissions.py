"""How many files are listed, and what is said about why they were not scanned."""

from __future__ import annotations

import pytest

from support.reports import CASES
from winnow_ci.model import Skipped
from winnow_ci.report import ReportStyle, omissions


def told(*skipped: Skipped) -> list[str]:
    return omissions.render(CASES["none"]._replace(skipped=skipped), ReportStyle()).splitlines()


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
