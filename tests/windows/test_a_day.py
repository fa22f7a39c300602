"""One day with the command, from ``init`` to an approved copy, as a developer on Windows has it."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.command import LONGEST, command, environment
from support.command import process as winnow
from support.donor import CHANGE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Checkout:
    """A repository with an index of known code, and a staged copy."""
    write_known(tmp_path / "roads")
    checkout = Checkout.create(tmp_path / "project")
    assert winnow("init", cwd=checkout.root).status == 0
    added = winnow("index", "add", "../roads", "--name", "roads", cwd=checkout.root)
    assert added.status == 0, added
    assert "path: ../../roads\n" in (checkout.root / ".winnow/sources.yml").read_text(encoding="utf-8")
    checkout.commit()
    for path, content in CHANGE.items():
        checkout.write(path, content)
    checkout.git("add", ".")
    return checkout


def test_a_copy_from_its_finding_to_its_approval(project: Checkout) -> None:
    ended = winnow("scan", "--staged", "--format", "json:found.json", cwd=project.root)
    assert ended.status == 1, ended
    found = json.loads((project.root / "found.json").read_text(encoding="utf-8"))["findings"]
    assert sorted({each["path"] for each in found}) == ["src/bookings.py", "src/plan.py"]
    ended = winnow("report", "found.json", "--format", "html:f.html", "--format", "sarif:f.sarif", cwd=project.root)
    assert ended.status in {0, 1}, ended
    assert "src/plan.py" in (project.root / "f.html").read_text(encoding="utf-8")
    (run,) = json.loads((project.root / "f.sarif").read_text(encoding="utf-8"))["runs"]
    assert len(run["results"]) == len(found)
    assert b"\r" not in (project.root / "f.sarif").read_bytes()
    assert "roads" in winnow("explain", found[0]["id"], "--staged", cwd=project.root).output
    assert winnow("check", "src/plan.py", cwd=project.root).status == 1
    ids = [each["id"] for each in found]
    ended = winnow("approve", *ids, "--staged", "--reason", "ours", cwd=project.root)
    assert ended.status == 0, ended
    assert winnow("scan", "--staged", cwd=project.root).status == 0


def test_two_scans_at_once(project: Checkout) -> None:
    started = [
        subprocess.Popen(
            command("scan", "--staged", "--format", "json"),
            cwd=project.root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=LONGEST)[0] for process in started]
    assert [process.returncode for process in started] == [1, 1]
    first, second = (json.loads(output)["findings"] for output in outputs)
    assert first == second
