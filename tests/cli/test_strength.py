"""What reports say of weak evidence, and where it stays; ``tests/cases/strength`` has its levels."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.cases import code
from support.command import build, winnow
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

KNOWN = code("pairs.py")
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


def test_reports_say_how_likely_a_copy_is_and_explain_says_why(scanned: Checkout, tmp_path: Path) -> None:
    scanned.write(".winnow.yml", "report: {cut: 1}\n")
    scanned.write("exact.py", KNOWN.replace("import sys", "import os"))
    shown = winnow("scan", "--all", "--index", tmp_path / "k.db", cwd=scanned.root).output
    assert "counts.py:6-10: note: copied and edited" in shown
    assert re.search(r"; possibly a copy \(log-odds -?\d\.\d\)  [0-9a-f]{16}\n", shown)
    for path, words in (("counts.py", "possibly a copy"), ("exact.py", "5 whole lines")):
        ended = winnow("scan", "--all", "--format", "json", "--index", tmp_path / "k.db", cwd=scanned.root)
        (found,) = (finding for finding in ended.findings() if finding["path"] == path)
        assert (found["evidence"]["lines"] == 0) == (path == "counts.py")
        explained = winnow("explain", found["id"], "--all", "--index", tmp_path / "k.db", cwd=scanned.root).output
        assert words in explained
        assert "bits of structure and text: " in explained.partition("for and against a copy")[2]
        assert ("report.weak limits its level" in explained) == (path == "counts.py")
