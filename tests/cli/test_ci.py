"""``winnow-ci scan`` on a CI: explicit modes win, and ``--format auto`` picks what the place shows best."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, winnow
from support.payloads import FOLDER
from support.runner import commands
from winnow_ci.cli.outputs import CODE_QUALITY, SUMMARY_LIMIT, TOO_LONG

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

GITHUB = {"GITHUB_ACTIONS": "true", "CI": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": "/nowhere"}
GITLAB = {"GITLAB_CI": "true", "CI": "true"}


def scan(checkout: Checkout, known: Path, *arguments: str, **settings: str) -> Ended:
    return winnow("scan", *arguments, "--index", known, cwd=checkout.root, **settings)


@pytest.mark.parametrize("mode", [("--since", "main"), ("--range", "main..HEAD"), ("--all",), ("--staged",)])
def test_an_explicit_mode_wins(copied: Checkout, known: Path, mode: tuple[str, ...]) -> None:
    on_ci = scan(copied, known, *mode, "--format", "json", **GITHUB)
    elsewhere = scan(copied, known, *mode, "--format", "json")
    assert (on_ci.status, on_ci.findings()) == (elsewhere.status, elsewhere.findings())
    assert elsewhere.errors.splitlines()[0] in on_ci.errors
    assert on_ci.status in {0, 1}


def test_without_a_mode_the_event_decides(copied: Checkout, known: Path) -> None:
    assert scan(copied, known, **GITHUB).complaint(3)[0].startswith("the event's payload /nowhere cannot be read")


def test_an_event_about_another_repository_is_an_error(copied: Checkout, known: Path) -> None:
    settings = {**GITHUB, "GITHUB_EVENT_PATH": str(FOLDER / "push.json")}
    settings |= {"GITHUB_REPOSITORY": "octo/widget", "GITHUB_SHA": "d" * 40}
    problem, remedy = scan(copied, known, **settings).complaint(3)
    assert problem.startswith("there is no commit dddddddddddd")
    assert "checkout of the event's repository" in remedy


def test_paths_narrow_an_event_as_well(copied: Checkout, known: Path) -> None:
    copied.commit()
    settings = {**GITHUB, "GITHUB_EVENT_NAME": "schedule"}
    ended = scan(copied, known, "--format", "json", "src/bookings.py", **settings)
    assert {finding["path"] for finding in ended.findings()} == {"src/bookings.py"}


# ---- auto ------------------------------------------------------------------------------------------------------


def test_auto_elsewhere_is_text(copied: Checkout, known: Path) -> None:
    assert scan(copied, known, "--format", "auto") == scan(copied, known)


def test_auto_on_github(copied: Checkout, known: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("what another step said")
    ended = scan(copied, known, "--all", "--format", "auto", **GITHUB, GITHUB_STEP_SUMMARY=str(summary))
    assert ended.status == 1
    assert "error" in {command.name for command in commands(ended.output)}
    assert summary.read_text().startswith("what another step said\n## winnow-ci")
    once = summary.read_text()
    scan(copied, known, "--all", "--format", "auto", **GITHUB, GITHUB_STEP_SUMMARY=str(summary))
    assert summary.read_text().startswith(once)
    assert len(summary.read_text()) > len(once)


@pytest.mark.parametrize(("left", "expected"), [(200, TOO_LONG), (20, "")])
def test_a_summary_stays_within_its_limit(
    copied: Checkout, known: Path, tmp_path: Path, left: int, expected: str
) -> None:
    summary = tmp_path / "summary.md"
    before = "x" * (SUMMARY_LIMIT - left)
    summary.write_text(before)
    ended = scan(copied, known, "--all", "--format", "auto", **GITHUB, GITHUB_STEP_SUMMARY=str(summary))
    assert ended.status == 1
    assert summary.read_text().removeprefix(before).strip() == expected.strip()


def test_auto_on_a_runner_without_summaries(copied: Checkout, known: Path) -> None:
    assert scan(copied, known, "--all", "--format", "auto", **GITHUB).status == 1


def test_a_summary_that_cannot_be_written_is_an_error(copied: Checkout, known: Path, tmp_path: Path) -> None:
    settings = {**GITHUB, "GITHUB_STEP_SUMMARY": str(tmp_path)}
    ended = scan(copied, known, "--all", "--format", "auto", **settings)
    assert ended.status == 3
    assert str(tmp_path) in ended.last_words()[0]


def test_auto_on_gitlab(copied: Checkout, known: Path, tmp_path: Path) -> None:
    text = scan(copied, known, "--all", **GITLAB)
    ended = scan(copied, known, "--all", "--format", "auto", **GITLAB, CI_PROJECT_DIR=str(tmp_path))
    assert ended == replace(text, errors=f"{text.errors}winnow-ci: wrote {tmp_path / CODE_QUALITY}\n")
    assert json.loads((tmp_path / CODE_QUALITY).read_text())


def test_auto_with_another_report(copied: Checkout, known: Path, tmp_path: Path) -> None:
    arguments = ("--format", "auto", "--format", f"json:{tmp_path / 'report.json'}")
    assert scan(copied, known, *arguments).status == 1
    assert json.loads((tmp_path / "report.json").read_text())["findings"]


@pytest.mark.parametrize("formats", [("auto:report",), ("auto:",), ("auto", "text"), ("auto", "auto")])
def test_auto_has_its_own_places(copied: Checkout, known: Path, formats: tuple[str, ...]) -> None:
    arguments = [part for value in formats for part in ("--format", value)]
    assert scan(copied, known, *arguments).status == 2


def test_a_link_in_the_checkout_is_not_followed(copied: Checkout, known: Path, tmp_path: Path) -> None:
    profile = tmp_path / "profile"
    profile.write_text("as it was\n")
    (copied.root / "report.json").symlink_to(profile)
    assert scan(copied, known, "--format", "json:report.json").status == 1
    assert profile.read_text() == "as it was\n"
    assert json.loads((copied.root / "report.json").read_text())["findings"]


@pytest.mark.parametrize("folder", ["reports", "reports/of/today"])
def test_a_link_on_the_way_to_a_report_is_not_followed(
    copied: Checkout, known: Path, tmp_path: Path, folder: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "w.json").write_text("as it was\n")
    (copied.root / folder).parent.mkdir(parents=True, exist_ok=True)
    (copied.root / folder).symlink_to(outside)
    relative, absolute = f"{folder}/w.json", copied.root / folder / "w.json"
    for file in (relative, absolute):
        problem, remedy = scan(copied, known, "--format", f"json:{file}").complaint(3)
        assert problem == f"{file}: {folder.rpartition('/')[2]} is a symbolic link, which the change may have made"
        assert "outside the checkout" in remedy
    assert (outside / "w.json").read_text() == "as it was\n"


def test_a_checkout_behind_a_link_of_the_system_has_reports(copied: Checkout, known: Path, tmp_path: Path) -> None:
    (copied.root / "reports").mkdir()
    (tmp_path / "link").symlink_to(copied.root)
    assert scan(copied, known, "--format", f"json:{tmp_path / 'link' / 'reports' / 'w.json'}").status == 1
    assert json.loads((copied.root / "reports" / "w.json").read_text())["findings"]


def test_a_report_that_cannot_be_written_loses_no_other(copied: Checkout, known: Path, tmp_path: Path) -> None:
    """The change may bring a folder in the place of a report."""
    copied.write("w.json/a.txt", "x\n")
    copied.write("w.sarif/a.txt", "x\n")
    reports = ("--format", "json:w.json", "--format", "sarif:w.sarif", "--format", f"json:{tmp_path / 'kept.json'}")
    ended = scan(copied, known, *reports, "--format", "text")
    assert ended.status == 3
    assert ended.last_words()[0] == "w.json: Is a directory (1 more cannot be written either)"
    assert ended.output == scan(copied, known).output != ""
    assert json.loads((tmp_path / "kept.json").read_text())["findings"]


def test_a_report_that_came_with_the_checkout_says_nothing_of_this_scan(copied: Checkout, known: Path) -> None:
    copied.write("w.json", '{"findings": []}')
    ended = scan(copied, known, "--since", "absent", "--format", "json:w.json")
    assert (ended.status, (copied.root / "w.json").exists()) == (3, False)


# ---- where a browser shows it ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "prefix"),
    [
        (
            {**GITHUB, "GITHUB_SERVER_URL": "https://forge.example", "GITHUB_REPOSITORY": "octo/widget"},
            "https://forge.example/octo/widget/blob/",
        ),
        ({**GITLAB, "CI_PROJECT_URL": "https://lab.example/a/b/c"}, "https://lab.example/a/b/c/-/blob/"),
    ],
)
def test_lines_are_links_where_the_environment_says_where(
    copied: Checkout, known: Path, settings: dict[str, str], prefix: str
) -> None:
    head = copied.commit()
    ended = scan(copied, known, "--range", "HEAD~1..HEAD", "--format", "markdown", **settings)
    assert f"({prefix}{head}/src/bookings.py#L" in ended.output


@pytest.mark.parametrize("url", ["", "lab.example", "https://lab.example/a b", "https://lab.example/)[x](y"])
def test_an_address_that_is_none_makes_no_link(copied: Checkout, known: Path, url: str) -> None:
    copied.commit()
    ended = scan(copied, known, "--range", "HEAD~1..HEAD", "--format", "markdown", **GITLAB, CI_PROJECT_URL=url)
    assert ended.status == 1
    assert {link.partition(")")[0] for link in ended.output.split("](")[1:]} == {"https://example.org/roads"}


@pytest.mark.parametrize("broken", ["index", "configuration", "event"])
def test_a_summary_says_why_there_was_no_scan(copied: Checkout, known: Path, tmp_path: Path, broken: str) -> None:
    summary = tmp_path / "summary"
    settings = {**GITHUB, "GITHUB_STEP_SUMMARY": str(summary)}
    mode = () if broken == "event" else ("--all",)
    if broken == "configuration":
        (copied.root / ".winnow.yml").write_text("polcy: {}\n")
    if broken == "index":
        known = tmp_path / "nowhere.db"
    ended = scan(copied, known, *mode, "--policy-from", "head", "--format", "auto", **settings)
    assert ended.status in {2, 3}
    heading, clean, told = summary.read_text().strip().split("\n\n")
    assert (heading, clean) == (
        "## winnow-ci: could not scan",
        "**This is not a clean result:** nothing was scanned.",
    )
    problem = ended.errors.partition("winnow-ci: error: ")[2].splitlines()[0]
    assert told.splitlines()[1] == problem


# ---- groups ----------------------------------------------------------------------------------------------------


def test_findings_by_source_are_a_line_each(copied: Checkout, known: Path) -> None:
    findings = scan(copied, known, "--format", "json").findings()
    ended = scan(copied, known, "--group-by", "source")
    overview, group, more, _ = ended.output.split("\n\n")
    assert more.startswith("more on one, and how to allow it: winnow-ci explain ID")
    (heading, row) = overview.splitlines()
    assert heading.split() == ["SOURCE", "LEVEL", "FINDINGS", "LINES", "FILES", "LICENCES"]
    assert str(len(findings)) in row.split()
    assert {line.split()[-1] for line in group.splitlines()[1:]} == {finding["id"] for finding in findings}
