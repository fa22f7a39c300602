"""Connect to a database, and describe what it has: schema and roles, and the tables of each version.

A version is an index under a name, a root and a key. It has a row in ``version``, with its description, and three
tables of its own, ``block_…``, ``content_…`` and ``source_…``, whose names end with a digest of name, root and key. So
a scan knows its tables before it asks anything. All that it reads are rows of id, encrypted bytes and seal.

A connection has the user's own credentials, is verified, and is bounded in time and size. A password never comes from
us: libpq takes it from where PostgreSQL's own clients do (PGPASSFILE, ~/.pgpass, a service file, certificates,
Kerberos). A URI may come from a stranger's configuration, so a server that is not on this machine must have a
certificate for its name, and it gets no password in the clear, unless PGREQUIREAUTH says so.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import conninfo, pq, sql
from psycopg.waiting import Ready

from winnow_ci import system
from winnow_ci.errors import IndexFileError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from psycopg.abc import PQGen
    from typing_extensions import LiteralString

_RV = TypeVar("_RV")

_CONNECT_SECONDS = 10
# For the rows of one question; the server is asked to give up a second earlier, so that it can say so.
ANSWER_SECONDS = 30.0
# The first libpq that knows which kinds of authentication are acceptable.
_REQUIRE_AUTH_SINCE = 160000
_LONGEST_MESSAGE = 200
_SIZE = struct.Struct("i")
# libpq always has this much room for what it reads at a time, or makes it (pqReadData).
_LEAST_READ = 8192

_SLOW = "try again, or find out why the server is slow"
_REMEDIES = (
    (
        "certificate",
        "give libpq the certificate that signed the server's (PGSSLROOTCERT); the host name in the URI must match",
    ),
    ("does not support SSL", "turn on TLS at the server: winnow-ci sends nothing to another machine without it"),
    ("SSL", "check whether the server's TLS works: psql with sslmode=verify-full"),
    ("cleartext password", "set the server to scram-sha-256, or allow another method with PGREQUIREAUTH"),
    ("no password supplied", "give libpq your password in a file that only you can read: PGPASSFILE, or ~/.pgpass"),
    ("authentication failed", "correct the user in the URI or PGUSER, or the password in PGPASSFILE or ~/.pgpass"),
    ("no pg_hba.conf entry", "add a line for yourself to the server's pg_hba.conf"),
    ("sends more", "ask whoever runs the server: PostgreSQL itself does not"),
    ("no answer", _SLOW),
    ("timeout", _SLOW),
    ("permission denied", "ask for the role winnow_ci_reader, or winnow_ci_publisher to publish"),
    ("database", "name a database that the server has: postgresql://USER@HOST:PORT/DATABASE"),
    ("role", "name a user that the server knows: postgresql://USER@HOST:PORT/DATABASE"),
    ("too many", "try again, or let the server accept more connections"),
)
_CONNECT_REMEDY = "check that the server runs and is reachable from here, with: psql"
_AGAIN = "run it again; if it happens again, see the server's log"


class AnswerError(Exception):
    """A server has sent more than was asked for, or has not answered in time."""


class BoundedConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that bounds the bytes and seconds of an answer, whatever the server does."""

    _left: float = float("inf")
    _given_up: float = float("inf")

    def allow(self, size: float, seconds: float = ANSWER_SECONDS) -> None:
        """Let the answers from now on have about ``size`` bytes, and come within some seconds."""
        self._left, self._given_up = size, time.monotonic() + seconds

    def wait(self, gen: PQGen[_RV], *arguments: Any, **more: Any) -> _RV:
        """Do what ``psycopg.Connection.wait`` does; AnswerError if more comes than ``allow`` says, or comes later."""
        return super().wait(self._bounded(gen), *arguments, **more)

    def _bounded(self, gen: PQGen[_RV]) -> PQGen[_RV]:
        try:
            state = next(gen)
            while True:
                ready = yield state
                before = self._waiting_bytes() if ready & Ready.R else 0
                state = gen.send(ready)
                # More may have come meanwhile, so this is the least that was read.
                self._left -= max(before - self._waiting_bytes(), min(before, _LEAST_READ))
                if self._left < 0:
                    raise AnswerError("the server sent more than was asked for")
                if time.monotonic() > self._given_up:
                    raise AnswerError(f"no answer within {ANSWER_SECONDS:.0f} seconds")
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _waiting_bytes(self) -> int:
        """The bytes that have come and that nobody has read."""
        return system.waiting_bytes(self.pgconn.socket)


