"""Formats of ``winnow-ci scan`` that hand findings on."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from typing import TYPE_CHECKING

from support.command import environment, winnow

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

WITHOUT = """\
import sys
sys.modules["cyclonedx"] = None
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


def test_a_missing_extra_is_an_error_before_the_scan(copied: Checkout, known: Path) -> None:
    command = [sys.executable, "-c", WITHOUT, "scan", "--format", "cyclonedx", "--index", known]
    done = subprocess.run(command, cwd=copied.root, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "winnow-ci: error: the format cyclonedx needs a package that is not installed",
        "pip install 'winnow-ci[cyclonedx]'",
    ]
