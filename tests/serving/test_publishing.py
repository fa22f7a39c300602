"""Publishing: whole or not at all, by whoever may, while others read."""

from __future__ import annotations

import hashlib
import random
import signal
import sqlite3
import subprocess
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import numpy as np
import psycopg
import pytest

from support.command import build, command, environment, winnow
from support.donor import write_known
from support.indexes import entry, write_index
from winnow_ci import cli
from winnow_ci.cli.index import upkeep
from winnow_ci.errors import ExitStatus, IndexFileError
from winnow_ci.index import WholeIndex
from winnow_ci.model import Source
from winnow_ci.serving.database import setup_script
from winnow_ci.serving.publishing import KEPT_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from support.postgresql import PostgreSQLServer
    from support.served import Published, ServedDatabase
    from winnow_ci.index import IndexReader


def index_of(path: Path, seed: int, files: int = 3, size: int = 40) -> Path:
    chance = random.Random(seed)
    names = {f"{n}.py": entry([chance.randrange(1 << 64) for _ in range(size)]) for n in range(files)}
    write_index(path, {Source("roads", str(seed)): names})
    return path


def all_postings(reader: IndexReader) -> NDArray[np.void]:
    """What a server has in its blocks."""
    return reader._store.postings(range(reader.blocks.how_many), reader.blocks)


def test_the_command_prints_what_to_pin(database: ServedDatabase, tmp_path: Path) -> None:
    index = build(write_known(tmp_path / "source"), tmp_path / "known.db") and tmp_path / "known.db"
    with WholeIndex(index) as opened:
        root = opened.digest
    done = winnow("index", "publish", index, f"{database.uri('nightly')}#org", cwd=tmp_path, **database.settings())
    assert done.status == ExitStatus.CLEAN, done
    # The user who scans is another one than the one who publishes.
    assert done.output == f"{database.uri('nightly').replace('nightly@', '')}#org@{root}\n"
    assert "published" in done.errors
    again = winnow("index", "publish", index, f"{database.uri('nightly')}#org", cwd=tmp_path, **database.settings())
    assert (again.status, again.output) == (0, done.output)
    assert "already exists" in again.errors
    secrets = [database.key.read_text().strip(), *database.passwords.read_text().split(":")[-1:]]
    assert not any(secret.strip() in text for secret in secrets for text in (done.output, done.errors, again.errors))


def test_the_same_root_again_changes_nothing(database: ServedDatabase, tmp_path: Path) -> None:
    index = index_of(tmp_path / "i.db", 1)
    database.publish(index)
    before = database.tables(), database.rows("SELECT xmin::text, * FROM winnow_ci.version")
    database.publish(index)
    assert (database.tables(), database.rows("SELECT xmin::text, * FROM winnow_ci.version")) == before


def test_the_same_index_published_again_has_no_row_and_no_question_of_before(
    database: ServedDatabase, tmp_path: Path
) -> None:
    index, hashes = index_of(tmp_path / "i.db", 1), np.arange(99, dtype=np.uint64)
    root = database.publish(index)
    asked, rows = [], []
    for _ in range(2):
        with database.opened(root) as reader:
            asked.append(set(reader.stored(hashes, reader.blocks).tolist()))
        table = f"winnow_ci.block_{database.version(root).suffix}"
        rows.append(database.rows(f"SELECT row, seal, id FROM {table} WHERE length(row) > 0"))
        database.publish(index_of(tmp_path / "other.db", 2), "default", "--keep", "0")
        assert database.publish(index) == root
    assert asked[0].isdisjoint(asked[1])
    before, after = ({part for row in of for part in row[:2]} for of in rows)
    assert before.isdisjoint(after)
    # Nor does a server get through with them.
    with database.server.superuser(database.name) as connection:
        connection.cursor().executemany(f"UPDATE {table} SET row = %s, seal = %s WHERE id = %s", rows[1])
    with database.opened(root) as reader, pytest.raises(IndexFileError, match="or the server forges it: block"):
        all_postings(reader)