def connect(server: str, called: str) -> BoundedConnection:
    """Connect to a database, given its URI without a password; an IndexFileError calls it ``called``."""
    with explained(called, "cannot connect", _CONNECT_REMEDY):
        made = BoundedConnection.connect(server, **settings(server))
    # Ignore what a server says beside its answers.
    made.add_notice_handler(lambda _: None)
    return made


def settings(server: str) -> dict[str, Any]:
    """Return what libpq must know beyond the URI and the user's own settings."""
    given = conninfo.conninfo_to_dict(server)
    defaults = pq.Conninfo.get_defaults()
    usual = {option.keyword.decode(): option.val.decode() for option in defaults if option.val is not None}
    chosen: dict[str, Any] = {"fallback_application_name": "winnow-ci"}
    if "connect_timeout" not in given.keys() | usual.keys():
        chosen["connect_timeout"] = _CONNECT_SECONDS
    hosts = f"{given.get('host') or usual.get('host') or ''},{usual.get('hostaddr') or ''}"
    # A service names its host itself, where only libpq sees it.
    if not all(map(_is_local, hosts.split(","))) or usual.get("service"):
        chosen["sslmode"] = "verify-full"
        if pq.version() >= _REQUIRE_AUTH_SINCE and not usual.get("require_auth"):
            chosen["require_auth"] = "!password,!md5"
    return chosen


def _is_local(host: str) -> bool:
    """Return whether a host is a socket or the loopback address; a name may be anything but ``localhost``."""
    if host.startswith(("/", "@")) or host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def explained(called: str, what: str, remedy: str = _AGAIN) -> Iterator[None]:
    """Raise what goes wrong with a server as ``IndexFileError``; the remedy is for what has no better one."""
    try:
        yield
    except (AnswerError, psycopg.Error, UnicodeError) as error:
        said = _said(error)
        known = next((known for part, known in _REMEDIES if part in said), remedy)
        raise IndexFileError(f"{called}: {what}: {said}", known) from error


def _said(error: BaseException) -> str:
    """Return what went wrong on one line; a server may say anything."""
    first: BaseException | None = error
    while first is not None:
        # Leaving a pipeline that was given up is an error of its own.
        if isinstance(first, AnswerError):
            return str(first)
        first = first.__context__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if "failed: " in line), lines[0] if lines else type(error).__name__)
    return said.rpartition("failed: ")[2][:_LONGEST_MESSAGE] if "connection" in said else said[:_LONGEST_MESSAGE]


PUBLISHER = "winnow_ci_publisher"
# Of everything in a version's tables; a version of another layout is not read.
LAYOUT = 2
_SUFFIX_BYTES = 8
_HEXADECIMAL = re.compile("[0-9a-f]{32}")


def setup_script() -> str:
    """Return what whoever runs a server has psql do once."""
    return Path(__file__).with_name("setup.sql").read_text(encoding="utf-8")


class Version(NamedTuple):
    """A version of an index, as its row in ``version`` names it."""

    name: str  # of the index on the server
    root: str  # its digest, in lower-case hexadecimal
    key: bytes  # name of the key (``IndexKey.name``)

    @property
    def suffix(self) -> str:
        """Return the end of the names of its tables."""
        parts = b"\0".join((self.name.encode(), self.root.encode(), self.key))
        return hashlib.blake2b(parts, digest_size=_SUFFIX_BYTES).hexdigest()

    def table(self, kind: str) -> sql.Identifier:
        """Return the name of its block, content or source table."""
        return sql.Identifier("winnow_ci", f"{kind}_{self.suffix}")

    def statement(self, text: LiteralString, *kinds: str) -> sql.Composed:
        """Put the names of some of its tables, or of all, into a statement."""
        return sql.SQL(text).format(sql.SQL(", ").join(map(self.table, kinds or ("block", "content", "source"))))


