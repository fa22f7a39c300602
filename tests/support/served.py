"""An index on a real server, published by one user and read by another."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from psycopg import sql

from winnow_ci import cli
from winnow_ci.index import WholeIndex
from winnow_ci.serving import server_opener
from winnow_ci.serving.database import Version, setup_script
from winnow_ci.serving.sealing import read_key, write_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

    from support.postgresql import PostgreSQLServer
    from winnow_ci.index import IndexReader
    from winnow_ci.serving.sealing import RowKeys

PASSWORDS = {"nightly": "publishing-secret", "scanner": "scanning-secret"}


def prepare(server: PostgreSQLServer, database: str) -> None:
    """Set a database up, as its administrator does: ``nightly`` publishes, ``scanner`` scans."""
    with server.superuser(database) as connection:
        connection.execute(setup_script())
        for user, password in PASSWORDS.items():
            if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [user]).fetchall():
                made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(user), sql.Literal(password))
                connection.execute(made)
        connection.execute("GRANT winnow_ci_publisher TO nightly")
        connection.execute("GRANT winnow_ci_reader TO scanner")


@dataclass(frozen=True)
class ServedDatabase:
    """A database that is set up, and what its users have.

    Attributes:
        server: that it is on.
        name: of the database.
        key: file of the index key.
        passwords: a file for libpq.
    """

    server: PostgreSQLServer
    name: str
    key: Path
    passwords: Path

    @classmethod
    def prepared(cls, server: PostgreSQLServer, name: str, folder: Path) -> ServedDatabase:
        """One in a database that is there, without an index; ``folder`` gets the files of its users."""
        prepare(server, name)
        write_key(folder / "org.key")
        passwords = folder / "passwords"
        passwords.write_text("".join(f"*:*:*:{user}:{password}\n" for user, password in PASSWORDS.items()))
        passwords.chmod(0o600)
        return cls(server, name, folder / "org.key", passwords)

    def uri(self, user: str = "scanner", port: int | None = None) -> str:
        """Its address: by the socket, or by a port of the loopback address."""
        host = f"127.0.0.1:{port}" if port else f"{quote(str(self.server.folder), safe='')}:{self.server.port}"
        return f"postgresql://{user}@{host}/{self.name}"

    def settings(self) -> dict[str, str]:
        """Variables of its users."""
        return {"WINNOW_CI_INDEX_KEY": str(self.key), "PGPASSFILE": str(self.passwords)}

    def enter(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Be one of its users."""
        for name, value in self.settings().items():
            monkeypatch.setenv(name, value)

    def publish(self, index: Path, name: str = "default", *options: str) -> str:
        """Publish an index, which must succeed; returns its root."""
        assert cli.main(["index", "publish", str(index), f"{self.uri('nightly')}#{name}", *options]) == 0
        with WholeIndex(index) as opened_index:
            return opened_index.digest

    def opened(self, root: str, name: str = "default", port: int | None = None) -> IndexReader:
        """Open one of its indexes for reading."""
        return server_opener(self.uri(port=port), name, root, f"postgresql://…/{self.name}#{name}", self.settings())()

    def version(self, root: str, name: str = "default") -> Version:
        """A version of an index in it."""
        return Version(name, root, read_key(self.settings()).name)

    def keys(self, root: str, name: str = "default") -> RowKeys:
        """What protects a version of an index in it."""
        query = "SELECT salt FROM winnow_ci.version WHERE (name, root, key) = (%s, %s, %s)"
        ((salt,),) = self.rows(query, *self.version(root, name))
        return read_key(self.settings()).keys_of(root, salt)

    def tables(self) -> set[str]:
        """The names of all tables of versions."""
        rows = self.rows(
            "SELECT relname FROM pg_class WHERE relnamespace = 'winnow_ci'::regnamespace AND relkind = 'r'"
        )
        return {name for (name,) in rows} - {"version"}

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What the administrator gets for a query."""
        with self.server.superuser(self.name) as connection:
            done = connection.execute(query, values or None)
            return done.fetchall() if done.description else []

    @contextmanager
    def copy(self, name: str) -> Iterator[ServedDatabase]:
        """The same in a database that a test may spoil."""
        with self.server.database(name, template=self.name):
            yield ServedDatabase(self.server, name, self.key, self.passwords)


class Published(NamedTuple):
    """An index in a file, and on a server, with the root of an older one of its name there."""

    file: Path
    root: str
    older: str
    database: ServedDatabase

    @property
    def uri(self) -> str:
        """What names it where one scans."""
        return f"{self.database.uri()}#default@{self.root}"
