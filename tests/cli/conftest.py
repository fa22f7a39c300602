"""Fixtures of the tests of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.donor import BASE, CHANGE, write_known
from support.https import Authority
from support.manifest import Project
from support.repository import Checkout

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of known code, not to be changed."""
    folder = tmp_path_factory.mktemp("known")
    index = folder / "known.db"
    described = ("--version", "2.1", "--license", "GPL-3.0-only", "--url", "https://example.org/roads")
    build(write_known(folder / "source"), index, *described)
    return index


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who signs the certificates of servers."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache folder, empty."""
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def project(tmp_path: Path, cache: Path) -> Project:
    """A repository for a manifest, beside an empty cache."""
    assert not cache.exists()
    return Project.create(tmp_path)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository with a commit on main."""
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit(dict(BASE))
    return checkout


@pytest.fixture
def copied(checkout: Checkout) -> Checkout:
    """The same with copies in the work tree: in a tracked file and in a new one."""
    for path, text in CHANGE.items():
        checkout.write(path, text)
    return checkout
