"""An approval is merged before its copy: until then it waits. It is over once the copy has been there and has gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.command import winnow
from support.donor import CHANGE, PLAN
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

BASELINE = ".winnow/baseline.json"
PATH = "src/plan.py"


@pytest.fixture
def approved(checkout: Checkout, known: Path) -> Checkout:
    """On main, an approval of what the branch ``topic`` brings."""
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.commit({PATH: CHANGE[PATH]})
    report = winnow("scan", "--format", "json", "--since", "main", "--index", known, cwd=checkout.root)
    (finding,) = report.findings()
    options = ("--reason", "asked its author", "--since", "main", "--index", known)
    assert winnow("approve", finding["id"], *options, cwd=checkout.root).status == 0
    checkout.git("switch", "--quiet", "main")
    checkout.write(".winnow.yml", f"index: ['{known}']\nbaseline: {BASELINE}\n")
    checkout.commit()
    return checkout


def states(checkout: Checkout, *arguments: str) -> tuple[list[str], list[str]]:
    """Paths of the entries that are stale, and of those that wait."""
    ended = winnow("scan", "--format", "json", *(arguments or ["--all"]), cwd=checkout.root)
    assert ended.status == 0, ended
    found: dict[str, Any] = ended.report()["baseline"]
    stale, waiting = ([entry["path"] for entry in found[key]] for key in ("stale", "waiting"))
    return stale, waiting


def test_once_the_copy_was_there_and_is_gone_it_is_over(approved: Checkout) -> None:
    approved.git("merge", "--quiet", "--no-edit", "--no-ff", "topic")
    approved.commit()
    approved.commit({PATH: PLAN})
    approved.commit({PATH: f"# more\n{PLAN}"})
    assert states(approved) == ([PATH], [])


def test_what_no_commit_has_yet_is_judged_by_all_of_history(approved: Checkout) -> None:
    content = (approved.root / BASELINE).read_text()
    approved.commit({BASELINE: '{"version": 1, "entries": []}'})
    approved.write(BASELINE, content)
    assert states(approved) == ([], [PATH])
    approved.git("merge", "--quiet", "--no-edit", "topic")
    (approved.root / PATH).unlink()
    assert states(approved) == ([PATH], [])


@pytest.mark.parametrize("part", ["--depth=1", "--filter=blob:none", "--filter=tree:0"])
def test_a_clone_without_history_drops_no_approval(approved: Checkout, tmp_path: Path, part: str) -> None:
    approved.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
    approved.commit({PATH: PLAN})
    assert states(approved) == ([PATH], [])
    approved.git("config", "uploadpack.allowFilter", "true")
    approved.git("clone", "--quiet", part, "--branch=main", f"file://{approved.root}", str(tmp_path / "part"))
    clone = Checkout(tmp_path / "part")
    # What is missing must not be fetched.
    clone.git("config", "remote.origin.url", "file:///nowhere")
    assert states(clone) == ([], [PATH])
