"""``winnow-ci scan`` finds what was copied, says where it comes from, and fails because of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema

from support.command import winnow
from support.donor import CHANGE

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


def test_ids_stay_when_unrelated_lines_come_above(copied: Checkout, known: Path) -> None:
    before = _ids(copied, known)
    for path, text in CHANGE.items():
        copied.write(path, f'"""Unrelated."""\n\nimport this\n\n{text}')
    assert len(before) == 2
    assert _ids(copied, known) == before
