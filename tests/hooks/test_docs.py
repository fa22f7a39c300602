"""What docs/scanning.md shows of hooks works as it is written there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.donor import CHANGE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from support.findings import Findings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/scanning.md").read_text(encoding="utf-8").partition("\n## Hooks\n")[2].partition("\n## ")[0]
SETUP, OWN_HOOKS, SERVER = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
INSTALLED, WITH_OPTIONS, SKIPPED = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def _home() -> None:
    """The folders that the page speaks of."""
    source = Path("~/src").expanduser()
    source.mkdir()
    (source / "winnow-ci").symlink_to(ROOT)
    write_known(source / "curl")


def shell(script: str, checkout: Checkout) -> None:
    subprocess.run(["sh", "-eu", "-c", script], cwd=checkout.root, check=True, capture_output=True)


def attempts(project: Checkout) -> tuple[int, int]:
    """Statuses of a commit and of a push with a copy."""
    project.write("src/plan.py", CHANGE["src/plan.py"])
    project.git("add", "--all")
    committed, _ = project.attempt("commit", "-m", "x")
    project.git("commit", "--no-verify", "--allow-empty", "-m", "x")
    pushed, _ = project.attempt("push", "origin", "HEAD:refs/heads/topic")
    return committed, pushed


@pytest.mark.parametrize("block", [SETUP, OWN_HOOKS], ids=["pre-commit", "own"])
def test_hooks_of_a_developer(
    project: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, findings: Findings, block: str
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
    Checkout.create(tmp_path / "remote", "--bare")
    project.git("remote", "add", "origin", f"file://{tmp_path}/remote")
    project.git("push", "--quiet", "origin", "main")
    shell(block, project)
    assert attempts(project) == (1, 1)
    assert len(findings.reports()) == 2


def test_a_server(project: Checkout, tmp_path: Path) -> None:
    server = Checkout.create(tmp_path / "server", "--bare")
    shell(SERVER, server)
    project.git("remote", "add", "origin", f"file://{server.root}")
    project.git("push", "--quiet", "origin", "main")
    assert attempts(project) == (0, 1)


@pytest.mark.parametrize(
    "config",
    [INSTALLED, INSTALLED.replace("      - id: winnow-ci\n", WITH_OPTIONS), SKIPPED + INSTALLED],
    ids=["installed", "with options", "skipped"],
)
def test_configurations_of_pre_commit_are_valid(tmp_path: Path, findings: Findings, config: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(config)
    subprocess.run(["pre-commit", "validate-config", file], check=True)
