"""In a hook, ``staged`` sees what is about to be committed, whichever way the commit is made."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import pytest

import winnow_ci
from support.repository import Checkout, numbered

RECORDER = """
import json, pathlib, sys
from winnow_ci.git import Repository, read_changes, staged
repository = Repository.find(pathlib.Path.cwd())
files = staged(repository).files
seen = {file.path: result.content.decode() for file, result in read_changes(repository, files, 2**20)}
pathlib.Path(sys.argv[1]).write_text(json.dumps(seen))
"""


@pytest.fixture
def seen(project: Checkout, tmp_path: Path) -> Path:
    """The file in which the pre-commit hook of ``project`` writes down the contents that are staged."""
    record, program = tmp_path / "seen.json", tmp_path / "recorder.py"
    program.write_text(RECORDER)
    source = Path(winnow_ci.__file__).parents[1]
    command = shlex.join([sys.executable, str(program), str(record)])
    for name in ("pre-commit", "pre-merge-commit"):
        text = f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(source))} exec {command}\n"
        project.write(f".git/hooks/{name}", text).chmod(0o755)
    return record


def committed(checkout: Checkout) -> dict[str, str]:
    """Contents of the files that HEAD changes against its first parent."""
    names = checkout.git("diff-tree", "-r", "--name-only", "--diff-filter=d", "HEAD~1", "HEAD").split()
    return {name: checkout.git("cat-file", "blob", f"HEAD:{name}") + "\n" for name in names}


def make_changes(checkout: Checkout) -> None:
    """In the index: a.c and new.c; in the work tree: something else in a.c, b.c and lib/c.c."""
    checkout.write("a.c", "staged\n")
    checkout.write("new.c", "staged\n")
    checkout.git("add", "a.c", "new.c")
    for path in ("a.c", "b.c", "lib/c.c"):
        checkout.write(path, numbered(f"work tree {path}"))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("commit", "-m", "x"), {"a.c", "new.c"}),
        (("commit", "-a", "-m", "x"), {"a.c", "new.c", "b.c", "lib/c.c"}),
        (("commit", "-m", "x", "--", "b.c"), {"b.c"}),
        (("commit", "-m", "x", "--", "a.c"), {"a.c"}),
        (("commit", "-m", "x", "--include", "b.c"), {"a.c", "new.c", "b.c"}),
    ],
)
@pytest.mark.parametrize("folder", ["", "lib"])
def test_commit(project: Checkout, seen: Path, arguments: tuple[str, ...], expected: set[str], folder: str) -> None:
    make_changes(project)
    if "--" in arguments or "--include" in arguments:
        arguments = (*arguments[:-1], os.path.relpath(arguments[-1], folder or "."))
    Checkout(project.root / folder).git(*arguments)
    found = json.loads(seen.read_text())
    assert found == committed(project)
    assert set(found) == expected


def test_commit_in_a_linked_work_tree(project: Checkout, seen: Path, tmp_path: Path) -> None:
    project.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    linked = Checkout(tmp_path / "linked")
    make_changes(project)
    linked.write("b.c", "linked\n")
    linked.git("commit", "-a", "-m", "x")
    assert json.loads(seen.read_text()) == committed(linked) == {"b.c": "linked\n"}


def test_commit_with_the_repository_elsewhere(project: Checkout, seen: Path, tmp_path: Path) -> None:
    moved = (project.root / ".git").rename(tmp_path / "store")
    project.write("b.c", "bare\n")
    project.git("--git-dir", "../store", "--work-tree", ".", "commit", "-a", "-m", "x")
    assert json.loads(seen.read_text()) == {"b.c": "bare\n"}
    assert moved.exists()


def test_amend(project: Checkout, seen: Path) -> None:
    project.write("b.c", "first\n")
    project.git("commit", "-a", "-m", "x")
    project.write("b.c", "second\n")
    project.git("commit", "-a", "--amend", "-m", "x")
    assert json.loads(seen.read_text()) == committed(project) == {"b.c": "second\n"}


def test_merge(project: Checkout, seen: Path) -> None:
    project.git("switch", "--quiet", "--create", "topic")
    project.commit({"topic.c": "topic\n"})
    project.git("switch", "--quiet", "main")
    project.commit({"b.c": "main\n"})
    project.git("merge", "--no-edit", "topic")
    assert json.loads(seen.read_text()) == committed(project) == {"topic.c": "topic\n"}
