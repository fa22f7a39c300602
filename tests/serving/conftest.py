"""Fixtures of the tests of indexes on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.command import build
from support.donor import BASE, CHANGE, INNOCENT, write_known
from support.indexes import entry, write_index
from support.postgresql import PostgreSQLServer, running
from support.repository import Checkout
from support.served import Published, ServedDatabase
from winnow_ci import cli
from winnow_ci.errors import ExitStatus
from winnow_ci.index import schema
from winnow_ci.model import Source
from winnow_ci.serving.store import PostgresqlStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@pytest.fixture(scope="session")
def server() -> Iterator[PostgreSQLServer]:
    """A server of this process; it may be restarted, and must run after each test."""
    with running() as made:
        yield made


@pytest.fixture
def database(server: PostgreSQLServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedDatabase]:
    """A database without an index, and its users' environment."""
    with server.database("empty") as name:
        made = ServedDatabase.prepared(server, name, tmp_path)
        made.enter(monkeypatch)
        yield made


@pytest.fixture(scope="session")
def all_published(server: PostgreSQLServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    """Known code, published; not to be changed."""
    folder = tmp_path_factory.mktemp("published")
    described = ("--version", "2.1", "--license", "GPL-3.0-only", "--url", "https://example.org/roads")
    build(write_known(folder / "source"), folder / "known.db", *described)
    (folder / "other").mkdir()
    (folder / "other" / "innocent.py").write_text(INNOCENT)
    build(folder / "other", folder / "known.db", "--license", "MIT", name="other")
    with server.database("published") as name, pytest.MonkeyPatch.context() as monkeypatch:
        database = ServedDatabase.prepared(server, name, folder)
        database.enter(monkeypatch)
        # So that what is published has several blocks.
        monkeypatch.setattr(schema, "BLOCK_POSTINGS", 32)
        files = {f"{number}.py": entry([number, number + 1, number + 2]) for number in range(5)}
        write_index(folder / "older.db", {Source("roads", "1"): files})
        older = database.publish(folder / "older.db")
        yield Published(folder / "known.db", database.publish(folder / "known.db"), older, database)


@pytest.fixture
def published(all_published: Published, monkeypatch: pytest.MonkeyPatch) -> Published:
    """The same, and its users' environment."""
    all_published.database.enter(monkeypatch)
    return all_published


@pytest.fixture(scope="session")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A repository with copies that are staged, not to be changed."""
    made = Checkout.create(tmp_path_factory.mktemp("staged"))
    made.commit(dict(BASE))
    for path, text in CHANGE.items():
        made.write(path, text)
    made.git("add", "--all")
    return made


@pytest.fixture
def checkout(staged: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """The same as the current folder."""
    monkeypatch.chdir(staged.root)
    return staged


@pytest.fixture(scope="session")
def asked(all_published: Published, staged: Checkout) -> dict[str, set[int]]:
    """Which rows of which tables the scan of what is staged asks for."""
    rows: dict[str, set[int]] = {"source": {0}}
    some = PostgresqlStore._some

    def recording(store: PostgresqlStore, table: str, ids: Sequence[int], size: int) -> list[tuple[int, bytes, bytes]]:
        rows.setdefault(table, set()).update(ids)
        return some(store, table, ids, size)

    with pytest.MonkeyPatch.context() as monkeypatch:
        all_published.database.enter(monkeypatch)
        monkeypatch.chdir(staged.root)
        monkeypatch.setattr(PostgresqlStore, "_some", recording)
        assert cli.main(["scan", "--staged", "--index", all_published.uri]) == ExitStatus.FINDINGS
    return rows
