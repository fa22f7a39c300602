"""``winnow-ci init`` writes what works, once."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from support.command import command, environment, winnow
from support.donor import CHANGE, write_known
from support.repository import Checkout
from winnow_ci.config.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

WRITTEN = (".winnow.yml", ".pre-commit-config.yaml", ".github/workflows/winnow-ci.yml")


@pytest.fixture
def fresh(tmp_path: Path) -> Checkout:
    return Checkout.create(tmp_path / "fresh")


def test_the_first_configuration_can_be_used(fresh: Checkout, known: Path) -> None:
    ended = winnow("init", cwd=fresh.root)
    assert (ended.status, ended.errors) == (0, "")
    assert fresh.git("status", "--short") == "?? .winnow.yml"
    settings = load_settings(fresh.root / ".winnow.yml")
    assert settings.index == (fresh.root / ".winnow/index.db",)
    assert (settings.policy, bool(settings.exclude)) == (None, False)
    problem, remedy = winnow("scan", "--all", cwd=fresh.root).complaint(3)
    assert problem.startswith("no index at ")
    assert remedy == "add sources to it: winnow-ci index add PURL|URL|PATH"
    fresh.write(".winnow/index.db", known.read_bytes())
    fresh.write("plan.py", CHANGE["src/plan.py"])
    assert winnow("scan", "--all", cwd=fresh.root).status == 1


def test_what_it_suggests_can_be_used(fresh: Checkout) -> None:
    winnow("init", cwd=fresh.root)
    config = fresh.root / ".winnow.yml"
    lines = config.read_text().splitlines()
    commented = [line.removeprefix("# ") for line in lines if line.startswith(("# p", "#   "))]
    config.write_text("\n".join([*(line for line in lines if not line.startswith("#")), *commented]))
    settings = load_settings(config)
    assert settings.exclude.matches("vendor/x.c")
    assert settings.policy is not None


def test_it_says_what_it_did_and_what_to_do_next(fresh: Checkout) -> None:
    ended = winnow("init", "--pre-commit", "--github", cwd=fresh.root)
    assert ended.output.splitlines()[:3] == [f"{path}: written" for path in WRITTEN]
    for step in ("winnow-ci index add", "winnow-ci scan", "pre-commit install --hook-type pre-commit"):
        assert f"    {step}" in ended.output


def test_it_offers_the_starters_of_the_tracked_languages(fresh: Checkout) -> None:
    fresh.write("untracked.rs", "fn main() {}\n")
    assert "    winnow-ci index starter LANGUAGE     (of c-cpp, go," in winnow("init", cwd=fresh.root).output
    (fresh.root / "untracked.rs").unlink()
    fresh.commit({"web/a.ts": "export {}\n", "web/b.vue": "<script></script>\n", "c.py": "x = 1\n"})
    assert "    winnow-ci index starter javascript python\n" in winnow("init", cwd=fresh.root / "web").output
    fresh.write(".winnow/sources.yml", "sources:\n- pkg:pypi/six\n")
    assert "index starter" not in winnow("init", cwd=fresh.root).output


def test_it_overwrites_nothing(fresh: Checkout) -> None:
    for path in WRITTEN:
        fresh.write(path, "mine\n")
    ended = winnow("init", "--pre-commit", "--github", cwd=fresh.root)
    assert ended.status == 0
    assert [(fresh.root / path).read_text() for path in WRITTEN] == ["mine\n"] * 3
    assert [f"{path}: already exists, left unchanged" in ended.output for path in WRITTEN] == [True] * 3
    assert "Add to repos: in .pre-commit-config.yaml:\n\n  - repo: local\n" in ended.output


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


def test_it_writes_at_the_root(fresh: Checkout) -> None:
    (fresh.root / "lib").mkdir()
    winnow("init", cwd=fresh.root / "lib")
    assert (fresh.root / ".winnow.yml").exists()


def test_the_workflow_reads_only_and_pins(fresh: Checkout) -> None:
    winnow("init", "--github", cwd=fresh.root)
    workflow = yaml.safe_load((fresh.root / WRITTEN[2]).read_text())
    assert workflow["permissions"] == {"contents": "read"}
    checkout, action = workflow["jobs"]["winnow-ci"]["steps"]
    assert checkout["with"] == {"fetch-depth": 2, "persist-credentials": False}
    assert len(checkout["uses"].partition("@")[2]) == 40
    assert action == {"uses": "<owner>/winnow-ci@<commit>"}


def test_a_bare_repository_has_no_place_for_it(tmp_path: Path) -> None:
    bare = Checkout.create(tmp_path / "bare", "--bare")
    assert "has no work tree" in winnow("init", cwd=bare.root).complaint(3)[0]


def test_each_step_names_the_next(fresh: Checkout, tmp_path: Path) -> None:
    """``scan``, ``init`` and ``index add``, in the order in which a new user comes to them."""
    fresh.write("plan.py", CHANGE["src/plan.py"])
    assert "winnow-ci init" in winnow("scan", cwd=fresh.root).complaint(3)[1]
    assert "winnow-ci index add" in winnow("init", cwd=fresh.root).output
    for tried in (("scan",), ("index", "list")):
        assert "winnow-ci index add PURL|URL|PATH" in winnow(*tried, cwd=fresh.root).complaint(3)[1]
    source = write_known(tmp_path / "source")
    assert winnow("index", "add", source, "--license", "GPL-3.0-only", cwd=fresh.root).status == 0
    ended = winnow("scan", cwd=fresh.root)
    assert ended.status == 1
    (line,) = re.findall(r"more: (winnow-ci explain .*)$", ended.output, re.MULTILINE)
    explained = winnow(*line.split()[1:], cwd=fresh.root)
    assert "is not here: keep it in the index (--with-text, with-text: true)" in explained.errors
    assert winnow("scan", "--update-baseline", cwd=fresh.root).status == 0


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
