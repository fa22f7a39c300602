"""The configuration of a folder: every command takes the nearest one from where it is started."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import CHANGE, INNOCENT

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended
    from support.repository import Checkout

COPY = CHANGE["src/plan.py"]
NOTHING = "paths: {exclude: ['*']}\n"
COMMANDS = ("scan", "scan --staged", "hook", "check b.py", "explain")


@pytest.fixture
def monorepo(checkout: Checkout, known: Path) -> Checkout:
    """A project in a folder, with an index and a configuration; a copy is staged there."""
    checkout.write("pkg/.winnow.yml", "index: [known.db]\n")
    shutil.copy(known, checkout.root / "pkg" / "known.db")
    checkout.commit({"pkg/inner/a.py": INNOCENT})
    for path in ("pkg/b.py", "pkg/inner/b.py"):
        checkout.write(path, COPY)
    checkout.git("add", "--all")
    return checkout


def run(checkout: Checkout, line: str, folder: str = "pkg", **settings: str) -> Ended:
    return winnow(*line.split(), cwd=checkout.root / folder, **settings)


@pytest.mark.parametrize("folder", ["pkg", "pkg/inner"])
@pytest.mark.parametrize("line", COMMANDS[:4])
@pytest.mark.parametrize("at_root", [None, NOTHING, "index: [nowhere.db]\n"])
def test_the_nearest_counts(monorepo: Checkout, line: str, folder: str, at_root: str | None) -> None:
    if at_root is not None:
        monorepo.write(".winnow.yml", at_root)
    ended = run(monorepo, line, folder)
    assert (ended.status, "copied from" in ended.output) == (1, True), ended


def test_a_pattern_in_a_folder_whose_name_is_one(checkout: Checkout, known: Path) -> None:
    checkout.write("a[b]*/.winnow.yml", f"index: ['{known}']\npaths: {{include: [src/]}}\n")
    checkout.write("a[b]*/src/b.py", COPY)
    checkout.write("ab/src/b.py", COPY)
    found = run(checkout, "scan --format json", "a[b]*").findings()
    assert [finding["path"] for finding in found] == ["a[b]*/src/b.py"]


# ---- where the rules of the base count -------------------------------------------------------------------------


@pytest.fixture
def request_(monorepo: Checkout, known: Path) -> Checkout:
    """A branch that brings the copy; both the root and the folder have a configuration on main."""
    monorepo.git("stash", "--quiet")
    monorepo.commit({".winnow.yml": f"index: ['{known}']\n"})
    monorepo.git("switch", "--quiet", "--create", "topic")
    monorepo.git("stash", "pop", "--quiet")
    return monorepo


def judged(checkout: Checkout, folder: str) -> Ended:
    checkout.commit()
    return run(checkout, "scan --range main..topic --policy-from base --format json", folder)


@pytest.mark.parametrize("folder", [".", "pkg", "pkg/inner"])
@pytest.mark.parametrize("brought", ["pkg/.winnow.yml", "pkg/inner/.winnow.yml", ".winnow.yml"])
@pytest.mark.parametrize("content", [NOTHING, "index: [known.db]\npaths: {exclude: [b.py]}\n", None])
def test_a_change_brings_no_nearer_rules(request_: Checkout, folder: str, brought: str, content: str | None) -> None:
    if content is not None:
        request_.write(brought, content)
    else:
        (request_.root / brought).unlink(missing_ok=True)
    ended = judged(request_, folder)
    assert (ended.status, {finding["path"] for finding in ended.findings()}) == (1, {"pkg/b.py", "pkg/inner/b.py"})


def test_patterns_of_the_base_begin_at_their_folder(request_: Checkout) -> None:
    request_.git("stash", "--quiet")
    request_.git("switch", "--quiet", "main")
    request_.commit({"pkg/.winnow.yml": "index: [known.db]\npaths: {exclude: [inner/b.py]}\n"})
    request_.git("switch", "--quiet", "topic")
    request_.git("merge", "--quiet", "main")
    request_.git("stash", "pop", "--quiet")
    assert [finding["path"] for finding in judged(request_, "pkg").findings()] == ["pkg/b.py"]


def test_a_first_configuration_brings_its_index_and_nothing_else(checkout: Checkout, known: Path) -> None:
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.write("pkg/.winnow.yml", f"index: ['{known}']\n{NOTHING}")
    checkout.write("pkg/b.py", COPY)
    assert judged(checkout, "pkg").status == 1
