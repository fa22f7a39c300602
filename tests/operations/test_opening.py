"""An index on a server is opened beside other work; whatever else goes wrong does not wait for it."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from support.indexes import entry, only, write_index
from winnow_ci.config.index_reference import ServedIndex
from winnow_ci.errors import IndexFileError, IndexKeyError
from winnow_ci.model import Source
from winnow_ci.operations.named_elsewhere import start_opening
from winnow_ci.serving.sealing import write_key

if TYPE_CHECKING:
    from pathlib import Path

PLACE = ServedIndex("postgresql://scanner@127.0.0.1:{port}/known?connect_timeout=600", root="0" * 32)


def served(listening: socket.socket) -> ServedIndex:
    return PLACE._replace(server=PLACE.server.format(port=listening.getsockname()[1]))


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    write_key(tmp_path / "org.key")
    monkeypatch.setenv("WINNOW_CI_INDEX_KEY", str(tmp_path / "org.key"))


def test_a_file_is_opened_when_it_is_asked_for_and_closed_in_the_end(tmp_path: Path) -> None:
    with ExitStack() as stack:
        opened = start_opening(tmp_path / "i.db", stack)
        write_index(tmp_path / "i.db", {Source("s"): {"a.py": entry([1, 2])}})
        reader = opened()
        content = only(reader)  # type: ignore[arg-type]
        assert reader.content(content).files
    with pytest.raises(Exception, match="closed database"):
        reader.content(content)


def test_a_file_that_is_missing_is_told_when_it_is_asked_for(tmp_path: Path) -> None:
    with ExitStack() as stack, pytest.raises(IndexFileError, match="no index at"):
        start_opening(tmp_path / "i.db", stack)()


@pytest.mark.usefixtures("key")
def test_nobody_waits_for_a_server_whose_index_is_not_wanted_any_more() -> None:
    # The system takes the connection, and nobody ever says anything.
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(ZeroDivisionError), ExitStack() as stack:
        start_opening(served(silent), stack)
        raise ZeroDivisionError


@pytest.mark.usefixtures("key")
def test_what_a_server_says_is_told_when_the_index_is_asked_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        place = served(gone)
    with ExitStack() as stack, pytest.raises(IndexFileError, match="cannot connect"):
        start_opening(place, stack)()


def test_what_is_lacking_here_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.delenv("WINNOW_CI_INDEX_KEY", raising=False)
    with pytest.raises(IndexKeyError):
        start_opening(PLACE, ExitStack())
