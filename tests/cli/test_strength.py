"""Weak evidence is told and fails no check, unless a team wants it to."""

from __future__ import annotations

import re
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
    ("report", "policy", "level", "status"),
    [
        ("", "", "note", 0),
        ("weak: note", "", "note", 0),
        ("weak: warning", "", "warning", 0),
        ("weak: error", "", "error", 1),
        ("weak: error", "policy: {warn: ['GPL-*']}", "warning", 0),
        ("", "policy: {deny: ['GPL-*']}", "note", 0),
    ],
)
def test_a_weak_finding_has_the_level_that_is_set_and_no_more_than_the_policy_gives(
    scanned: Checkout, tmp_path: Path, report: str, policy: str, level: str, status: int
) -> None:
    scanned.write(".winnow.yml", f"report: {{cut: 20, {report}}}\n{policy}\n")
    ended = winnow("scan", "--all", "--format", "json", "--index", tmp_path / "k.db", cwd=scanned.root)
    (finding,) = ended.findings()
    assert (finding["strength"], finding["level"], ended.status) == ("weak", level, status)
    counts = ("lines", "names", "literals", "phrases")
    assert {key: finding["evidence"][key] for key in counts} == dict.fromkeys(counts, 0)
    assert finding["evidence"]["likelihood"] == "possible"


@pytest.mark.parametrize(("cut", "strength"), [("-20", "strong"), ("20.0", "weak")])
def test_a_team_sets_its_own_cut(scanned: Checkout, tmp_path: Path, cut: str, strength: str) -> None:
    """Also with a cut of its own, an identical file leaves no doubt."""
    scanned.write(".winnow.yml", f"report: {{cut: {cut}}}\n")
    scanned.write("pairs.py", KNOWN)
    ended = winnow("scan", "--all", "--format", "json", "--index", tmp_path / "k.db", cwd=scanned.root)
    assert {one["path"]: one["strength"] for one in ended.findings()} == {"counts.py": strength, "pairs.py": "strong"}


@pytest.mark.parametrize("cut", ["21", "'2'", "much", "[2]", ".nan"])
def test_a_cut_is_a_number(scanned: Checkout, tmp_path: Path, cut: str) -> None:
    scanned.write(".winnow.yml", f"report: {{cut: {cut}}}\n")
    ended = winnow("scan", "--all", "--index", tmp_path / "k.db", cwd=scanned.root)
    assert ended.status == 2
    assert "cut must be a number from -20 to 20" in ended.errors


def test_weak_findings_can_be_left_out(scanned: Checkout, tmp_path: Path) -> None:
    scanned.write(".winnow.yml", 'report: {cut: 20, weak: "off"}\n')
    ended = winnow("scan", "--all", "--index", tmp_path / "k.db", cwd=scanned.root)
    assert (ended.status, ended.output) == (0, "no findings\n")


def test_a_copy_that_is_left_out_is_still_there_for_the_baseline(scanned: Checkout, tmp_path: Path) -> None:
    index = ("--index", tmp_path / "k.db", "--all")
    scanned.write(".winnow.yml", "baseline: baseline.json\nreport: {cut: 20, weak: warning}\n")
    assert winnow("scan", "--update-baseline", *index, cwd=scanned.root).status == 0
    scanned.write(".winnow.yml", 'baseline: baseline.json\nreport: {cut: 20, weak: "off"}\n')
    report = winnow("scan", "--format", "json", *index, cwd=scanned.root).report()
    assert (report["findings"], report["baseline"]["stale"]) == ([], [])
    scanned.git("add", "counts.py")
    scanned.git("commit", "--quiet", "--message", "copy")
    scanned.write("counts.py", "import os\n")
    report = winnow("scan", "--format", "json", *index, cwd=scanned.root).report()
    assert [entry["path"] for entry in report["baseline"]["stale"]] == ["counts.py"]


def test_reports_say_how_likely_a_copy_is_and_explain_says_why(scanned: Checkout, tmp_path: Path) -> None:
    scanned.write(".winnow.yml", "report: {cut: 1}\n")
    scanned.write("exact.py", KNOWN.replace("import sys", "import os"))
    shown = winnow("scan", "--all", "--index", tmp_path / "k.db", cwd=scanned.root).output
    assert "counts.py:6-10: note: copied and edited" in shown
    assert re.search(r"possibly a copy \(log-odds -?\d\.\d\): structure equal", shown)
    for path, words in (("counts.py", "possibly a copy"), ("exact.py", "5 whole lines")):
        ended = winnow("scan", "--all", "--format", "json", "--index", tmp_path / "k.db", cwd=scanned.root)
        (found,) = (finding["id"] for finding in ended.findings() if finding["path"] == path)
        explained = winnow("explain", found, "--all", "--index", tmp_path / "k.db", cwd=scanned.root).output
        assert words in explained
        assert "bits of structure and text: " in explained.partition("for and against a copy")[2]
        assert ("report.weak limits its level" in explained) == (path == "counts.py")


def test_reports_count_notes_in_generated_code_and_json_lists_them(scanned: Checkout, tmp_path: Path) -> None:
    scanned.write("counts.py", f"# Code generated by hand. DO NOT EDIT.\n{CHANGED}")
    options = ("scan", "--all", "--index", tmp_path / "k.db")
    ended = winnow(*options, "-v", cwd=scanned.root)
    assert (ended.status, ended.output) == (0, "no findings, 1 note in generated code (JSON lists them)\n")
    assert "filter generated code: 1" in ended.errors
    (found,) = winnow(*options, "--format", "json", cwd=scanned.root).findings()
    assert (found["level"], found["evidence"]["filter"]) == ("note", "generated code")
