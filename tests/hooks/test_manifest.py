"""What pre-commit takes from this repository, and what it makes of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.command import winnow
from support.donor import CHANGE
from support.repository import IDENTITY, Checkout

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
# What a build takes from the repository.
PARTS = ("pyproject.toml", "README.md", "LICENSE", "requirements", "src", "indexes", MANIFEST.name)


def run(*arguments: str | Path, cwd: Path, **settings: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pre_commit", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **IDENTITY, **settings}, capture_output=True, check=False
    )
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


def test_the_manifest_is_valid(tmp_path: Path) -> None:
    assert run("validate-manifest", MANIFEST, cwd=tmp_path) == (0, "")


def test_init_sets_up_the_hooks_of_the_manifest(project: Checkout) -> None:
    winnow("init", "--pre-commit", cwd=project.root)
    config = project.root / ".pre-commit-config.yaml"
    assert run("validate-config", config, cwd=project.root) == (0, "")
    (repository,) = yaml.safe_load(config.read_text())["repos"]
    assert list(map(_essence, repository["hooks"])) == list(map(_essence, yaml.safe_load(MANIFEST.read_text())))


def _essence(hook: dict[str, Any]) -> dict[str, Any]:
    """A hook without what says how it is installed, or nothing that is not the default."""
    left_out = {"language", "additional_dependencies", "description", "minimum_pre_commit_version"}
    defaults = {"pass_filenames": True}
    return {key: value for key, value in hook.items() if key not in left_out and defaults.get(key) != value}


def _is_offline(said: str) -> bool:
    """Whether pip says that it could reach nobody."""
    signs = ("NewConnectionError", "NameResolutionError", "Temporary failure in name resolution")
    return any(sign in said for sign in signs)


def test_pre_commit_installs_and_runs_it(project: Checkout, tmp_path: Path) -> None:
    source = Checkout.create(tmp_path / "winnow-ci")
    for part in PARTS:
        if (ROOT / part).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
            shutil.copytree(ROOT / part, source.root / part, ignore=ignored)
        else:
            shutil.copy(ROOT / part, source.root / part)
    source.commit()
    project.write("src/plan.py", CHANGE["src/plan.py"])
    project.git("add", "--all")
    arguments = ("try-repo", source.root, "winnow-ci", "--verbose")
    status, said = run(*arguments, cwd=project.root, PRE_COMMIT_HOME=str(tmp_path / "pre-commit"))
    if _is_offline(said):
        pytest.skip("pip reaches no index of packages")
    assert status == 1, said
    assert "src/plan.py:13-37: error: copied from roads (GPL-3.0-only)" in said
    assert "hook id: winnow-ci\n" in said
