"""Formats of ``winnow-ci scan`` that hand findings on."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from spdx_tools.spdx.parser.json.json_parser import parse_from_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from support.command import environment, winnow

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

WITHOUT = """\
import sys
sys.modules["cyclonedx"] = sys.modules["spdx_tools"] = None
from winnow_ci.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_spreadsheet_and_a_bill_of_materials_of_a_scan(copied: Checkout, known: Path, tmp_path: Path) -> None:
    table, bill = tmp_path / "found.csv", tmp_path / "bom.json"
    formats = ("--format", f"csv:{table}", "--format", f"cyclonedx:{bill}", "--format", "json")
    ended = winnow("scan", "--index", known, *formats, cwd=copied.root)
    wanted = {finding["id"] for finding in ended.findings()}
    with table.open(newline="", encoding="utf-8") as file:
        assert {row["id"] for row in csv.DictReader(file)} == wanted
    (component,) = json.loads(bill.read_text())["components"]
    assert (component["name"], component["version"]) == ("roads", "2.1")
    told = " ".join(one["additionalContext"] for one in component["evidence"]["occurrences"])
    assert all(id_ in told for id_ in wanted)


def test_an_spdx_document_of_a_scan_and_of_its_stored_report(copied: Checkout, known: Path, tmp_path: Path) -> None:
    direct, stored, later = (tmp_path / name for name in ("direct.spdx.json", "stored.json", "later.spdx.json"))
    formats = ("--format", f"spdx:{direct}", "--format", f"json:{stored}", "--format", "json")
    wanted = winnow("scan", "--index", known, *formats, cwd=copied.root).findings()
    document = parse_from_file(str(direct))
    assert validate_full_spdx_document(document) == []
    assert document.creation_info.name == copied.root.name
    assert [(one.name, one.version) for one in document.packages[1:]] == [("roads", "2.1")]
    for file in document.files:
        content = (copied.root / file.name).read_bytes()
        assert [one.value for one in file.checksums if one.algorithm.name == "SHA1"] == [
            hashlib.sha1(content).hexdigest()
        ]
    assert [(one.line_range, one.byte_range, str(one.license_concluded)) for one in document.snippets] == [
        ((one["start_line"], one["end_line"]), tuple(one["byte_range"]), "GPL-3.0-only") for one in wanted
    ]
    assert winnow("report", stored, "--format", f"spdx:{later}", cwd=copied.root).status == 0
    assert later.read_bytes() == direct.read_bytes()


@pytest.mark.parametrize("extra", ["cyclonedx", "spdx"])
def test_a_missing_extra_is_an_error_before_the_scan(copied: Checkout, known: Path, extra: str) -> None:
    command = [sys.executable, "-c", WITHOUT, "scan", "--format", extra, "--index", known]
    done = subprocess.run(command, cwd=copied.root, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        f"winnow-ci: error: the format {extra} needs a package that is not installed",
        f"pip install 'winnow-ci[{extra}]'",
    ]
