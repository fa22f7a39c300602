"""Whatever a server, its administrator or the way to it does: no scan ends clean, and each says what is wrong."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from psycopg import sql

from support.unreliable import UnreliableLine, between
from winnow_ci import cli, scanner
from winnow_ci.config.index_reference import ServedIndex, parse_index_reference
from winnow_ci.errors import ExitStatus
from winnow_ci.operations.named_elsewhere import start_opening
from winnow_ci.serving import store
from winnow_ci.serving.database import BoundedConnection
from winnow_ci.serving.sealing import write_key
from winnow_ci.start_up import replace as replaced

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.repository import Checkout
    from support.served import Published, ServedDatabase

TABLES = ("block", "content", "source")
DAMAGED = "is damaged, or the server forges it"


class Ended(NamedTuple):
    status: int
    output: str
    errors: str


@pytest.fixture
def scan(checkout: Checkout, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Scan what is staged, with copies in it."""
    assert checkout.root

    def run(index: str) -> Ended:
        capsys.readouterr()
        status = cli.main(["scan", "--staged", "--format", "json", "--index", index])
        return Ended(status, *capsys.readouterr())

    return run


@pytest.fixture
def spoiled(published: Published, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServedDatabase]:
    """A copy of the database, for one test."""
    with published.database.copy("spoiled") as database:
        yield database


def pinned(database: ServedDatabase, root: str) -> str:
    return f"{database.uri()}#default@{root}"


def check(ended: Ended, said: str, database: ServedDatabase) -> None:
    assert ended.status == ExitStatus.CANNOT_SCAN, ended
    assert ended.output == ""
    assert said in ended.errors, ended.errors
    problem, remedy = ended.errors.splitlines()[-2:]
    assert problem.startswith("winnow-ci: error: ")
    assert remedy
    assert "Traceback" not in ended.errors
    secrets = [database.key.read_text().strip(), "scanning-secret", "shortest_route", "came_from"]
    assert [secret for secret in secrets if secret in ended.errors] == []


# ---- rows that somebody has changed --------------------------------------------------------------------------------

_BIT = "%(bit)s %% (8 * length(row))"
# Each is run with the id of a row that the scan reads, that of another row, and what the row may become.
TAMPERING = {
    "dropped": "DELETE FROM {table} WHERE id = %(one)s",
    "swapped": (
        "UPDATE {table} AS mine SET row = other.row, seal = other.seal FROM {table} AS other"
        " WHERE (mine.id, other.id) IN ((%(one)s, %(other)s), (%(other)s, %(one)s))"
    ),
    "exchanged": (
        "ALTER TABLE {table} DROP CONSTRAINT {key};"
        "UPDATE {table} SET id = %(one)s + %(other)s - id WHERE id IN (%(one)s, %(other)s)"
    ),
    "emptied": "UPDATE {table} SET row = '' WHERE id = %(one)s",
    "emptied with a fresh digest": "UPDATE {table} SET row = '', seal = %(fresh)s WHERE id = %(one)s",
    "emptied without a seal": "UPDATE {table} SET row = '', seal = '' WHERE id = %(one)s",
    "zeroed": "UPDATE {table} SET row = decode(repeat('00', length(row)), 'hex') WHERE id = %(one)s",
    "one bit": f"UPDATE {{table}} SET row = set_bit(row, {_BIT}, 1 - get_bit(row, {_BIT})) WHERE id = %(one)s",
    "one bit of the seal": "UPDATE {table} SET seal = set_bit(seal, 5, 1 - get_bit(seal, 5)) WHERE id = %(one)s",
    "cut": "UPDATE {table} SET row = substring(row FOR length(row) - 16) WHERE id = %(one)s",
    "lengthened": "UPDATE {table} SET row = row || substring(row FOR 16) || '0123456789abcdef' WHERE id = %(one)s",
    "twice": "ALTER TABLE {table} DROP CONSTRAINT {key}; INSERT INTO {table} SELECT * FROM {table} WHERE id = %(one)s",
    "nothing": "ALTER TABLE {table} ALTER row DROP NOT NULL; UPDATE {table} SET row = NULL WHERE id = %(one)s",
    "of an older version": (
        "UPDATE {table} SET (row, seal) = (SELECT row, seal FROM {older} WHERE id = 0) WHERE id = %(one)s"
    ),
}


