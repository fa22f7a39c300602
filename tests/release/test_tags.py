"""``python tools/release TAG``: what may be released, and what the release says of itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import winnow_ci
from support.distributions import PROJECT, ROOT, read_toml
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path

VERSION = winnow_ci.__version__
KERNEL = read_toml("kernel/Cargo.toml")["package"]["version"]
FILES = ("pyproject.toml", "kernel/Cargo.toml", "kernel/pyproject.toml", "src/winnow_ci/__init__.py", "README.md")
NOTES = "### Added\n\n- Everything. (#20)"


@pytest.fixture
def clone(tmp_path: Path) -> Checkout:
    """What is released, as it is, but for the owner and the heading that a release gives its changes."""
    checkout = Checkout.create(tmp_path / "clone")
    files = {file: (ROOT / file).read_text(encoding="utf-8").replace("<owner>", "octo") for file in FILES}
    earlier = "## 0.0.1 - 2026-01-01\n\n- Less.\n"
    changes = f"# Changelog\n\n## Unreleased\n\n## {VERSION} - 2026-12-01\n\n{NOTES}\n\n{earlier}"
    checkout.commit({**files, "CHANGELOG.md": changes})
    (checkout.root / "tools").mkdir()
    shutil.copytree(ROOT / "tools" / "release", checkout.root / "tools" / "release")
    return checkout


def release(clone: Checkout, tag: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "tools/release", tag], cwd=clone.root, capture_output=True, check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


def test_a_release_says_what_has_changed(clone: Checkout) -> None:
    assert release(clone, f"v{VERSION}") == (0, f"{NOTES}\n")
    assert release(clone, f"kernel-{KERNEL}") == (0, f"The kernel of winnow-ci, version {KERNEL}.\n")


@pytest.mark.parametrize(
    ("tag", "file", "old", "new", "mistake"),
    [
        ("v9.9", None, "", "", f"src/winnow_ci/__init__.py has {VERSION}, not 9.9"),
        (f"v{VERSION}.1", None, "", "", f"src/winnow_ci/__init__.py has {VERSION}, not {VERSION}.1"),
        ("kernel-9.9", None, "", "", f"kernel/Cargo.toml has {KERNEL}, not 9.9"),
        (VERSION, None, "", "", "a tag is v or kernel-, and a version"),
        (f"v{VERSION}", "CHANGELOG.md", f"## {VERSION} - ", f"## {VERSION} of ", "CHANGELOG.md has no entries under a"),
        (f"v{VERSION}", "CHANGELOG.md", NOTES, "", "CHANGELOG.md has no entries under a heading"),
        (f"v{VERSION}", "pyproject.toml", "/winnow-ci/issues", "<owner>", "<owner> is not filled in: pyproject.toml"),
        (f"v{VERSION}", "README.md", "# winnow-ci", "<owner>", "<owner> is not filled in: README.md"),
        (f"v{VERSION}", "pyproject.toml", "kernel==", "kernel==8.", f"has 8.{KERNEL}, not {KERNEL}"),
        (f"kernel-{KERNEL}", "pyproject.toml", "kernel==", "kernel==8.", f"has 8.{KERNEL}, not {KERNEL}"),
    ],
)
def test_what_forbids_a_release(clone: Checkout, tag: str, file: str | None, old: str, new: str, mistake: str) -> None:
    if file:
        text = (clone.root / file).read_text(encoding="utf-8")
        assert old in text
        clone.write(file, text.replace(old, new))
    status, said = release(clone, tag)
    assert status == 1, said
    assert f"{tag} cannot be released: " in said
    assert mistake in said


def test_a_version_stands_in_one_place() -> None:
    assert read_toml("pyproject.toml")["tool"]["hatch"]["version"]["path"] == "src/winnow_ci/__init__.py"
    assert "version" in PROJECT["dynamic"]
    assert read_toml("kernel/pyproject.toml")["project"]["dynamic"] == ["version"]
    assert PROJECT["optional-dependencies"]["kernel"] == [f"winnow-ci-kernel=={KERNEL}"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert (ROOT / "kernel" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
