"""The tables of a new index file, filled row by row in one order, so that equal rows give equal bytes."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.index import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Value: TypeAlias = "bytes | str | int | None"


class Tables:
    """An index file to fill.

    Attributes:
        digests: of all rows that have one, in the order in which they were added.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.digests: list[bytes] = []

    def add(self, table: str, rows: Iterable[tuple[Value, ...]]) -> None:
        """Add rows."""
        marks = ", ".join("?" * schema.COLUMNS[table])
        self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608

    def add_digested(self, table: str, rows: Iterable[tuple[tuple[Value, ...], bytes]]) -> None:
        """Add rows, each given with its digest, which becomes the last column."""
        self.add(table, self._with_digests(rows))

    def add_description(self, meta: dict[str, str]) -> None:
        """Add the table ``meta``, which comes last: it has the digest of everything else."""
        meta["digest"] = schema.index_digest(meta, self.digests)
        meta["meta_digest"] = schema.digest(*(part for row in sorted(meta.items()) for part in row)).hex()
        self.add("meta", sorted(meta.items()))

    def _with_digests(self, rows: Iterable[tuple[tuple[Value, ...], bytes]]) -> Iterator[tuple[Value, ...]]:
        for row, digest in rows:
            self.digests.append(digest)
            yield *row, digest


@contextmanager
def filling(path: Path) -> Iterator[Tables]:
    """Give the tables of an empty file.

    Raises:
        sqlite3.Error: the file could not be written.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for pragma in (f"page_size = {schema.PAGE_SIZE}", "journal_mode = OFF", "synchronous = OFF"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {schema.VERSION}")
        connection.execute("BEGIN")
        for create in schema.TABLES.values():
            connection.execute(create)
        yield Tables(connection)
        connection.execute("COMMIT")
    finally:
        connection.close()