def tamper(database: ServedDatabase, change: tuple[str, str, int], rows: set[int], roots: tuple[str, str]) -> None:
    """Change a row that the scan reads; ``roots``: of its version and of an older one."""
    chance = random.Random(str(change))
    kind, what, _ = change
    version, older = map(database.version, roots)
    there = database.rows(f"SELECT id FROM winnow_ci.{kind}_{version.suffix} WHERE length(row) > 16")
    one = chance.choice([number for (number,) in there if number in rows])
    other = chance.choice([number for (number,) in there if number != one])
    fresh = hashlib.blake2b(b"", digest_size=16).digest()
    values = {"one": one, "other": other, "fresh": fresh, "bit": chance.randrange(1 << 20)}
    key = sql.Identifier(f"{kind}_{version.suffix}_pkey")
    names = {"table": version.table(kind), "older": older.table(kind), "key": key}
    with database.server.superuser(database.name) as administrator:
        for statement in TAMPERING[what].split(";"):
            used = {name: value for name, value in values.items() if f"%({name})s" in statement}
            done = administrator.execute(sql.SQL(statement).format(**names), used)
        assert done.rowcount > 0


@pytest.fixture
def older(published: Published) -> str:
    """The root of an older version of the same name."""
    return published.older


CHANGES = [(kind, what, seed) for kind in TABLES for what in TAMPERING for seed in range(3)]


@pytest.mark.parametrize("change", CHANGES, ids=map(str, CHANGES))
def test_a_row_that_was_changed(
    published: Published,
    older: str,
    asked: dict[str, set[int]],
    spoiled: ServedDatabase,
    scan: Callable[[str], Ended],
    change: tuple[str, str, int],
) -> None:
    tamper(spoiled, change, asked[change[0]], (published.root, older))
    check(scan(pinned(spoiled, published.root)), DAMAGED, spoiled)


# ---- versions and tables that somebody has changed -----------------------------------------------------------------


def rename(database: ServedDatabase, older: str, root: str) -> None:
    """Let the tables of an older version be those of the pinned one."""
    was, now = database.version(older).suffix, database.version(root).suffix
    for kind in TABLES:
        database.rows(f"DROP TABLE winnow_ci.{kind}_{now}")
        database.rows(f"ALTER TABLE winnow_ci.{kind}_{was} RENAME TO {kind}_{now}")


def replace(database: ServedDatabase, root: str, kind: str, query: str) -> None:
    """Let a table be a view, which can do anything."""
    name = f"winnow_ci.{kind}_{database.version(root).suffix}"
    database.rows(f"ALTER TABLE {name} RENAME TO kept")
    database.rows(f"CREATE VIEW {name} AS {query.format(kept='winnow_ci.kept')}; GRANT SELECT ON {name} TO PUBLIC")
    database.rows("GRANT SELECT ON winnow_ci.kept TO PUBLIC")


def test_an_older_version_replayed_under_the_pinned_root(
    published: Published, older: str, spoiled: ServedDatabase, scan: Callable[[str], Ended]
) -> None:
    rename(spoiled, older, published.root)
    check(scan(pinned(spoiled, published.root)), DAMAGED, spoiled)


def test_an_older_version_with_its_description_replayed(
    published: Published, older: str, spoiled: ServedDatabase, scan: Callable[[str], Ended]
) -> None:
    rename(spoiled, older, published.root)
    spoiled.rows(
        "UPDATE winnow_ci.version SET (description, seal) = (SELECT description, seal FROM winnow_ci.version"
        " WHERE root = %s) WHERE root = %s",
        older,
        published.root,
    )
    check(scan(pinned(spoiled, published.root)), "its description", spoiled)


def test_another_index_under_the_name(
    published: Published, older: str, spoiled: ServedDatabase, scan: Callable[[str], Ended]
) -> None:
    spoiled.rows("DELETE FROM winnow_ci.version WHERE root = %s", published.root)
    for kind in TABLES:
        spoiled.rows(f"DROP TABLE winnow_ci.{kind}_{spoiled.version(published.root).suffix}")
    ended = scan(pinned(spoiled, published.root))
    check(ended, f"no longer has the index with root {published.root}; its newest has {older}", spoiled)


