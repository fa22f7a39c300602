"""Windows finds what Linux finds: the same indexes and reports of real projects, with the kernel and without it.

The projects are distributions that the tests themselves use. This runs on Linux, and the other half under wine.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.command import environment
from support.repository import Checkout
from windows.run import ROOT, wine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = ROOT / ".venv" / "windows"
PROJECTS = ("jinja2", "packaging", "requests")
LONGEST = 120


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The command of Python for Windows."""
    if not (FOLDER / ".made").exists():
        pytest.skip("there is no wine, or: make windows")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PYTHONPATH", "WINEPREFIX", "WINEDEBUG", "WINEPATH"):
            patch.setenv(name, os.environ.get(name, ""))
        with wine(FOLDER, tmp_path_factory.getbasetemp()) as command:
            yield command


def project(name: str, folder: Path) -> Path:
    """Copy a distribution's package as a project, with line breaks as they are."""
    (package,) = importlib.util.find_spec(name).submodule_search_locations  # type: ignore[union-attr]
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd")
    return Path(shutil.copytree(package, folder / name, ignore=ignored))


def answer(python: Sequence[str], *arguments: str, cwd: Path, **settings: str) -> str:
    """What the command prints, which must not be an error."""
    # Through a pipe: wine cannot say what kind of file another stream is.
    done = subprocess.run(
        [*python, "-m", "winnow_ci", *arguments],
        cwd=cwd,
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stderr.decode()
    return done.stdout.decode()


def changed(folder: Path, source: Path) -> Checkout:
    """A repository whose work tree has copies: a whole file, a part of one, and one with other names."""
    checkout = Checkout.create(folder / "checkout")
    checkout.commit({"own.py": "def own() -> int:\n    return 1\n"})
    largest, *others = sorted(source.rglob("*.py"), key=lambda path: (-path.stat().st_size, path.as_posix()))
    lines = largest.read_text(encoding="utf-8").splitlines(keepends=True)
    checkout.write("lib/whole.py", others[0].read_bytes())
    checkout.write("lib/part.py", "".join(lines[len(lines) // 4 : len(lines) // 2]))
    checkout.write("lib/renamed.py", others[1].read_text(encoding="utf-8").replace("self", "this"))
    return checkout


@pytest.mark.parametrize("name", PROJECTS)
def test_indexes_and_reports_are_the_same(name: str, tmp_path: Path, python: list[str]) -> None:
    checkout = changed(tmp_path, project(name, tmp_path))
    systems = {
        "linux": ([sys.executable], {"PYTHONPATH": str(ROOT / "src")}),
        "windows": (python, {}),
        "windows, no kernel": (python, {"WINNOW_CI_KERNEL": "off"}),
    }
    digests, reports = {}, {}
    for number, (system, (command, settings)) in enumerate(systems.items()):
        index = f"../known{number}/known.db"
        (tmp_path / f"known{number}").mkdir()
        build = ("index", "build", f"../{name}", "--output", index, "--name", name, "--license", "MIT")
        answer(command, *build, cwd=checkout.root, **settings)
        digests[system] = answer(command, "index", "verify", index, cwd=checkout.root, **settings)
        scan = ("scan", "--format", "json", "--index", index)
        report = answer(command, *scan, cwd=checkout.root, **settings)
        assert json.dumps(index) in report
        reports[system] = report.replace(index, "known.db")
    for system in systems:
        assert "digest " in digests[system]
        assert digests[system].partition("digest ")[2] == digests["linux"].partition("digest ")[2]
        assert '"lib/whole.py"' in reports[system]
        assert reports[system] == reports["linux"], system
