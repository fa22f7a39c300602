"""A few small trees that stand for 10^10 paths: refused within seconds, in little memory."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.bombs import commit_of, tree_of_trees
from support.command import build, command, environment
from support.donor import write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = 10
MOST_KIB = 600 << 10
MOST_SECONDS = 30
# On Linux a process begins with the peak of the one that starts it: that of a test process is no measure.
MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], input=sys.stdin.buffer.read(), capture_output=True)
sys.stdout.buffer.write(done.stdout)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.stderr.decode(), sep="\\n")
"""


class Bomb(NamedTuple):
    """A repository, and the commit of the bomb in it."""

    checkout: Checkout
    commit: str
    index: Path


@pytest.fixture(scope="module", params=["files", "empty folders"])
def bomb(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bomb:
    folder = tmp_path_factory.mktemp("bomb")
    build(write_known(folder / "source"), folder / "known.db")
    checkout = Checkout.create(folder / "checkout")
    base = checkout.commit({"a.py": "a = 1\n"})
    leaf = checkout.git("rev-parse", "HEAD:a.py") if request.param == "files" else None
    commit = commit_of(checkout, tree_of_trees(checkout, leaf, LEVELS), base)
    checkout.git("update-ref", "refs/heads/bomb", commit)
    return Bomb(checkout, commit, folder / "known.db")


def check_refused(folder: Path, *arguments: str | Path, given: bytes = b"") -> None:
    """Status 3, two lines, no report, and bounds on time and memory of the largest process."""
    line = [sys.executable, "-c", MEASURED, *command(*arguments)]
    done = subprocess.run(
        line, cwd=folder, env=environment(), input=given, capture_output=True, timeout=MOST_SECONDS, check=True
    )
    status, peak, *errors = done.stdout.decode().splitlines()
    assert status == "3", done.stdout
    problem, remedy = [line for line in errors if line]
    assert "more than 5,000,000 paths, or folders nested more than 2,048 deep" in problem
    assert "`git ls-tree " in remedy
    assert int(peak) < MOST_KIB


@pytest.mark.parametrize("arguments", [("scan", "--range", "main..bomb"), ("scan", "--range", "main...bomb")])
def test_in_a_range(bomb: Bomb, arguments: tuple[str, ...]) -> None:
    check_refused(bomb.checkout.root, *arguments, "--index", bomb.index)


def test_when_everything_is_scanned(bomb: Bomb, tmp_path: Path) -> None:
    bare = Checkout.create(tmp_path / "bare.git", "--bare")
    bare.git("fetch", "--quiet", str(bomb.checkout.root), "bomb:bomb")
    bare.git("symbolic-ref", "HEAD", "refs/heads/bomb")
    check_refused(bare.root, "scan", "--all", "--index", bomb.index)


@pytest.mark.parametrize("mode", [("--staged",), ("--since", "bomb")])
def test_as_what_the_checkout_is_compared_with(bomb: Bomb, tmp_path: Path, mode: tuple[str, ...]) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.git("fetch", "--quiet", str(bomb.checkout.root), "bomb:bomb")
    checkout.git("symbolic-ref", "HEAD", "refs/heads/bomb")
    check_refused(checkout.root, "scan", *mode, "--index", bomb.index)


def test_when_it_is_pushed(bomb: Bomb) -> None:
    pushed = f"{'0' * 40} {bomb.commit} refs/heads/pushed\n".encode()
    bomb.checkout.git("update-ref", "-d", "refs/heads/bomb")
    try:
        check_refused(bomb.checkout.root, "hook", "--pre-receive", "--index", bomb.index, given=pushed)
    finally:
        bomb.checkout.git("update-ref", "refs/heads/bomb", bomb.commit)


def test_as_a_source_of_an_index(bomb: Bomb, tmp_path: Path) -> None:
    arguments = ("--revision", bomb.commit, "--name", "bomb", "--output", tmp_path / "new.db")
    check_refused(tmp_path, "index", "build", bomb.checkout.root, *arguments)
    assert not (tmp_path / "new.db").exists()
