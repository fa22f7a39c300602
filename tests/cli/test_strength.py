"""Weak evidence is told and fails no check, unless a team wants it to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = """\
import sys


def pairs(path):
    with open(path, "r") as f:
        for line in f.readlines():
            key, value = line.strip().split("=")
            yield key, int(value)
"""
# The same by its shape, and nothing else: who reads such a file writes it so.
CHANGED = """\
import os

BASE = os.getcwd()


def counts(file):
    with open(file, "r") as f:
        for text in f.readlines():
            name, count = text.strip().split("=")
            yield name, int(count)


TOP = BASE
"""


@pytest.fixture
def scanned(tmp_path: Path) -> Checkout:
    checkout, known = Checkout.create(tmp_path / "team"), tmp_path / "known"
    known.mkdir()
    (known / "pairs.py").write_text(KNOWN)
    build(known, tmp_path / "k.db", "--license", "GPL-3.0-only", name="pairs")
    checkout.write("counts.py", CHANGED)
    return checkout


@pytest.mark.parametrize(
    ("configured", "level", "status"),
    [
        ("", "note", 0),
        ("report: {weak: note}", "note", 0),
        ("report: {weak: warning}", "warning", 0),
        ("report: {weak: error}", "error", 1),
        ("report: {weak: error}\npolicy: {warn: ['GPL-*']}", "warning", 0),
        ("policy: {deny: ['GPL-*']}", "note", 0),
    ],
)
def test_a_weak_finding_has_the_level_that_is_set_and_no_more_than_the_policy_gives(
    scanned: Checkout, tmp_path: Path, configured: str, level: str, status: int
) -> None:
    scanned.write(".winnow.yml", f"{configured}\n")
    ended = winnow("scan", "--all", "--format", "json", "--index", tmp_path / "k.db", cwd=scanned.root)
    (finding,) = ended.findings()
    assert (finding["strength"], finding["level"], ended.status) == ("weak", level, status)
    assert finding["evidence"] == {"lines": 0, "names": 0, "literals": 0, "phrases": 0}


def test_weak_findings_can_be_left_out(scanned: Checkout, tmp_path: Path) -> None:
    scanned.write(".winnow.yml", 'report: {weak: "off"}\n')
    ended = winnow("scan", "--all", "--index", tmp_path / "k.db", cwd=scanned.root)
    assert (ended.status, ended.output) == (0, "no findings\n")


def test_a_copy_that_is_left_out_is_still_there_for_the_baseline(scanned: Checkout, tmp_path: Path) -> None:
    index = ("--index", tmp_path / "k.db", "--all")
    scanned.write(".winnow.yml", "baseline: baseline.json\nreport: {weak: warning}\n")
    assert winnow("scan", "--update-baseline", *index, cwd=scanned.root).status == 0
    scanned.write(".winnow.yml", 'baseline: baseline.json\nreport: {weak: "off"}\n')
    report = winnow("scan", "--format", "json", *index, cwd=scanned.root).report()
    assert (report["findings"], report["baseline"]["stale"]) == ([], [])
    scanned.git("add", "counts.py")
    scanned.git("commit", "--quiet", "--message", "copy")
    scanned.write("counts.py", "import os\n")
    report = winnow("scan", "--format", "json", *index, cwd=scanned.root).report()
    assert [entry["path"] for entry in report["baseline"]["stale"]] == ["counts.py"]


def test_a_report_says_that_and_why_evidence_is_weak_and_explain_says_it_of_all(
    scanned: Checkout, tmp_path: Path
) -> None:
    scanned.write("exact.py", KNOWN.replace("import sys", "import os"))
    shown = winnow("scan", "--all", "--index", tmp_path / "k.db", cwd=scanned.root).output
    assert "counts.py:6-10: note: copied with names changed" in shown
    assert "weak evidence: structure the same" in shown
    for path, words in (("counts.py", "weak evidence"), ("exact.py", "strong evidence: 5 whole lines the same")):
        ended = winnow("scan", "--all", "--format", "json", "--index", tmp_path / "k.db", cwd=scanned.root)
        (found,) = (finding["id"] for finding in ended.findings() if finding["path"] == path)
        explained = winnow("explain", found, "--all", "--index", tmp_path / "k.db", cwd=scanned.root).output
        assert words in explained
        assert ("no more than report.weak says" in explained) == (path == "counts.py")
