"""What is in a clone beside its objects and says something else of history than these: nothing of it counts."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import pytest

from support.command import winnow
from support.donor import CHANGE
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended


@pytest.fixture
def project(tmp_path: Path, known: Path) -> Checkout:
    """A branch with a copy in one commit and nothing in the next."""
    checkout = Checkout.create(tmp_path / "project")
    checkout.commit({"a.py": "a = 1\n", ".winnow.yml": f"index: [{known}]\n"})
    checkout.git("update-ref", "refs/remotes/origin/main", "main")
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.commit(dict(CHANGE))
    checkout.commit({"b.py": "b = 2\n"})
    return checkout


LINES = ("scan --since main", "scan --range main..topic", "hook --pre-push origin url")


def run(checkout: Checkout, line: str, **settings: str) -> Ended:
    tip = checkout.git("rev-parse", "topic")
    pushed = f"refs/heads/topic {tip} refs/heads/topic {'0' * 40}\n"
    return winnow(*line.split(), cwd=checkout.root, given=pushed.encode(), **settings)


def grafted(checkout: Checkout, child: str, *parents: str) -> str:
    return " ".join(checkout.git("rev-parse", name) for name in (child, *parents)) + "\n"


GRAFTS = [("main", "topic"), ("topic",), ("topic", "main", "main~0"), ("main", "topic~1")]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("graft", GRAFTS, ids=" ".join)
@pytest.mark.parametrize("place", ["info/grafts", "GIT_GRAFT_FILE"])
def test_grafts(project: Checkout, tmp_path: Path, place: str, graft: tuple[str, ...], line: str) -> None:
    text = grafted(project, *graft)
    if place == "GIT_GRAFT_FILE":
        (tmp_path / "grafts").write_text(text)
        assert run(project, line, GIT_GRAFT_FILE=str(tmp_path / "grafts")).status == 1
    else:
        (project.root / ".git" / "info").mkdir(exist_ok=True)
        (project.root / ".git" / "info" / "grafts").write_text(text)
        assert run(project, line).status == 1


def give_another_parent(checkout: Checkout, child: str, parent: str) -> None:
    """Change one parent, and the generation, in the commit graph (gitformat-commit-graph(5))."""
    checkout.git("-c", "commitGraph.generationVersion=1", "commit-graph", "write", "--reachable")
    place = checkout.root / ".git" / "objects" / "info" / "commit-graph"
    graph = bytearray(place.read_bytes())
    chunks = {bytes(graph[at : at + 4]): struct.unpack_from(">Q", graph, at + 4)[0] for at in range(8, 8 + 12 * 4, 12)}
    ids, data = chunks[b"OIDL"], chunks[b"CDAT"]
    order = [graph[at : at + 20].hex() for at in range(ids, data, 20)]
    place_of = {name: order.index(checkout.git("rev-parse", name)) for name in (child, parent)}
    at = data + 36 * place_of[child] + 20
    struct.pack_into(">II", graph, at, place_of[parent], 0x70000000)
    (time,) = struct.unpack_from(">I", graph, at + 8)
    struct.pack_into(">I", graph, at + 8, (99 << 2) | (time & 3))
    graph[-20:] = hashlib.sha1(graph[:-20]).digest()
    place.chmod(0o600)
    place.write_bytes(graph)


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize(("child", "parent"), [("main", "topic"), ("topic", "main")])
def test_a_commit_graph(project: Checkout, child: str, parent: str, line: str) -> None:
    give_another_parent(project, child, parent)
    # Git itself believes it.
    assert project.git("rev-list", "--max-count=1", "--skip=1", child) == project.git("rev-parse", parent)
    assert run(project, line).status == 1


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("revision", ["topic", "topic~1", "main"])
def test_a_cut_that_is_none(project: Checkout, revision: str, line: str) -> None:
    (project.root / ".git" / "shallow").write_text(project.git("rev-parse", revision) + "\n")
    assert run(project, line).status in {1, 3}


def test_a_replaced_commit(project: Checkout) -> None:
    project.git("replace", "--graft", "main", "topic")
    assert {run(project, line).status for line in LINES} == {1}
