"""Connect to PostgreSQL with the user's own credentials, verified, and bounded in time and size.

A password never comes from us: libpq takes it from where PostgreSQL's own clients do (PGPASSFILE, ~/.pgpass, a service
file, certificates, Kerberos). A URI may come from a stranger's configuration, so a server that is not on this machine
must have a certificate for its name, and it gets no password in the clear, unless PGREQUIREAUTH says so.
"""

from __future__ import annotations

import fcntl
import ipaddress
import struct
import termios
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import conninfo, pq
from psycopg.waiting import Ready

from winnow_ci.errors import IndexFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg.abc import PQGen

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
    (
        "authentication failed",
        "correct the user in the URI or PGUSER, or the password in PGPASSFILE or ~/.pgpass",
    ),
    ("no pg_hba.conf entry", "add a line for yourself to the server's pg_hba.conf"),
    ("sends more", "ask whoever runs the server: PostgreSQL does not do that"),
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
        """Consume a generator operating on the connection, as ``psycopg.Connection.wait`` does.

        Raises:
            AnswerError: more bytes have come than are allowed, or they have not come in time.
        """
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
        """Count the bytes that have come and that nobody has read."""
        answer = fcntl.ioctl(self.pgconn.socket, termios.FIONREAD, bytes(_SIZE.size))
        return int(_SIZE.unpack(answer)[0])


def connect(server: str, called: str) -> BoundedConnection:
    """Connect to a database, given its URI without a password and what messages call it.

    Raises:
        IndexFileError: that is not possible.
    """
    with explained(called, "cannot connect", _CONNECT_REMEDY):
        made = BoundedConnection.connect(server, **settings(server))
    # Ignore what a server says beside its answers.
    made.add_notice_handler(lambda _: None)
    return made


def settings(server: str) -> dict[str, Any]:
    """Return what libpq must know beyond the URI and the user's own settings."""
    given = conninfo.conninfo_to_dict(server)
    usual = {
        option.keyword.decode(): option.val.decode() for option in pq.Conninfo.get_defaults() if option.val is not None
    }
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
    """Raise what goes wrong with a server as ``IndexFileError``.

    Messages name the server or index, and what was attempted; the remedy is for anything that has no better one.
    """
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
