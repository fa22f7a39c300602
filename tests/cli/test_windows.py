"""On a system like Windows, winnow-ci says in plain words that it does not run there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import winnow_ci
from support.command import Ended, winnow
from winnow_ci import native

if TYPE_CHECKING:
    from pathlib import Path

# Python runs this before anything else. What else Windows lacks is what only winnow-ci itself would miss here.
WITHOUT_POSIX = """
import os, signal, sys
for module in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[module] = None
for module, names in (
    (os, "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK geteuid getuid killpg pidfd_open setsid"),
    (signal, "SIGKILL SIGALRM SIGPIPE pthread_kill"),
):
    for name in names.split():
        module.__dict__.pop(name, None)
sys.platform = "win32"
"""


@pytest.fixture
def without_posix(tmp_path: Path) -> Path:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_POSIX)
    return tmp_path


def on_windows(folder: Path, *arguments: str) -> Ended:
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return winnow(*arguments, cwd=folder, PYTHONPATH=path)


def test_version(without_posix: Path) -> None:
    ended = on_windows(without_posix, "--version")
    assert (ended.status, ended.output, ended.errors) == (
        0,
        f"winnow-ci {winnow_ci.__version__} ({native.described()})\n",
        "",
    )


@pytest.mark.parametrize("arguments", ["", "--help", "scan --all", "index list known.db", "init", "nonsense"])
def test_everything_else_is_an_error(without_posix: Path, arguments: str) -> None:
    problem, remedy = on_windows(without_posix, *arguments.split()).complaint(3)
    assert problem == "winnow-ci needs a POSIX system, and this is Windows"
    assert remedy.startswith("run it on Linux or macOS")
