"""The wheel is installed into clean environments by pip, uv and pipx, and finds a copy there."""

from __future__ import annotations

import inspect
import re
import shlex
import sys
from typing import TYPE_CHECKING

import pytest
import requests

import winnow_ci
from support.distributions import ROOT
from support.donor import CHANGE, write_known
from support.https import serving
from support.installations import BESIDE, run, tools
from support.python_index import PythonIndex
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

START = re.compile(r"^## Start\n.*?^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def installations(wheel: Path, home: Path) -> dict[str, list[list[str]]]:
    """The commands of each installer."""
    environment = str(home / "environment")
    pip = [f"{environment}/bin/python", "-m", "pip", "install", "--quiet", "--no-compile", str(wheel)]
    return {
        "pip": [[sys.executable, "-m", "venv", environment], pip],
        "uv": [[str(BESIDE / "uv"), "tool", "install", "--quiet", "--python", sys.executable, str(wheel)]],
    }


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_an_installed_wheel_finds_a_copy(wheel: Path, tmp_path: Path, installer: str) -> None:
    settings = tools(tmp_path)
    for command in installations(wheel, tmp_path)[installer]:
        run(command, tmp_path, settings)
    program = str(tmp_path / ("environment/bin" if installer == "pip" else "bin") / "winnow-ci")
    assert run([program, "--version"], tmp_path, settings).startswith(f"winnow-ci {winnow_ci.__version__} ")
    project = Checkout.create(tmp_path / "project")
    run([program, "init"], project.root, settings)
    known = str(write_known(tmp_path / "roads"))
    run([program, "index", "build", known, "--output", ".winnow/index.db", "--name", "roads"], project.root, settings)
    project.write("src/plan.py", CHANGE["src/plan.py"])
    assert "src/plan.py:13-37: error: copied from roads" in run([program, "scan"], project.root, settings, status=1)


def test_four_commands_lead_from_nothing_to_a_copy_of_copyleft_code(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tools(tmp_path)
    run([str(BESIDE / "pipx"), "install", "--quiet", "--python", sys.executable, str(wheel)], tmp_path, settings)
    project = Checkout.create(tmp_path / "project")
    project.commit({"src/plan.py": "\n"})
    project.write("src/plan.py", CHANGE["src/plan.py"])
    with serving(None) as server:
        index = PythonIndex(server, {})
        index.publish_starter()
        index.use(monkeypatch)
        said = run(["winnow-ci", "init"], project.root, settings)
        assert "winnow-ci index starter python" in said
        run(["winnow-ci", "index", "starter", "python"], project.root, settings)
    assert "GPL-3.0-only" in run(["winnow-ci", "scan"], project.root, settings, status=1)


def test_the_first_commands_of_the_readme_find_a_copy(tmp_path: Path) -> None:
    (block,) = START.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    install, *commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert (install, len(commands)) == (["pipx", "install", "."], 3)
    settings = tools(tmp_path)
    run([str(BESIDE / "pipx"), *install[1:], "--quiet", "--python", sys.executable], ROOT, settings)
    project = Checkout.create(tmp_path / "project")
    pasted = inspect.getsource(requests.utils.super_len)
    for command in commands:
        project.write("src/sizes.py", pasted)
        said = run(command, project.root, settings, status=1 if command[-1] == "scan" else 0)
    assert "src/sizes.py:1-" in said
    assert "copied from requests" in said
