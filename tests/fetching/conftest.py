"""An own cache, and servers whose certificates are trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.https import Authority, Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WINNOW_CI_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def server(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, value in authority.trusted().items():
        monkeypatch.setenv(name, value)
    with serving(authority) as found:
        yield found


@pytest.fixture
def other(authority: Authority) -> Iterator[Server]:
    """A server with another name."""
    with serving(authority, "127.0.0.1") as found:
        yield found


@pytest.fixture
def plain_server() -> Iterator[Server]:
    with serving(None) as found:
        yield found