def test_old_versions_stay_until_there_are_enough_newer_ones(database: ServedDatabase, tmp_path: Path) -> None:
    roots = [database.publish(index_of(tmp_path / f"{n}.db", n), "default", "--keep", "2") for n in range(4)]
    assert len(database.tables()) == 9
    for root in roots[1:]:
        with database.opened(root) as reader:
            assert reader.digest == root
    assert database.version(roots[0]).suffix not in "".join(database.tables())


def test_names_are_apart(database: ServedDatabase, tmp_path: Path) -> None:
    first = database.publish(index_of(tmp_path / "a.db", 1), "one", "--keep", "0")
    second = database.publish(index_of(tmp_path / "b.db", 2), "two", "--keep", "0")
    for name, root in (("one", first), ("two", second)):
        with database.opened(root, name) as reader:
            assert reader.digest == root


def test_a_version_that_is_read_stays_readable(
    database: ServedDatabase, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = database.publish(index_of(tmp_path / "a.db", 1))
    with database.opened(root) as reader:
        # Nothing but its description and sources was read so far.
        database.publish(index_of(tmp_path / "b.db", 2), "default", "--keep", "0")
        assert "1 old version still being read" in capsys.readouterr().err
        assert len(all_postings(reader)) == 120 + 3
        assert len(reader.content_rows(range(3))) == 3
    assert len(database.tables()) == 6
    database.publish(tmp_path / "b.db", "default", "--keep", "0")
    assert "1 old version removed" in capsys.readouterr().err
    assert len(database.tables()) == 3


@contextmanager
def publishing(database: ServedDatabase, index: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has done everything but to name the new version, and cannot go on."""
    arguments = command("index", "publish", index, f"{database.uri('nightly')}#default")
    waiting = (
        "SELECT 1 FROM pg_stat_activity WHERE usename = 'nightly' AND wait_event_type = 'Lock' AND query ~ '^INSERT'"
    )
    with database.server.superuser(database.name) as connection:
        connection.autocommit = False
        connection.execute("LOCK TABLE winnow_ci.version IN SHARE MODE")
        process = subprocess.Popen(
            arguments,
            cwd=index.parent,
            env=environment(**database.settings()),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        while not database.rows(waiting):
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        yield process
        if process.returncode is None:
            process.communicate()
        with suppress(psycopg.OperationalError):
            connection.rollback()


def check_old(database: ServedDatabase, root: str) -> None:
    """There is the old version, and nothing else."""
    while database.rows("SELECT 1 FROM pg_stat_activity WHERE usename = 'nightly'"):
        time.sleep(0.01)
    assert len(database.tables()) == 3
    with database.opened(root) as reader:
        assert len(all_postings(reader)) == 3 * 41


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_is_killed_leaves_nothing(database: ServedDatabase, tmp_path: Path, how: signal.Signals) -> None:
    old = database.publish(index_of(tmp_path / "old.db", 1))
    index = index_of(tmp_path / "new.db", 2, files=40)
    with publishing(database, index) as process:
        process.send_signal(how)
    assert process.returncode != 0
    check_old(database, old)
    new = database.publish(index)
    with database.opened(new) as reader:
        assert len(all_postings(reader)) == 40 * 41
    assert len(database.tables()) == 6


def test_a_server_that_is_killed_leaves_the_old_version(database: ServedDatabase, tmp_path: Path) -> None:
    old = database.publish(index_of(tmp_path / "old.db", 1))
    with publishing(database, index_of(tmp_path / "new.db", 2, files=40)) as process:
        database.server.stop()
        database.server.start()
        output, errors = process.communicate()
    assert (process.returncode, output) == (ExitStatus.CANNOT_SCAN, b""), errors
    assert b"cannot publish" in errors
    check_old(database, old)


def test_only_one_publishes_under_a_name(
    database: ServedDatabase, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database.publish(index_of(tmp_path / "a.db", 1))
    index = index_of(tmp_path / "b.db", 2)
    with psycopg.connect(database.uri("nightly")) as other:
        number = int.from_bytes(hashlib.blake2b(b"default", digest_size=8).digest(), "big", signed=True)
        other.execute("SELECT pg_advisory_xact_lock(%s)", [number])
        assert cli.main(["index", "publish", str(index), f"{database.uri('nightly')}#default"]) == 3
        assert "another process is publishing" in capsys.readouterr().err
    assert cli.main(["index", "publish", str(index), f"{database.uri('nightly')}#default"]) == 0


def test_a_damaged_index_is_not_published(
    database: ServedDatabase, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = index_of(tmp_path / "a.db", 1, files=20)
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute("UPDATE block SET postings = zeroblob(length(postings)) WHERE id = 1")
    assert cli.main(["index", "publish", str(index), database.uri("nightly")]) == ExitStatus.CANNOT_SCAN
    assert "damaged" in capsys.readouterr().err
    assert database.tables() == set()


def test_a_database_must_be_set_up(server: PostgreSQLServer, database: ServedDatabase, tmp_path: Path) -> None:
    index = index_of(tmp_path / "a.db", 1)
    with server.database("bare"):
        uri = database.uri("nightly").replace(f"/{database.name}", "/bare")
        done = winnow("index", "publish", index, uri, cwd=tmp_path, **database.settings())
    problem, remedy = done.complaint(ExitStatus.CANNOT_SCAN)
    assert "not set up for indexes" in problem
    assert "--print-schema" in remedy


def test_the_printed_schema_can_be_run_twice(database: ServedDatabase, tmp_path: Path) -> None:
    done = winnow("index", "publish", "--print-schema", cwd=tmp_path)
    assert (done.status, done.output) == (0, setup_script())
    root = database.publish(index_of(tmp_path / "a.db", 1))
    database.rows(done.output)
    with database.opened(root) as reader:
        assert reader.digest == root


@pytest.mark.parametrize(
    ("user", "statement"),
    [
        (user, statement)
        for user, statements in {
            "scanner": (
                "INSERT INTO winnow_ci.version SELECT * FROM winnow_ci.version",
                "DELETE FROM winnow_ci.version",
                "UPDATE winnow_ci.version SET name = 'x'",
                "TRUNCATE {block}",
                "DELETE FROM {block}",
                "UPDATE {content} SET id = id",
                "DROP TABLE {source}",
                "CREATE TABLE winnow_ci.mine (id int)",
                "CREATE TABLE public.mine (id int)",
                "SET ROLE winnow_ci_publisher",
            ),
            "nightly": (
                "UPDATE winnow_ci.version SET name = 'x'",
                "DROP TABLE winnow_ci.version",
                "DROP SCHEMA winnow_ci CASCADE",
                "CREATE TABLE public.mine (id int)",
                "CREATE SCHEMA other",
                "CREATE ROLE other",
            ),
            "stranger": ("SELECT * FROM winnow_ci.version", "SELECT * FROM {block}"),
        }.items()
        for statement in statements
    ],
)
def test_nobody_may_do_more_than_they_must(published: Published, user: str, statement: str) -> None:
    database, root = published.database, published.root
    suffix = database.version(root).suffix
    names = {kind: f"winnow_ci.{kind}_{suffix}" for kind in ("block", "content", "source")}
    with database.server.superuser(database.name) as connection:
        if user == "stranger":
            connection.execute("DROP ROLE IF EXISTS stranger; CREATE ROLE stranger")
        connection.execute(f"SET SESSION AUTHORIZATION {user}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.format(**names))


def test_the_help_says_how_many_versions_stay() -> None:
    assert upkeep._KEPT == KEPT_VERSIONS


def test_arguments_are_checked(database: ServedDatabase, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = index_of(tmp_path / "a.db", 1)
    wrong = (
        ([str(index)], "publish needs an index and a server"),
        ([str(index), "there.db"], "there.db is not a folder"),
        ([str(index), f"{database.uri('nightly')}#default@{'0' * 32}"], "has the root"),
        ([str(index), "postgresql://nightly:hunter2@db/x"], "password"),
        ([str(index), database.uri("nightly"), "--keep", "-1"], "--keep"),
    )
    for arguments, said in wrong:
        try:
            status = cli.main(["index", "publish", *arguments])
        except SystemExit as ended:
            status = ended.code
        assert status == ExitStatus.USAGE, arguments
        errors = capsys.readouterr().err
        assert said in errors
        assert "hunter2" not in errors
