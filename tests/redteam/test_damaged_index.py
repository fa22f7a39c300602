"""One byte of an index is changed, anywhere: ``verify`` says so, and no scan passes for it."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import CHANGE, write_known
from support.repository import Checkout
from winnow_ci import cli
from winnow_ci.errors import IndexFileError
from winnow_ci.index import WholeIndex, schema, verify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLIPS = 200
SCANS = 60


@pytest.fixture
def index(tmp_path: Path) -> Path:
    build(write_known(tmp_path / "source"), tmp_path / "i.db", "--with-text")
    return tmp_path / "i.db"


def flipped(data: bytes, seed: int, count: int) -> Iterator[bytes]:
    # Free space is zeros, and much of a small index is free.
    chance, used = random.Random(seed), [at for at, byte in enumerate(data) if byte]
    for _ in range(count):
        at = chance.choice(used)
        yield data[:at] + bytes([data[at] ^ chance.randrange(1, 256)]) + data[at + 1 :]


def stored(path: Path) -> object:
    """What SQLite reads from the file, or why it does not."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            queries = ["PRAGMA application_id", "PRAGMA user_version", "SELECT name, sql FROM sqlite_schema"]
            queries += [f"SELECT * FROM {table}" for table in schema.TABLES]
            return [connection.execute(query).fetchall() for query in queries]
    except (sqlite3.Error, ValueError, OverflowError) as error:
        return str(error)


def is_sound(path: Path) -> bool:
    try:
        with WholeIndex(path) as index:
            verify(index)
    except IndexFileError:
        return False
    return True


def test_verify_finds_whatever_changes_what_is_stored(index: Path) -> None:
    data, rows, changed = index.read_bytes(), stored(index), 0
    assert is_sound(index)
    for bad in flipped(data, 11, FLIPS):
        index.write_bytes(bad)
        if stored(index) != rows:
            changed += 1
            assert not is_sound(index)
    assert changed > FLIPS / 2


def test_no_scan_passes_for_it(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit(dict(CHANGE))
    monkeypatch.chdir(checkout.root)
    scan = ["scan", "--all", "--format", "json", "--index", str(index)]
    assert cli.main(scan) == 1
    report, statuses = capsys.readouterr().out, set()
    for bad in flipped(index.read_bytes(), 12, SCANS):
        index.write_bytes(bad)
        status = cli.main(scan)
        output = capsys.readouterr().out
        statuses.add(status)
        assert (status, output) in {(3, ""), (1, report)}
    assert statuses == {1, 3}


@pytest.mark.parametrize("command", ["build source --name new --output", "remove new", "merge OTHER --output new.db"])
def test_no_new_index_is_made_of_one_that_lacks_a_text(index: Path, tmp_path: Path, command: str) -> None:
    build(tmp_path / "source", tmp_path / "other.db", name="other")
    build(tmp_path / "source", index, name="new")
    with contextlib.closing(sqlite3.connect(index)) as connection:
        connection.execute("DELETE FROM text WHERE content = (SELECT min(content) FROM text)")
        connection.commit()
    before = index.read_bytes()
    verb, *arguments = command.replace("OTHER", "other.db").split()
    # The index stands first but for ``--output``, which ends the arguments.
    line = [*arguments, str(index)] if verb == "build" else [str(index), *arguments]
    problem, _ = winnow("index", verb, *line, cwd=tmp_path).complaint(3)
    assert "text of content " in problem
    assert index.read_bytes() == before
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("kind", [b"in\xa6ex", b"intex"])
def test_verify_sees_what_an_index_of_sqlite_is_called(index: Path, tmp_path: Path, kind: bytes) -> None:
    """No table is read through it, and SQLite itself passes over it."""
    data = index.read_bytes()
    at = data.index(b"indexsqlite_autoindex")
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(data[:at] + kind + data[at + 5 :])
    assert winnow("index", "verify", damaged, cwd=tmp_path).status == 3
