"""Fixtures of the attacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.donor import write_known

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of known code, not to be changed."""
    folder = tmp_path_factory.mktemp("known")
    build(write_known(folder / "source"), folder / "known.db")
    return folder / "known.db"
