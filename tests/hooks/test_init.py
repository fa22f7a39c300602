"""``winnow-ci init`` writes what works, once."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from support.command import command, environment, winnow
from support.repository import Checkout
from winnow_ci.config.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

WRITTEN = (".winnow.yml", ".pre-commit-config.yaml", ".github/workflows/winnow-ci.yml")


@pytest.fixture
def fresh(tmp_path: Path) -> Checkout:
    return Checkout.create(tmp_path / "fresh")


def test_what_it_suggests_can_be_used(fresh: Checkout) -> None:
    winnow("init", cwd=fresh.root)
    config = fresh.root / ".winnow.yml"
    lines = config.read_text().splitlines()
    commented = [line.removeprefix("# ") for line in lines if line.startswith(("# p", "#   "))]
    config.write_text("\n".join([*(line for line in lines if not line.startswith("#")), *commented]))
    settings = load_settings(config)
    assert settings.exclude.matches("vendor/x.c")
    assert settings.policy is not None


def test_it_sees_its_hook_and_names_a_first_baseline(fresh: Checkout) -> None:
    first = winnow("init", "--pre-commit", cwd=fresh.root)
    assert "--update-baseline" not in first.output
    fresh.commit({"old.py": "print()\n"})
    again = winnow("init", "--pre-commit", cwd=fresh.root)
    assert ".pre-commit-config.yaml: has the hook\n" in again.output
    assert "Add to repos:" not in again.output
    assert "    winnow-ci scan --all --update-baseline\n" in again.output
    (fresh.root / ".pre-commit-config.yaml").unlink()
    (fresh.root / ".pre-commit-config.yaml").symlink_to("nowhere")
    assert "Add to repos:" in winnow("init", "--pre-commit", cwd=fresh.root).output


def test_it_writes_through_no_link(fresh: Checkout, tmp_path: Path) -> None:
    (fresh.root / ".winnow.yml").symlink_to(tmp_path / "elsewhere.yml")
    assert ".winnow.yml: already exists" in winnow("init", cwd=fresh.root).output
    assert not (tmp_path / "elsewhere.yml").exists()
    (tmp_path / "elsewhere").mkdir()
    (fresh.root / ".github").symlink_to(tmp_path / "elsewhere")
    assert winnow("init", "--github", cwd=fresh.root).last_words()[0].endswith("lies behind a symbolic link")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_workflow_reads_only_and_pins(fresh: Checkout) -> None:
    winnow("init", "--github", cwd=fresh.root)
    workflow = yaml.safe_load((fresh.root / WRITTEN[2]).read_text())
    assert workflow["permissions"] == {"contents": "read"}
    checkout, action = workflow["jobs"]["winnow-ci"]["steps"]
    assert checkout["with"] == {"fetch-depth": 2, "persist-credentials": False}
    assert len(checkout["uses"].partition("@")[2]) == 40
    assert action == {"uses": "<owner>/winnow-ci@<commit>"}


def test_a_person_without_a_configuration_is_told_of_init(fresh: Checkout, known: Path) -> None:
    def told() -> bool:
        ours, theirs = os.openpty()
        command_line = command("scan", "--all", "--index", known)
        with os.fdopen(ours, "rb", 0) as terminal:
            run = subprocess.run(command_line, cwd=fresh.root, env=environment(), stderr=theirs, check=False)
            os.close(theirs)
            assert run.returncode == 0
            return b"no .winnow.yml yet: winnow-ci init" in terminal.read(1 << 16)

    assert told()
    assert ".winnow.yml" not in winnow("scan", "--all", "--index", known, cwd=fresh.root).errors
    winnow("init", cwd=fresh.root)
    assert not told()
