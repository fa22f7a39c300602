"""Code that the target branch has dropped: a branch that begins before that cannot bring it back as its own.

What both have is not new, wherever it moves; what the target has got meanwhile is not the branch's either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import INNOCENT, SHORTEST_ROUTE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

COPY = SHORTEST_ROUTE.text
KEPT = {"src/greetings.py": INNOCENT}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db")
    return folder / "known.db"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository whose branch ``main`` has dropped a copy, and that is on a branch from before."""
    checkout = Checkout.create(tmp_path / "checkout", "--initial-branch=main")
    checkout.commit({"src/routes.py": COPY, **KEPT})
    checkout.git("branch", "topic")
    checkout.git("rm", "--quiet", "src/routes.py")
    checkout.git("commit", "--quiet", "--message", "dropped")
    checkout.git("switch", "--quiet", "topic")
    return checkout


def paths(checkout: Checkout, index: Path, *arguments: str) -> list[str]:
    ended = winnow("scan", *arguments, "--index", index, "--format", "json", cwd=checkout.root)
    return [finding["path"] for finding in ended.findings()]


MODES = [("--since", "main"), ("--range", "main...topic")]


@pytest.mark.parametrize("mode", MODES)
def test_dropped_code_that_moves_is_new(checkout: Checkout, index: Path, mode: tuple[str, str]) -> None:
    checkout.commit({"src/other.py": f"first = 1\n\n\n{COPY}"})
    assert paths(checkout, index, *mode) == ["src/other.py"]


@pytest.mark.parametrize("mode", MODES)
def test_dropped_code_that_is_renamed_is_new(checkout: Checkout, index: Path, mode: tuple[str, str]) -> None:
    checkout.git("mv", "src/routes.py", "src/renamed.py")
    checkout.commit()
    assert paths(checkout, index, *mode) == ["src/renamed.py"]


@pytest.mark.parametrize("mode", MODES)
def test_a_dropped_file_that_changes_is_new(checkout: Checkout, index: Path, mode: tuple[str, str]) -> None:
    checkout.commit({"src/routes.py": f"{COPY}\n\nlast = 1\n"})
    assert paths(checkout, index, *mode) == ["src/routes.py"]


@pytest.mark.parametrize("mode", MODES)
def test_what_both_branches_have_is_not_new(tmp_path: Path, index: Path, mode: tuple[str, str]) -> None:
    checkout = Checkout.create(tmp_path / "both", "--initial-branch=main")
    checkout.commit({"src/routes.py": COPY, **KEPT})
    checkout.git("branch", "topic")
    checkout.commit({"src/more.py": "x = 1\n"})
    checkout.git("switch", "--quiet", "topic")
    checkout.git("mv", "src/routes.py", "src/renamed.py")
    checkout.commit({"src/other.py": f"first = 1\n\n\n{COPY}"})
    assert paths(checkout, index, *mode) == []
