"""Fixtures of the hook tests: projects with an index checked in, and what the command finds in its hooks."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import BASE, write_known
from support.findings import Findings
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable

HOOKS = Path(__file__).parents[2] / "hooks"

# The command as it is, with one more report, a file for each process.
RECORDING = """\
#!/bin/sh
if [ "$1" = hook ]; then shift; set -- hook --format text --format json:{folder}/$$.json "$@"; fi
exec {command} "$@"
"""
# The same for pre-commit on Windows, which looks for programs with such endings first.
RECORDING_CMD = """\
@"{python}" "%~dp0recording.py" %*
"""
RECORDING_PY = """\
import os, sys
from winnow_ci.cli import entry_point

if sys.argv[1:2] == ["hook"]:
    sys.argv[2:2] = ["--format", "text", "--format", f"json:{folder}/{{os.getpid()}}.json"]
entry_point()
"""


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of known code, not to be changed."""
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db", "--license", "GPL-3.0-only")
    return folder / "known.db"


@pytest.fixture
def findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Findings:
    """What the command finds in hooks, which take it from the PATH."""
    folder, bin_folder = tmp_path / "found", tmp_path / "bin"
    folder.mkdir()
    bin_folder.mkdir()
    program = bin_folder / "winnow-ci"
    command = shlex.join([sys.executable, "-m", "winnow_ci"])
    text = RECORDING.format(folder=shlex.quote(str(folder)), command=command)
    program.write_text(text, newline="\n")
    program.chmod(0o755)
    if sys.platform == "win32":
        (bin_folder / "winnow-ci.cmd").write_text(RECORDING_CMD.format(python=sys.executable))
        (bin_folder / "recording.py").write_text(RECORDING_PY.format(folder=folder.as_posix()))
    monkeypatch.setenv("PATH", f"{bin_folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return Findings(folder)


@pytest.fixture
def project(tmp_path: Path, known: Path, findings: Findings) -> Checkout:
    """A repository with one commit on main: a configuration, an index, and a file of its own."""
    checkout = Checkout.create(tmp_path / "project")
    checkout.write(".winnow.yml", 'index: [.winnow/index.db]\npaths: {exclude: ["third_party/**"]}\n')
    checkout.write(".winnow/index.db", known.read_bytes())
    checkout.commit(dict(BASE))
    return checkout


@pytest.fixture
def checked(project: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """The same with pre-commit and both hooks as ``winnow-ci init`` sets them up."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
    assert winnow("init", "--pre-commit", cwd=project.root).status == 0
    project.commit()
    for hook_type in ("pre-commit", "pre-merge-commit", "pre-push"):
        command = shlex.join([sys.executable, "-m", "pre_commit", "hook-impl", "--config=.pre-commit-config.yaml"])
        options = f'--hook-type={hook_type} --hook-dir "$(dirname "$0")"'
        _install(project, hook_type, f'#!/bin/sh\nexec {command} {options} -- "$@"\n')
    return project


@pytest.fixture
def install(project: Checkout) -> Callable[..., None]:
    """Installs one of our own hooks, as it is, into ``project`` or another repository."""

    def copy(name: str, checkout: Checkout = project, folder: str = ".git/hooks") -> None:
        target = checkout.root / folder / name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(HOOKS / name, target)

    return copy


def _install(checkout: Checkout, name: str, text: str) -> None:
    checkout.write(f".git/hooks/{name}", text).chmod(0o755)