SELECT_DESCRIPTION = (
    "SELECT layout, salt, description, seal FROM winnow_ci.version WHERE name = %s AND root = %s AND key = %s"
)
INSERT_VERSION = (
    "INSERT INTO winnow_ci.version (name, root, key, layout, suffix, salt, description, seal)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
)
DELETE_VERSION = "DELETE FROM winnow_ci.version WHERE name = %s AND root = %s AND key = %s"
_SELECT_VERSIONS = (
    "SELECT name, root, key FROM winnow_ci.version WHERE name = %s ORDER BY published DESC, root LIMIT 100"
)
SELECT_SOME = "SELECT id, row, seal FROM {} WHERE id = ANY (%s::int8[])"
SELECT_ALL = "SELECT id, row, seal FROM {}"
LOCK_TO_READ = "LOCK TABLE {} IN ACCESS SHARE MODE"
LOCK_TO_DROP = "LOCK TABLE {} IN ACCESS EXCLUSIVE MODE NOWAIT"
DROP = "DROP TABLE {}"
# A table must be filled in the transaction that creates it. What is encrypted cannot be compressed.
CREATE = (
    "CREATE TABLE {} (id bigint NOT NULL, row bytea NOT NULL, seal bytea NOT NULL)",
    "ALTER TABLE {} ALTER row SET STORAGE EXTERNAL, ALTER seal SET STORAGE PLAIN",
)
FILL = "COPY {} (id, row, seal) FROM STDIN (FORMAT binary, FREEZE)"
COMPLETE = (
    "ALTER TABLE {} ADD PRIMARY KEY (id) WITH (fillfactor = 100)",
    "ANALYZE {}",
    "GRANT SELECT ON {} TO winnow_ci_reader",
)


def published_versions(connection: BoundedConnection, name: str, called: str) -> list[Version]:
    """List the versions that a server says it has, the newest first, none of it authentic; or an IndexFileError."""
    with explained(called, "the list of indexes cannot be read"):
        try:
            rows = connection.execute(_SELECT_VERSIONS, [name], binary=True).fetchall()
        except psycopg.errors.UndefinedTable as error:
            problem = f"{called}: the database is not set up for indexes of winnow-ci"
            raise IndexFileError(problem, "set it up: winnow-ci index publish --print-schema | psql URI") from error
    return [Version._make(row) for row in rows if tuple(map(type, row)) == (str, str, bytes) and row[0] == name]


def newest_version(server: str, name: str, called: str, key: bytes) -> Version:
    """Return the newest version published under the key with this name; IndexFileError if there is none."""
    with connect(server, called) as connection:
        there = published_versions(connection, name, called)
    if found := next((one for one in there if one.key == key), None):
        return found
    raise _under_another_key(called) if there else _no_index(called, name)


def missing(called: str, wanted: Version, there: Sequence[Version]) -> IndexFileError:
    """Explain why a server lacks a version, given those of its name that it says it has."""
    if wanted in there:
        problem = f"{called}: the tables of the index are gone"
        return IndexFileError(problem, "publish it again: winnow-ci index publish")
    if wanted.root in {one.root for one in there}:
        return _under_another_key(called)
    roots = [one.root for one in there if _HEXADECIMAL.fullmatch(one.root)]
    if not roots:
        return _no_index(called, wanted.name)
    problem = f"{called}: the server no longer has the index with root {wanted.root}; its newest has {roots[0]}"
    return IndexFileError(problem, f"if whoever publishes it confirms it, pin that one: #{wanted.name}@{roots[0]}")


def _under_another_key(called: str) -> IndexFileError:
    problem = f"{called} was published under a key other than yours"
    return IndexFileError(problem, "set WINNOW_CI_INDEX_KEY to the file with the key of its publisher")


def _no_index(called: str, name: str) -> IndexFileError:
    problem = f"{called}: the server has no index named {name}"
    return IndexFileError(problem, "correct the name after # in the URI, or publish it: winnow-ci index publish")
