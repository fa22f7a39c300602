from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile
from winnow_ci.model import Level, LineRange, Skipped
from winnow_ci.report import FORMATS

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport

# After the table in GitLab's documentation of Code Quality: what a report must have, and the severities there are.
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "not": {"pattern": r"^\./|^/"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
BASE = CASES["none"]


def _issues(report: ScanReport) -> Any:
    return json.loads(FORMATS["gitlab"](report, STYLE))


@pytest.mark.parametrize("case", CASES)
def test_it_is_as_gitlab_asks(case: str) -> None:
    issues = _issues(CASES[case])
    jsonschema.validate(issues, SCHEMA)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert all(issue["description"].startswith(f"{issue['check_name']}: ") for issue in issues)


@given(ANY_TEXT)
def test_it_stays_json_whatever_names_hold(text: str) -> None:
    assert len(_issues(hostile(text))) == 2


@pytest.mark.parametrize(("level", "severity"), [("error", "major"), ("warning", "minor"), ("note", "info")])
def test_levels_have_their_severities(level: Level, severity: str) -> None:
    (issue,) = _issues(BASE._replace(findings=(finding()._replace(level=level),)))
    assert issue["severity"] == severity


def test_an_issue_stands_at_the_first_added_lines_and_says_the_whole_region() -> None:
    (issue,) = _issues(BASE._replace(findings=(finding()._replace(added=(LineRange(12, 20), LineRange(30, 42))),)))
    assert issue["location"] == {"path": "src/a.c", "lines": {"begin": 12, "end": 20}}
    assert issue["description"] == (
        "copied-verbatim: lines 10-42 copied from curl 8.1.0 (curl), lib/url.c:100-131; the change adds 12-20, 30-42; "
        "verbatim but for 6 of 180 tokens"
    )


def test_files_that_could_not_be_scanned_are_issues() -> None:
    skipped = [Skipped(path, "larger than 64 MiB", "not-scanned") for path in ("a.c", "b.c")]
    first, second = _issues(BASE._replace(skipped=tuple(skipped)))
    assert (first["severity"], first["description"]) == ("critical", "not-scanned: larger than 64 MiB")
    assert first["location"]["path"] == "a.c"
    assert first["fingerprint"] != second["fingerprint"]
