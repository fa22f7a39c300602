"""``winnow-ci scan`` finds what was copied, says where it comes from, and fails because of it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from support.command import build, winnow
from support.donor import CHANGE, INNOCENT, PLAN, SHORTEST_ROUTE, write_known

if TYPE_CHECKING:
    from support.repository import Checkout

SCHEMA = Path(__file__).parents[2] / "docs" / "json-v1.schema.json"


def _source(first: int, last: int) -> dict[str, Any]:
    return {
        "name": "roads",
        "version": "2.1",
        "license": "GPL-3.0-only",
        "path": "roads/routes.py",
        "start_line": first,
        "end_line": last,
        "url": "https://example.org/roads",
        "purl": None,
        "license_from": "argument",
        "package_license": None,
    }


def _ids(checkout: Checkout, known: Path, *paths: str) -> list[str]:
    return [finding["id"] for finding in winnow("scan", *paths, *_json(known), cwd=checkout.root).findings()]


def _json(known: Path) -> tuple[str | Path, ...]:
    return "--index", known, "--format", "json"


def test_findings_name_lines_source_and_licence(copied: Checkout, known: Path) -> None:
    ended = winnow("scan", *_json(known), cwd=copied.root)
    assert ended.status == 1
    bookings, plan = ended.findings()
    places = {
        finding["path"]: (finding["kind"], finding["start_line"], finding["end_line"]) for finding in (bookings, plan)
    }
    assert places == {"src/bookings.py": ("renamed", 4, 17), "src/plan.py": ("verbatim", 13, 37)}
    assert (bookings["source"], plan["source"]) == (_source(45, 58), _source(18, 42))
    for finding in (bookings, plan):
        assert (finding["level"], finding["similarity"], finding["suppressed"]) == ("error", 1.0, None)
        assert finding["also_in"] == []
    assert ended.report()["summary"] == {"error": 2, "warning": 0, "note": 0, "suppressed": 0}
    assert ended.errors.endswith(" against the work tree: 3 files scanned, 0 skipped\n")
    assert ended.errors.count("\n") == 1


def test_json_is_as_its_schema_says(copied: Checkout, known: Path) -> None:
    copied.write("logo.png", b"\x89PNG\0")
    report = winnow("scan", *_json(known), cwd=copied.root).report()
    jsonschema.validate(report, json.loads(SCHEMA.read_text()))
    scan = report["scan"]
    assert (scan["mode"], scan["base"], scan["head"]) == ("branch", copied.git("rev-parse", "HEAD"), None)
    assert (scan["files_scanned"], scan["complete"]) == (3, True)
    assert scan["files_skipped"] == [{"path": "logo.png", "reason": "unknown language", "state": "out-of-scope"}]


def test_the_text_report_says_it_in_a_line_each(copied: Checkout, known: Path) -> None:
    ended = winnow("scan", "--index", known, cwd=copied.root)
    assert ended.status == 1
    headings = [line for line in ended.output.splitlines() if ": error: " in line]
    assert headings == [
        "src/plan.py:13-37: error: copied from roads 2.1 (GPL-3.0-only), roads/routes.py:18-42",
        "src/bookings.py:4-17: error: copied and edited from roads 2.1 (GPL-3.0-only), roads/routes.py:45-58",
    ]
    assert "  13 │ def shortest_route(roads, start, goal):" in ended.output
    assert ended.output.endswith("\n2 findings (2 errors)\n")


def test_a_change_without_copies_is_clean(checkout: Checkout, known: Path) -> None:
    checkout.write("src/greetings.py", INNOCENT)
    ended = winnow("scan", "--index", known, cwd=checkout.root)
    assert (ended.status, ended.output) == (0, "no findings\n")
    assert ended.errors.endswith(": 1 file scanned, 0 skipped\n")


def test_exit_zero_reports_all_the_same(copied: Checkout, known: Path) -> None:
    failing = winnow("scan", "--index", known, cwd=copied.root)
    forgiven = winnow("scan", "--index", known, "--exit-zero", cwd=copied.root)
    assert (failing.status, forgiven.status) == (1, 0)
    assert (failing.output, failing.errors) == (forgiven.output, forgiven.errors)


def test_a_scan_writes_several_reports(copied: Checkout, known: Path, tmp_path: Path) -> None:
    alone = {name: winnow("scan", "--index", known, "--format", name, cwd=copied.root) for name in ("text", "json")}
    report = tmp_path / "report.json"
    both = winnow("scan", "--index", known, "--format", f"json:{report}", "--format", "text", cwd=copied.root)
    assert both == replace(alone["text"], errors=f"{alone['text'].errors}winnow-ci: wrote {report}\n")
    assert report.read_text() == alone["json"].output


def test_a_report_in_a_file_leaves_standard_output_alone(copied: Checkout, known: Path) -> None:
    ended = winnow("scan", "--index", known, "--format", "text:report.txt", cwd=copied.root)
    assert (ended.status, ended.output) == (1, "")
    assert (copied.root / "report.txt").read_text().endswith("2 findings (2 errors)\n")


def test_the_format_never_changes_the_status(copied: Checkout, known: Path) -> None:
    formats = ("text", "json", "text:report", "json:report")
    scans = [winnow("scan", "--index", known, "--format", name, cwd=copied.root) for name in formats]
    assert [ended.status for ended in scans] == [1] * len(formats)


def test_ids_stay_when_unrelated_lines_come_above(copied: Checkout, known: Path) -> None:
    before = _ids(copied, known)
    for path, text in CHANGE.items():
        copied.write(path, f'"""Unrelated."""\n\nimport this\n\n{text}')
    assert len(before) == 2
    assert _ids(copied, known) == before


def test_one_copy_made_twice_is_two_findings(checkout: Checkout, known: Path) -> None:
    copy = SHORTEST_ROUTE.text
    checkout.write("src/plan.py", f"{PLAN}\n\n{copy}\n\nBETWEEN = today(5)\n\n\n{copy}")
    findings = winnow("scan", *_json(known), cwd=checkout.root).findings()
    assert [(finding["start_line"], finding["end_line"]) for finding in findings] == [(13, 37), (43, 67)]
    assert len({finding["id"] for finding in findings}) == 2


def test_a_renamed_file_brings_nothing_new(copied: Checkout, known: Path) -> None:
    copied.commit()
    copied.git("mv", "src/plan.py", "src/day.py")
    ended = winnow("scan", *_json(known), cwd=copied.root)
    assert (ended.status, ended.findings(), ended.report()["scan"]["files_scanned"]) == (0, [], 1)


def test_edits_elsewhere_in_a_file_with_a_copy_bring_nothing_new(copied: Checkout, known: Path) -> None:
    copied.commit()
    copied.write("src/plan.py", CHANGE["src/plan.py"].replace("today(3)", "today(4)") + "\n\nprint(today(5))\n")
    copied.write("src/bookings.py", CHANGE["src/bookings.py"].replace("LIMIT = 30", "LIMIT = 300"))
    ended = winnow("scan", *_json(known), cwd=copied.root)
    assert (ended.status, ended.findings(), ended.report()["scan"]["files_scanned"]) == (0, [], 2)


def test_a_copy_that_grows_is_reported_with_what_is_new(checkout: Checkout, known: Path) -> None:
    lines = SHORTEST_ROUTE.text.splitlines(keepends=True)
    checkout.commit({"src/plan.py": PLAN + "\n\n" + "".join(lines[:8])})
    checkout.write("src/plan.py", PLAN + "\n\n" + "".join(lines))
    (finding,) = winnow("scan", *_json(known), cwd=checkout.root).findings()
    assert (finding["start_line"], finding["end_line"], finding["added_lines"]) == (13, 37, [[21, 37]])


@pytest.mark.parametrize("given", ["options", "folder", "configuration", "configured folder"])
def test_an_index_is_named_in_several_ways(copied: Checkout, known: Path, tmp_path: Path, given: str) -> None:
    configured = {"configuration": known, "configured folder": known.parent}
    if given in configured:
        copied.write(".winnow.yml", f"index: ['{configured[given]}']\nlanguages: [python]\n")
    other = tmp_path / "other.db"
    write_known(tmp_path / "greetings")
    (tmp_path / "greetings" / "g.py").write_text(INNOCENT)
    build(tmp_path / "greetings", other, name="greetings")
    options = {"options": ("--index", known, "--index", other), "folder": ("--index", known.parent)}.get(given, ())
    ended = winnow("scan", *options, "--format", "json", cwd=copied.root)
    assert ended.status == 1
    expected = ["src/bookings.py", "src/greetings.py", "src/plan.py"] if given == "options" else None
    assert [finding["path"] for finding in ended.findings()] == (expected or ["src/bookings.py", "src/plan.py"])


def test_a_scan_of_several_indexes_names_all_sources(copied: Checkout, known: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    build(write_known(tmp_path / "fork"), other, "--license", "MIT", name="fork")
    ended = winnow("scan", "src/plan.py", "--index", other, *_json(known), cwd=copied.root)
    (finding,) = ended.findings()
    named = [place["name"] for place in (finding["source"], *finding["also_in"])]
    assert sorted(named) == ["fork", "roads"]


def test_nothing_in_the_repository_is_run(copied: Checkout, known: Path) -> None:
    for name in ("argparse", "git", "numpy", "sqlite3", "tqdm", "yaml"):
        copied.write(f"{name}.py", "raise SystemExit('the repository was run')\n")
    copied.write(".winnow.yml", "k: 16\n")
    assert winnow("scan", "src", *_json(known), cwd=copied.root).status == 1


def test_a_page_needs_a_file(copied: Checkout, known: Path) -> None:
    ended = winnow("scan", "--index", known, "--format", "html", cwd=copied.root)
    problem, remedy = ended.complaint(2)
    assert problem == "html is a page for a browser and needs a file"
    assert remedy == "--format html:FILE"


def test_a_page_is_one_file(copied: Checkout, known: Path, tmp_path: Path) -> None:
    page = tmp_path / "winnow.html"
    ended = winnow("scan", "--index", known, "--format", f"html:{page}", cwd=copied.root)
    assert (ended.status, ended.output) == (1, "")
    assert "src/bookings.py:4-" in page.read_text(encoding="utf-8")


def test_files_of_the_tool_itself_are_read_and_not_counted(copied: Checkout, known: Path) -> None:
    winnow("init", cwd=copied.root)
    (copied.root / ".winnow").mkdir()
    shutil.copy(known, copied.root / ".winnow" / "index.db")
    winnow("approve", "--source", "roads", "--reason", "asked its author", cwd=copied.root)
    ended = winnow("scan", cwd=copied.root)
    assert ended.status == 0
    assert ended.errors.endswith(": 3 files scanned, 0 skipped\n")
    copied.write(".winnow/sources.yml", SHORTEST_ROUTE.text)
    assert ".winnow/sources.yml:1-25: error: copied as text" in winnow("scan", cwd=copied.root).output
