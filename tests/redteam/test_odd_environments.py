"""What the caller has set: signals, limits, closed streams and paths never make a failure look like a result."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from support.command import LONGEST, environment, winnow
from support.donor import CHANGE, INNOCENT, write_known
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MIB = 1 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory in other ways")
# The command, but with native code that gives up in the middle, as OpenBLAS does.
GIVING_UP = """
import ctypes, sys
from winnow_ci import cli
from winnow_ci.cli import init

library, way = ctypes.CDLL(None), sys.argv.pop(1)
init.run = lambda arguments: library.abort() if way == "abort" else library.exit(int(way))
sys.argv[1:] = ["init"]
cli.entry_point()
"""


@pytest.fixture
def project(tmp_path: Path, known: Path) -> Checkout:
    """A branch with copies, which are not staged or committed again."""
    checkout = Checkout.create(tmp_path / "project")
    checkout.commit({"a.py": "a = 1\n", ".winnow.yml": f"index: [{known}]\n"})
    checkout.git("switch", "--quiet", "--create", "topic")
    checkout.commit(dict(CHANGE))
    return checkout


# ---- signals and streams ---------------------------------------------------------------------------------------


def ignoring(*numbers: signal.Signals) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def blocking() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


ODD_SIGNALS: dict[str, Callable[[], None]] = {
    "SIGCHLD is ignored": partial(ignoring, signal.SIGCHLD),
    "many are ignored": partial(ignoring, signal.SIGCHLD, signal.SIGPROF, signal.SIGTERM, signal.SIGALRM),
    "all are blocked": blocking,
}
odd_signals = pytest.mark.parametrize("before", ODD_SIGNALS.values(), ids=list(ODD_SIGNALS))


def lose(checkout: Checkout, revision: str) -> None:
    """Remove an object, so that git fails."""
    name = checkout.git("rev-parse", revision)
    (checkout.root / ".git" / "objects" / name[:2] / name[2:]).unlink()


@odd_signals
@pytest.mark.parametrize("line", ["scan --range main..topic", "scan --staged", "hook"])
def test_a_git_that_fails(project: Checkout, line: str, before: Callable[[], None]) -> None:
    lose(project, "topic:src" if "range" in line else "topic^{tree}")
    assert winnow(*line.split(), before=before, cwd=project.root).status == 3


@odd_signals
def test_a_git_that_is_killed(project: Checkout, tmp_path: Path, before: Callable[[], None]) -> None:
    program = tmp_path / "programs" / "git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\ncase "$*" in *diff-*) kill -9 $$;; esac\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    assert winnow("scan", "--since", "main", before=before, PATH=path, cwd=project.root).status == 3


@odd_signals
@pytest.mark.parametrize("line", ["scan --since main", "check src/plan.py"])
def test_a_copy_is_found(project: Checkout, line: str, before: Callable[[], None]) -> None:
    assert winnow(*line.split(), before=before, cwd=project.root).status == 1


@pytest.mark.parametrize("closed", [(0,), (0, 1), (0, 2), (0, 1, 2)])
def test_closed_streams_get_nothing_of_an_index(tmp_path: Path, closed: tuple[int, ...]) -> None:
    def close() -> None:
        for number in closed:
            os.close(number)

    write_known(tmp_path / "source")
    line = "index build source --output i.db --name roads"
    assert winnow(*line.split(), before=close, cwd=tmp_path).status == 0
    assert winnow(*"index verify i.db".split(), cwd=tmp_path).status == 0


# ---- programs of the checkout ----------------------------------------------------------------------------------


@pytest.fixture
def with_programs(project: Checkout, tmp_path: Path) -> Checkout:
    """The change brings programs that leave a mark when they run."""
    for name in ("git", "git-rev-parse", "bin/git", "ssh", "sh"):
        script = f'#!/bin/sh\n: > {tmp_path}/ran\nexec {shutil.which("git")} "$@"\n'
        project.write(name, script).chmod(0o755)
    project.commit()
    return project


@pytest.mark.parametrize("path", [":{path}", ".:{path}", "bin:{path}", "{path}:", "/nowhere::{path}", "./bin:{path}"])
@pytest.mark.parametrize("line", ["scan --since main", "scan --range main..topic", "hook"])
def test_a_program_of_the_checkout_is_not_run(with_programs: Checkout, tmp_path: Path, path: str, line: str) -> None:
    path = path.format(path=os.environ["PATH"])
    ended = winnow(*line.split(), PATH=path, cwd=with_programs.root)
    assert ended.status == (0 if line == "hook" else 1)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("path", ["", ".", "bin", ":"])
def test_a_path_without_an_absolute_folder_has_no_git(with_programs: Checkout, tmp_path: Path, path: str) -> None:
    problem, remedy = winnow("scan", "--staged", PATH=path, cwd=with_programs.root).complaint(3)
    assert problem == "git was not found on the PATH"
    assert "absolute" in remedy
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("folder", [".", "", "bin"])
def test_git_finds_no_parts_of_itself_in_the_checkout(with_programs: Checkout, tmp_path: Path, folder: str) -> None:
    ended = winnow("scan", "--since", "main", GIT_EXEC_PATH=folder, cwd=with_programs.root)
    assert ended.status == 1
    assert not (tmp_path / "ran").exists()


# ---- limits ----------------------------------------------------------------------------------------------------


def limited(kind: int, most: int) -> None:
    resource.setrlimit(kind, (most, most))


LINES = ("scan --since main", "check src/plan.py", "hook", "compare src/plan.py src/plan.py", "index list known.db")


@linux
@pytest.mark.parametrize(("line", "kind"), [*((line, "RLIMIT_AS") for line in LINES), (LINES[0], "RLIMIT_DATA")])
def test_a_lack_of_memory_is_no_finding(project: Checkout, known: Path, line: str, kind: str) -> None:
    for path in CHANGE:
        project.write(path, INNOCENT)
    project.commit()
    words = line.replace("known.db", str(known)).split()
    statuses = set()
    for mebibytes in range(20, 220, 18):
        before = partial(limited, getattr(resource, kind), mebibytes * MIB)
        ended = winnow(*words, before=before, cwd=project.root)
        assert ended.status in {0, 3}, (mebibytes, ended)
        assert "Traceback" not in ended.errors
        if ended.status == 3:
            assert "memory" in ended.errors
        statuses.add(ended.status)
    assert {0, 3} <= statuses


@linux
def test_a_build_that_lacks_memory(tmp_path: Path) -> None:
    write_known(tmp_path / "source")
    line = "index build source --output i.db --name roads"
    for mebibytes in range(20, 220, 16):
        ended = winnow(*line.split(), before=partial(limited, resource.RLIMIT_AS, mebibytes * MIB), cwd=tmp_path)
        assert ended.status in {0, 3}, (mebibytes, ended)
        assert (tmp_path / "i.db").exists() == (ended.status == 0)


@linux
@pytest.mark.parametrize("line", ["scan --since main", "check a.py", "hook"])
def test_too_few_open_files_are_no_finding(project: Checkout, line: str) -> None:
    for path in CHANGE:
        project.write(path, INNOCENT)
    project.commit()
    for most in (5, 6, 8, 10, 13, 16, 20):
        ended = winnow(*line.split(), before=partial(limited, resource.RLIMIT_NOFILE, most), cwd=project.root)
        assert ended.status in {0, 3}, (most, ended)


@pytest.mark.parametrize("way", ["0", "1", "2", "abort"])
def test_native_code_that_ends_the_process_decides_nothing(tmp_path: Path, way: str) -> None:
    line = [sys.executable, "-c", GIVING_UP, way]
    done = subprocess.run(
        line, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=LONGEST, check=False
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("winnow-ci: error: a library ended winnow-ci")
