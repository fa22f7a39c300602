"""A real PostgreSQL server, started and stopped by the tests, with a certificate that only they trust.

It listens at a socket in its own folder and at a port of its own on the loopback address. PostgreSQL refuses to run as
root, so root starts it as ``nobody``. A machine without PostgreSQL skips these tests and says so. With
``REQUIRE_POSTGRESQL`` in its environment, as ``.ci/run`` sets it, it fails.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import trustme
from psycopg import sql

if TYPE_CHECKING:
    from collections.abc import Iterator

REQUIRED = bool(os.environ.get("REQUIRE_POSTGRESQL"))
# A name for which the server has a certificate, and which leads nowhere: tests give the address by PGHOSTADDR.
HOST = "db.winnow.test"
_UNPRIVILEGED = "nobody"
_MISSING = "no PostgreSQL server on this machine, so no index was served; on Debian: apt-get install postgresql"
_SECONDS_TO_START = 60.0
_SETTINGS = {
    # Nothing here outlives the tests, but what is committed outlives a server that they kill.
    **dict.fromkeys(("fsync", "full_page_writes", "autovacuum"), "off"),
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "32MB",
    "max_connections": "120",
    "listen_addresses": "127.0.0.1",
    "log_min_messages": "warning",
    "password_encryption": "scram-sha-256",
    "ssl": "on",
}
_AUTHENTICATION = """\
local all postgres trust
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
"""


def programs() -> Path | None:
    """The folder of the newest server on the machine; Debian keeps it out of the path."""
    if found := shutil.which("postgres"):
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name), default=None)


@dataclass
class PostgreSQLServer:
    """A server that is running.

    Attributes:
        folder: has its socket, its data, its log, and the certificate of who signed its own.
        port: on the loopback address, and in the name of the socket.
        owner: how its processes are started.
    """

    folder: Path
    port: int
    programs: Path
    owner: dict[str, Any]
    process: subprocess.Popen[bytes] | None = None

    @property
    def authority(self) -> Path:
        return self.folder / "authority.pem"

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def local(self, database: str, user: str = "postgres") -> str:
        """The address of a database through the socket."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def superuser(self, database: str = "postgres") -> psycopg.Connection[tuple[Any, ...]]:
        """A connection that may do anything."""
        # A test may have set the address by which others find the server.
        place = {"host": str(self.folder), "hostaddr": "", "port": self.port}
        return psycopg.connect(**place, user="postgres", dbname=database, autocommit=True, connect_timeout=10)

    @contextmanager
    def database(self, name: str, template: str = "template1") -> Iterator[str]:
        """A database that is there as long as it is used."""
        made, like = sql.Identifier(name), sql.Identifier(template)
        with self.superuser() as connection:
            connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(made, like))
        yield name
        with self.superuser() as connection:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(made))

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.programs / "postgres", "-D", self.folder / "data"], stdout=log, stderr=log, **self.owner
            )
        given_up = time.monotonic() + _SECONDS_TO_START
        while True:
            with suppress(psycopg.OperationalError), self.superuser():
                return
            assert self.process.poll() is None, self.log
            assert time.monotonic() < given_up, self.log
            time.sleep(0.02)

    def stop(self) -> None:
        """End it at once, as a power failure would."""
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
            self.process = None


@contextmanager
def running() -> Iterator[PostgreSQLServer]:
    """A new server; without PostgreSQL the test is skipped."""
    if (found := programs()) is None:
        if REQUIRED:
            pytest.fail(_MISSING)
        pytest.skip(_MISSING)
    # The name of a socket may have 107 bytes, and others than root must reach it.
    folder = Path(tempfile.mkdtemp(prefix="winnow-pg-"))
    owner: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}}
    if os.geteuid() == 0:
        entry = pwd.getpwnam(_UNPRIVILEGED)
        owner |= {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    server = PostgreSQLServer(folder, _free_port(), found, owner)
    try:
        _prepare(server)
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _prepare(server: PostgreSQLServer) -> None:
    data = server.folder / "data"
    done = subprocess.run(
        [server.programs / "initdb", "--no-sync", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", data],
        capture_output=True,
        check=False,
        **server.owner,
    )
    assert done.returncode == 0, done.stderr.decode()
    authority = trustme.CA()
    certificate = authority.issue_cert(HOST)
    authority.cert_pem.write_to_path(str(server.authority))
    settings = {**_SETTINGS, "port": str(server.port), "unix_socket_directories": str(server.folder)}
    for name, text in {
        "postgresql.auto.conf": "".join(f"{key} = '{value}'\n" for key, value in settings.items()),
        "pg_hba.conf": _AUTHENTICATION,
        "server.crt": b"".join(blob.bytes() for blob in certificate.cert_chain_pems).decode(),
        "server.key": certificate.private_key_pem.bytes().decode(),
    }.items():
        _write(data / name, text, server.owner)


def _write(file: Path, text: str, owner: dict[str, Any]) -> None:
    """Write a file of the server, which refuses a key that others can read or own."""
    file.write_text(text)
    file.chmod(0o600)
    if "user" in owner:
        os.chown(file, owner["user"], owner["group"])


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