def test_an_index_that_was_never_there(
    published: Published, spoiled: ServedDatabase, scan: Callable[[str], Ended]
) -> None:
    check(scan(f"{spoiled.uri()}#other@{published.root}"), "no index named", spoiled)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DELETE FROM winnow_ci.version", "its description is missing"),
        ("UPDATE winnow_ci.version SET root = reverse(root)", "its description is missing"),
        ("UPDATE winnow_ci.version SET key = '12345678'", "its description is missing"),
        ("UPDATE winnow_ci.version SET description = ''", "its description"),
        ("UPDATE winnow_ci.version SET seal = ''", "its description"),
        (
            "UPDATE winnow_ci.version SET description = set_bit(description, 77, 1 - get_bit(description, 77))",
            "its desc",
        ),
        ("UPDATE winnow_ci.version SET layout = 3", "with another layout, 3, not 2"),
        ("UPDATE winnow_ci.version SET salt = set_bit(salt, 9, 1 - get_bit(salt, 9))", "its description"),
        ("UPDATE winnow_ci.version SET salt = ''", "its salt"),
        ("UPDATE winnow_ci.version SET salt = repeat('salt', 5)::bytea", "its salt"),
        (
            "UPDATE {version} AS mine SET salt = (SELECT salt FROM {version} WHERE root <> mine.root)",
            "its description",
        ),
        ("ALTER TABLE winnow_ci.version ALTER description TYPE text USING 'x'", "its description"),
        ("DROP TABLE winnow_ci.version", "not set up"),
        ("DROP SCHEMA winnow_ci CASCADE", "not set up"),
        ("REVOKE SELECT ON winnow_ci.version FROM winnow_ci_reader", "permission denied"),
        ("REVOKE USAGE ON SCHEMA winnow_ci FROM winnow_ci_reader", "permission denied"),
        ("ALTER TABLE {block} RENAME TO elsewhere", "the tables of the index are gone"),
        ("ALTER TABLE {source} ALTER row TYPE text USING 'x'", DAMAGED),
        ("ALTER TABLE {block} ALTER row TYPE text USING 'x'", DAMAGED),
        ("ALTER TABLE {content} ALTER id TYPE text", "cannot read the index"),
        ("ALTER TABLE {content} DROP COLUMN seal", "cannot read the index"),
        ("REVOKE SELECT ON {content} FROM winnow_ci_reader", "permission denied"),
        ("TRUNCATE {block}", "a block is missing"),
        ("TRUNCATE {content}", "content"),
        ("DELETE FROM {source} WHERE id >= 0", "sources"),
        ("INSERT INTO {source} SELECT id + 2, row, seal FROM {source} WHERE id = 0", "source 2"),
    ],
)
def test_what_an_administrator_can_do(
    published: Published, spoiled: ServedDatabase, scan: Callable[[str], Ended], statement: str, said: str
) -> None:
    suffix = spoiled.version(published.root).suffix
    tables = {kind: f"winnow_ci.{kind}_{suffix}" for kind in TABLES}
    spoiled.rows(statement.format(**tables, version="winnow_ci.version"))
    check(scan(pinned(spoiled, published.root)), said, spoiled)


ENDLESS = ("id, row, seal", "id, repeat('x', 1000000)::bytea AS row, seal")


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("query", ENDLESS)
def test_a_server_that_never_stops_sending(
    published: Published,
    spoiled: ServedDatabase,
    scan: Callable[[str], Ended],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    query: str,
) -> None:
    for name in ("_MOST_BYTES", "_MOST_BYTES_OF_SOURCES"):
        monkeypatch.setattr(store, name, 1 << 20)
    many = "(SELECT generate_series(0, 2000000000) AS many, id, row, seal FROM {kept})"
    replace(spoiled, published.root, kind, f"SELECT {query} FROM {many} AS multiplied")
    check(scan(pinned(spoiled, published.root)), "sent more than was asked for", spoiled)


