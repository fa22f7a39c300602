"""Code to build indexes of, and an own cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.donor import LOGS, ROUTES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, empty."""
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A folder with two files."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "logs.py").write_text(LOGS)
    (folder / "routes.py").write_text(ROUTES)
    return folder
