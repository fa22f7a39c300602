"""Fixtures of the tests of a release: what is published, built once for all processes of a test run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from support.distributions import ROOT, build

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with the sdist and the wheel that was built from it, where there is no git."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "dist"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            build(ROOT, folder)
    return folder


@pytest.fixture(scope="session")
def sdist(built: Path) -> Path:
    (found,) = built.glob("*.tar.gz")
    return found


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    (found,) = built.glob("*.whl")
    return found
