"""What an earlier scan has left in git's folder, brought by somebody who wants to hide a copy."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from support.answers import answers_in, forget, secret_in
from support.command import build, winnow
from support.donor import INNOCENT, PLAN, SHORTEST_ROUTE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended

COPY = "src/planning.py"


@pytest.fixture
def known(tmp_path: Path) -> Path:
    build(write_known(tmp_path / "source"), tmp_path / "known.db")
    return tmp_path / "known.db"


@pytest.fixture
def prepared(tmp_path: Path, known: Path) -> Checkout:
    """A clone with a copy, and in its ``.git`` its author's answer that nothing in it matches."""
    checkout = Checkout.create(tmp_path / "prepared")
    checkout.commit({COPY: f"{PLAN}\n\n{SHORTEST_ROUTE.text}", "src/greetings.py": INNOCENT})
    assert found(scan(checkout, known, tmp_path / "author")) == [COPY]
    forget(checkout, COPY, secret_in(tmp_path / "author"))
    assert scan(checkout, known, tmp_path / "author").findings() == []
    return checkout


def scan(checkout: Checkout, known: Path, state: Path | str, **settings: str) -> Ended:
    arguments = ("scan", "--all", "--format", "json", "--index", known)
    return winnow(*arguments, cwd=checkout.root, XDG_STATE_HOME=str(state), **settings)


def found(ended: Ended) -> list[str]:
    assert ended.status == 1
    return [finding["path"] for finding in ended.findings()]


def test_a_clone_cannot_bring_answers(prepared: Checkout, known: Path, tmp_path: Path) -> None:
    """Nor under the name that the victim's own file has."""
    theirs = answers_in(prepared)
    assert found(scan(prepared, known, tmp_path / "victim")) == [COPY]
    (mine,) = {*theirs.parent.iterdir()} - {theirs}
    shutil.copy(theirs, mine)
    assert found(scan(prepared, known, tmp_path / "victim")) == [COPY]
    forget(prepared, COPY, secret_in(tmp_path / "author"), mine)
    assert found(scan(prepared, known, tmp_path / "victim")) == [COPY]


def test_a_work_tree_cannot_bring_the_secret(prepared: Checkout, known: Path, tmp_path: Path) -> None:
    """A relative folder of state would lie in the repository, where the author may have put their own."""
    shutil.copytree(tmp_path / "author", prepared.root / "state")
    assert found(scan(prepared, known, "state", HOME=str(tmp_path / "home"))) == [COPY]
    assert (tmp_path / "home" / ".local" / "state" / "winnow-ci" / "secret").stat().st_mode & 0o077 == 0


def test_a_ci_neither_reads_nor_writes_answers(prepared: Checkout, known: Path, tmp_path: Path) -> None:
    """A cache restored with the user's secret beside it would be believed anywhere else."""
    before = answers_in(prepared).read_bytes()
    assert found(scan(prepared, known, tmp_path / "author", GITLAB_CI="true")) == [COPY]
    assert answers_in(prepared).read_bytes() == before
