"""A git that is missing, fails, or says what git never says: a plain error, and no scan that looks clean."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from support.command import Ended, build, winnow
from support.donor import CHANGE, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

JUNK = r"\377\000 x\n:100644 blob -1\n\n\000tree"
PROGRAMS = {
    "says nothing": "exit 0",
    "prints junk": f"printf '{JUNK}'",
    "prints lines": "for line in 1 2 3; do echo hello $line; done",
    "fails": "exit 1",
    "fails with words": "echo oh dear >&2; exit 128",
    "is killed": "kill -9 $$",
}
COMMANDS = ("scan --staged", "scan --range main..topic", "hook", "compare main topic", "index build . --all-tags")
ASKED = "rev-parse config diff-index diff-tree diff-files ls-files ls-tree cat-file hash-object merge-base".split()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A branch with a copy, another copy that is staged, and an index that knows both."""
    folder = tmp_path_factory.mktemp("project")
    build(write_known(folder / "source"), folder / "known.db")
    checkout = Checkout.create(folder / "checkout")
    checkout.commit({"a.py": "a = 1\n", ".winnow.yml": "index: [../known.db]\nboilerplate: [lib]\n"})
    checkout.git("tag", "v1")
    checkout.git("checkout", "--quiet", "-b", "topic")
    checkout.commit(dict(CHANGE))
    for path, content in CHANGE.items():
        checkout.write(f"staged/{path}", content)
    checkout.git("add", "--all")
    return checkout


def with_git(checkout: Checkout, folder: Path, program: bytes, line: str, *, mode: int = 0o755) -> Ended:
    """Run a command where git is another program."""
    (folder / "git").write_bytes(program)
    (folder / "git").chmod(mode)
    output = ("--name", "new", "--output", folder / "new.db") if line.startswith("index") else ()
    return winnow(*line.split(), *output, cwd=checkout.root, PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("line", COMMANDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_another_program(project: Checkout, tmp_path: Path, program: str, line: str) -> None:
    # To ``compare``, a revision that nobody knows is a folder that is not there.
    status = 2 if line.startswith("compare") else 3
    with_git(project, tmp_path, f"#!/bin/sh\n{PROGRAMS[program]}\n".encode(), line).complaint(status)


@pytest.mark.parametrize(
    ("program", "mode"), [(b"#!/bin/sh\n", 0o644), (b"\x7fELF junk", 0o755), (b"#!/nowhere/sh\n", 0o755)]
)
def test_no_program(
    project: Checkout, tmp_path: Path, program: bytes, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    problem, _ = with_git(project, tmp_path, program, "scan --staged", mode=mode).complaint(3)
    assert problem.startswith("git ")


def test_no_git(project: Checkout, tmp_path: Path) -> None:
    problem, _ = winnow("scan", "--staged", cwd=project.root, PATH=str(tmp_path)).complaint(3)
    assert problem == "git was not found on the PATH"


@pytest.mark.parametrize("version", ["exit 3", f"printf '{JUNK}'", "sleep 100"])
def test_what_it_says_of_its_version_is_no_matter(project: Checkout, tmp_path: Path, version: str) -> None:
    program = f'#!/bin/sh\nif [ "$1" = version ]; then {version}; exit; fi\nexec {shutil.which("git")} "$@"\n'
    assert with_git(project, tmp_path, program.encode(), "scan --since main").status == 1


def test_much_noise(project: Checkout, tmp_path: Path) -> None:
    program = f'#!/bin/sh\nhead -c 300000 /dev/zero | tr "\\0" x >&2\nexec {shutil.which("git")} "$@"\n'
    assert with_git(project, tmp_path, program.encode(), "scan --since main").status == 1


# What git prints for one of its commands, changed in some way; the others are as they are. One that answers questions
# ends after the first answers.
CHANGED = """#!{python} -IS
import os, subprocess, sys
if {asked!r} not in sys.argv:
    os.execv({git!r}, ["git", *sys.argv[1:]])
run = subprocess.Popen([{git!r}, *sys.argv[1:]], stdout=subprocess.PIPE)
if {asked!r} == "cat-file":
    out = os.read(run.stdout.fileno(), 1 << 16)
    run.kill()
else:
    out = run.stdout.read()
half = len(out) // 2
os.write(1, {changed})
sys.exit(max(0, run.wait()))
"""


@pytest.mark.parametrize("changed", ["out[:half]", r"b'\xff\0\n' + out", r"out[:half] + b'\xff' + out[half + 1:]"])
@pytest.mark.parametrize("asked", ASKED)
def test_output_that_git_never_prints(project: Checkout, tmp_path: Path, asked: str, changed: str) -> None:
    git = shutil.which("git")
    program = CHANGED.format(python=sys.executable, asked=asked, git=git, changed=changed).encode()
    ended = with_git(project, tmp_path, program, "scan --since main")
    assert "Traceback" not in ended.errors
    # What only helps to tell (a setting, a moved file) may be missing; the copies are never lost.
    assert ended.status in {1, 3}, ended
