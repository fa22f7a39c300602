"""The faces of packages: each name is there, and no module of the package stands in its place."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import winnow_ci
from winnow_ci.faces import on_demand

ROOT = Path(winnow_ci.__file__).parent
FACES = sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if "on_demand(" in path.read_text())
# Its modules are reached through the face alone.
HIDING = {("index", "verify")}


def test_there_are_some() -> None:
    assert {"git", "config", "matching", "policy", "index"} <= set(FACES)


@pytest.mark.parametrize("name", FACES)
def test_every_name_is_there(name: str) -> None:
    face = import_module(f"winnow_ci.{name}")
    modules = {path.stem for path in (ROOT / name).iterdir()}
    for public in face.__all__:
        assert not isinstance(getattr(face, public), ModuleType)
        # Importing a module of that name would hide what the face has.
        assert public not in modules or (name, public) in HIDING


def test_a_module_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys, winnow_ci.git as face; before = 'winnow_ci.git.pushes' in sys.modules;"
        "first = face.sent; print(before, 'winnow_ci.git.pushes' in sys.modules, first is face.sent, first.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True", "True", "sent"]


def test_another_name_is_an_error() -> None:
    found = on_demand("winnow_ci.git", changes="staged")
    with pytest.raises(AttributeError, match=r"'winnow_ci.git' has no attribute 'steged'"):
        found("steged")
