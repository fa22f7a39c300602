"""Code that was left out when it came: the change that no longer leaves it out is asked about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, SHORTEST_ROUTE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

COPY = SHORTEST_ROUTE.text
RULES = {
    "exclude": "paths: {exclude: [vendor/**]}\n",
    "include": "paths: {include: [src/**]}\n",
    "boilerplate": "boilerplate: [vendor/**]\n",
    "languages": "languages: [rust]\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db")
    return folder / "known.db"


def base(folder: Path, rule: str) -> Checkout:
    """A repository that leaves a copy out."""
    checkout = Checkout.create(folder / "checkout", "--initial-branch=main")
    checkout.commit({".winnow.yml": rule, "vendor/routes.py": COPY, "src/greetings.py": INNOCENT})
    return checkout


def scanned(checkout: Checkout, index: Path, change: str) -> tuple[list[str], str]:
    """The paths of the findings, and what was said."""
    options = ("--policy-from", "base", "--index", index, "--format", "json")
    ended = winnow("scan", "--range", change, *options, cwd=checkout.root)
    return [finding["path"] for finding in ended.findings()], ended.errors


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("after", ["policy: {default: error}\n", None])
def test_what_a_change_no_longer_leaves_out_is_new(rule: str, after: str | None, tmp_path: Path, index: Path) -> None:
    checkout = base(tmp_path, RULES[rule])
    if after is None:
        checkout.git("rm", "--quiet", ".winnow.yml")
        checkout.commit()
    else:
        checkout.commit({".winnow.yml": after})
    found, said = scanned(checkout, index, "HEAD~...HEAD")
    assert found == ["vendor/routes.py"]
    assert "no longer leaves" in said


@pytest.mark.parametrize("was", ["[rust]", "[rust, python]"])
def test_a_script_without_an_ending(tmp_path: Path, index: Path, was: str) -> None:
    """Its content tells its language, which is among the configured ones now, or was before."""
    checkout = base(tmp_path, f"languages: {was}\n")
    checkout.commit({"bin/route": f"#!/usr/bin/env python3\n{COPY}", "bin/words": "plain words\n"})
    checkout.commit({".winnow.yml": "languages: [rust, python, c]\n"})
    assert ("bin/route" in scanned(checkout, index, "HEAD~...HEAD")[0]) == (was == "[rust]")


def test_what_it_leaves_out_as_before_is_not(tmp_path: Path, index: Path) -> None:
    checkout = base(tmp_path, RULES["exclude"])
    checkout.commit({".winnow.yml": f"{RULES['exclude']}policy: {{default: warning}}\n"})
    assert scanned(checkout, index, "HEAD~...HEAD")[0] == []


def test_what_the_target_leaves_out_since_the_change_began_is_not_the_change_s(tmp_path: Path, index: Path) -> None:
    checkout = base(tmp_path, "policy: {default: error}\n")
    checkout.git("branch", "topic")
    checkout.commit({".winnow.yml": RULES["exclude"]})
    checkout.git("switch", "--quiet", "topic")
    checkout.commit({"src/more.py": "x = 1\n"})
    assert scanned(checkout, index, "main...topic")[0] == []


def test_what_both_leave_out_by_other_words_is_not(tmp_path: Path, index: Path) -> None:
    checkout = base(tmp_path, RULES["exclude"])
    checkout.commit({".winnow.yml": "paths: {exclude: ['**/routes.py']}\n"})
    assert scanned(checkout, index, "HEAD~...HEAD")[0] == []


def test_files_beside_it_are_judged_as_ever(tmp_path: Path, index: Path) -> None:
    checkout = base(tmp_path, RULES["exclude"])
    edits = {".winnow.yml": "paths: {exclude: [src/**]}\n", "src/copied.py": COPY, "vendor/more.py": COPY}
    checkout.commit(edits)
    assert sorted(scanned(checkout, index, "HEAD~...HEAD")[0]) == [
        "src/copied.py",
        "vendor/more.py",
        "vendor/routes.py",
    ]
