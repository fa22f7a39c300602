"""What a terminal shows: the first words that people type, colour, the order of findings, what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import LOGS, ROUTES
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

POLICY = "policy: {deny: [AGPL-*], warn: [BSD-*], default: note}\n"
COUNTERS = "\n\n".join(
    f"def count_{n}(marks, limit):\n    seen = [mark for mark in marks if mark.{word} > limit * {n}]\n"
    f"    return sum(one.{word} ** {n} for one in seen) // max(1, len(seen) - {n})"
    for n, word in enumerate(("size", "depth", "weight", "age"), 2)
)


@pytest.fixture
def mixed(tmp_path: Path) -> Checkout:
    """A repository whose staged change has a note, a warning and a denied copy, in the order of their paths."""
    sources = (("maps", ROUTES, "AGPL-3.0-or-later"), ("logs", LOGS, "BSD-3-Clause"), ("marks", COUNTERS, "MIT"))
    for name, text, licence in sources:
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text(text)
        build(tmp_path / name, tmp_path / "known.db", "--license", licence, name=name)
    checkout = Checkout.create(tmp_path / "repository")
    checkout.commit({".winnow.yml": f"index: [../known.db]\n{POLICY}"})
    for path, text in (("a.py", COUNTERS), ("m.py", LOGS), ("z.py", ROUTES)):
        checkout.write(path, text)
    checkout.git("add", ".")
    return checkout


def test_a_page_says_denied_in_its_list(mixed: Checkout, tmp_path: Path) -> None:
    winnow("scan", "--staged", "--format", f"html:{tmp_path / 'r.html'}", cwd=mixed.root)
    listed, _, _ = (tmp_path / "r.html").read_text().partition("<article")
    rows = [row for row in listed.split("<tr") if "data-level" in row]
    assert [">denied<" in row for row in rows] == [True, False, False]
