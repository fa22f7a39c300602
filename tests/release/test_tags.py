"""``python tools/release TAG``: what may be released, and what the release says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.distributions import PROJECT, ROOT, read_toml
from support.releasing import NOTES, VERSION, prepare

if TYPE_CHECKING:
    from pathlib import Path

    from support.repository import Checkout

KERNEL = read_toml("kernel/Cargo.toml")["package"]["version"]


@pytest.fixture
def clone(tmp_path: Path) -> Checkout:
    """What is released, as it is, but for the owner and the heading that a release gives its changes."""
    sources = ("src/winnow_ci/__init__.py", "src/winnow_ci/cli/init.py", "kernel/*.toml", "docs/*.md")
    return prepare(tmp_path / "clone", "pyproject.toml", "README.md", "requirements", "tools/release", *sources)


def release(clone: Checkout, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "tools/release", *arguments], cwd=clone.root, capture_output=True, check=False
    )
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
        (
            f"v{VERSION}",
            "pyproject.toml",
            'Source = "https://github.com/octo',
            'Source = "<owner>',
            "does not name the owner",
        ),
        (f"v{VERSION}", "docs/ci.md", "uses: octo/", "uses: other/", "another owner than octo: docs/ci.md"),
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


def test_what_is_left_for_a_person_is_listed(clone: Checkout) -> None:
    status, said = release(clone, "--check")
    assert (status, said.splitlines()[-1]) == (0, "Everything here agrees.")
    steps = re.findall(r"^  \[ \] (.*)", said, re.MULTILINE)
    assert any(step.startswith(f"git tag v{VERSION} && ") for step in steps)
    assert any("kernel-wheels.yml of octo/winnow-ci" in step for step in steps)
    assert "renew the locks of 2024-05-01: make lock" in steps
    assert not any("--owner" in step or "heading" in step for step in steps)
    clone.git("tag", f"v{VERSION}")
    clone.write("README.md", "changed\n")
    status, said = release(clone, "--check")
    assert status == 1
    assert f"v{VERSION} is a tag already" in said
    assert "the work tree has changes that are not committed" in said


def test_an_owner_is_written_everywhere(clone: Checkout) -> None:
    named = set(release(clone, "--owner", "other")[1].split())
    assert named >= {"pyproject.toml", "kernel/pyproject.toml", "docs/ci.md", "src/winnow_ci/cli/init.py"}
    text = (clone.root / "docs" / "ci.md").read_text(encoding="utf-8")
    assert ("octo/winnow-ci" in text, "uses: other/winnow-ci@" in text) == (False, True)


def test_a_version_stands_in_one_place() -> None:
    assert read_toml("pyproject.toml")["tool"]["hatch"]["version"]["path"] == "src/winnow_ci/__init__.py"
    assert "version" in PROJECT["dynamic"]
    assert read_toml("kernel/pyproject.toml")["project"]["dynamic"] == ["version"]
    assert PROJECT["optional-dependencies"]["kernel"] == [f"winnow-ci-kernel=={KERNEL}"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
    assert (ROOT / "kernel" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