@pytest.mark.parametrize("kind", TABLES)
def test_a_server_that_is_slow(
    published: Published,
    spoiled: ServedDatabase,
    scan: Callable[[str], Ended],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    monkeypatch.setattr(BoundedConnection.allow, "__defaults__", (0.3,))
    replace(spoiled, published.root, kind, "SELECT id, row, seal FROM {kept}, pg_sleep(20)")
    check(scan(pinned(spoiled, published.root)), "no answer within", spoiled)


@pytest.mark.parametrize("kind", TABLES)
def test_a_server_that_gives_up(
    published: Published,
    spoiled: ServedDatabase,
    scan: Callable[[str], Ended],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    monkeypatch.setattr(store, "_STATEMENT_MILLISECONDS", "200")
    replace(spoiled, published.root, kind, "SELECT id, row, seal FROM {kept}, pg_sleep(20)")
    check(scan(pinned(spoiled, published.root)), "statement timeout", spoiled)


# ---- keys ----------------------------------------------------------------------------------------------------------


def test_another_key(
    published: Published, scan: Callable[[str], Ended], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_key(tmp_path / "other.key")
    monkeypatch.setenv("WINNOW_CI_INDEX_KEY", str(tmp_path / "other.key"))
    check(scan(published.uri), "under a key other than yours", published.database)


def test_another_key_with_the_tables_of_the_right_one(
    published: Published,
    spoiled: ServedDatabase,
    scan: Callable[[str], Ended],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    was = spoiled.version(published.root)
    write_key(tmp_path / "other.key")
    monkeypatch.setenv("WINNOW_CI_INDEX_KEY", str(tmp_path / "other.key"))
    now = replaced(spoiled, key=tmp_path / "other.key").version(published.root)
    for kind in TABLES:
        spoiled.rows(f"ALTER TABLE winnow_ci.{kind}_{was.suffix} RENAME TO {kind}_{now.suffix}")
    spoiled.rows("UPDATE winnow_ci.version SET key = %s WHERE root = %s", now.key, published.root)
    check(scan(pinned(spoiled, published.root)), "its description", spoiled)


def test_no_key(published: Published, scan: Callable[[str], Ended], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WINNOW_CI_INDEX_KEY")
    check(scan(published.uri), "is not set", published.database)


# ---- the way to the server -----------------------------------------------------------------------------------------


def through(published: Published, line: UnreliableLine) -> str:
    return f"{published.database.uri(port=line.port)}#default@{published.root}"


def test_a_line_that_works(published: Published, scan: Callable[[str], Ended]) -> None:
    with between(UnreliableLine(published.database.server.port)) as line:
        assert scan(through(published, line)).status == ExitStatus.FINDINGS
    assert line.received > CUTS[-1]


CUTS = (0, 1, 50, 300, 600, 900, 1200, 1500, 2000, 2500, 3000, 4000)


@pytest.mark.parametrize("after", CUTS)
def test_a_line_that_is_cut(published: Published, scan: Callable[[str], Ended], after: int) -> None:
    with between(UnreliableLine(published.database.server.port, cut_after=after)) as line:
        check(scan(through(published, line)), "cannot", published.database)


@pytest.mark.parametrize("after", CUTS[::3])
def test_a_line_that_stalls(
    published: Published, scan: Callable[[str], Ended], monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    monkeypatch.setattr(BoundedConnection.allow, "__defaults__", (0.5,))
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "2")
    with between(UnreliableLine(published.database.server.port, stall_after=after)) as line:
        check(scan(through(published, line)), "cannot", published.database)


@pytest.mark.parametrize(
    "greeting", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"N", b"R\0\0\0\x08\0\0\0\0", b"E" * 9000]
)
def test_another_server(published: Published, scan: Callable[[str], Ended], greeting: bytes) -> None:
    with between(UnreliableLine(None, greeting=greeting)) as line:
        check(scan(through(published, line)), "cannot connect", published.database)


class SilentAtFirst(UnreliableLine):
    """A line that passes nothing on until it may."""

    may = threading.Event()

    def _connected(self, client: socket.socket) -> None:
        if self.may.wait(30):
            super()._connected(client)


def test_the_change_is_read_while_a_server_keeps_silent(
    published: Published, scan: Callable[[str], Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = scanner.read_ahead

    def telling(*arguments: Any) -> Any:
        files = read(*arguments)
        line.may.set()
        return files

    monkeypatch.setattr(scanner, "read_ahead", telling)
    with between(SilentAtFirst(published.database.server.port)) as line:
        assert scan(through(published, line)).status == ExitStatus.FINDINGS


def test_an_index_that_nobody_waits_for_is_left(published: Published) -> None:
    server = published.database.server
    with between(UnreliableLine(server.port, delay=0.05)) as line:
        place = parse_index_reference(through(published, line))
        assert isinstance(place, ServedIndex)
        with ExitStack() as stack:
            opened = start_opening(place, stack)
        opened()
        assert line.turns > 3
    given_up = time.monotonic() + 60
    while published.database.rows("SELECT 1 FROM pg_stat_activity WHERE usename = 'scanner'"):
        assert time.monotonic() < given_up
        time.sleep(0.02)


def test_no_server(published: Published, scan: Callable[[str], Ended]) -> None:
    with between(UnreliableLine(None)) as line:
        pass
    check(scan(through(published, line)), "cannot connect", published.database)


def test_a_server_that_is_killed(
    published: Published, scan: Callable[[str], Ended], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = published.database.server
    some = store.PostgresqlStore._some

    def killing(*arguments: object) -> object:
        server.stop()
        return some(*arguments)

    monkeypatch.setattr(store.PostgresqlStore, "_some", killing)
    try:
        check(scan(published.uri), "cannot read the index", published.database)
    finally:
        server.start()
