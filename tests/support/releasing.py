"""A release, as a person with the credentials would make it, up to what needs them."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import winnow_ci
from support.distributions import ROOT, tracked
from support.installations import run
from support.kernels import REQUIRED
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = winnow_ci.__version__
TAG = f"v{VERSION}"
NOTES = "### Added\n\n- Everything. (#20)"
CHANGES = f"""\
# Changelog

## Unreleased

## {VERSION} - 2026-12-01

{NOTES}

## 0.0.1 - 2026-01-01

- Less.
"""


def prepare(folder: Path, *places: str) -> Checkout:
    """Copy these parts of the repository, name an owner, and give the changes of this version their heading."""
    checkout = Checkout.create(folder)
    for path in tracked(*(places or ".")):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    checkout.commit()
    run([sys.executable, "tools/release", "--owner", "octo"], folder, {})
    checkout.commit({"CHANGELOG.md": CHANGES})
    return checkout


def make_release(folder: Path) -> None:
    """Build all distributions, lock the kernel, and tag."""
    settings = with_cargo()
    checkout = prepare(folder)
    run(["make", "dist", f"PYTHON={sys.executable}"], folder, settings)
    shutil.rmtree(folder / "kernel" / "target", ignore_errors=True)
    lock = folder / "requirements" / "winnow-ci.txt"
    lock.write_text(lock.read_text(encoding="utf-8") + pin(sorted((folder / "dist").glob("winnow_ci_kernel-*.whl"))))
    checkout.commit()
    checkout.git("tag", TAG)


def pin(wheels: Sequence[Path]) -> str:
    """The line of a lock for the kernel."""
    version = wheels[0].name.split("-")[1]
    hashes = [f"    --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}" for wheel in wheels]
    return " \\\n".join([f"winnow-ci-kernel=={version}", *hashes]) + "\n"


def with_cargo() -> dict[str, str]:
    """Where cargo is, also if rustup has put it into the home; skips where there is none."""
    cargo = os.environ.get("CARGO_HOME") or Path.home() / ".cargo"
    path = os.pathsep.join([os.environ["PATH"], f"{cargo}/bin"])
    if not shutil.which("cargo", path=path) and not REQUIRED:
        pytest.skip("there is no cargo")
    return {"PATH": path}
