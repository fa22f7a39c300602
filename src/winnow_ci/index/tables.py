"""The tables of a new index file; they are filled row by row in one order, so that equal rows give equal bytes."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.index import schema
from winnow_ci.index.tree import DigestTree
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Value: TypeAlias = "bytes | str | int | None"


class DigestedRows(NamedTuple):
    """Rows of a table that follow each other, and where they are in the tree of digests (``tree``).

    Attributes:
        shard: that they belong to.
        rows: the last field of each is its digest.
        leaves: what the tree has of them, one after the other.
    """

    shard: int
    rows: Sequence[tuple[Value, ...]]
    leaves: bytes


def digested_row(fields: tuple[Value, ...], digest: bytes, shard: int, leaf: bytes | None = None) -> DigestedRows:
    """A row alone, given its fields without the digest; its leaf is the digest, if nothing else is named."""
    return DigestedRows(shard, [(*fields, digest)], leaf or digest)


class IndexTables:
    """The tables of an index file, to be filled.

    Attributes:
        tree: the digests of all rows that have one.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.tree = DigestTree()

    def add(self, table: str, rows: Iterable[tuple[Value, ...]]) -> None:
        """Add rows."""
        marks = ", ".join("?" * schema.COLUMNS[table])
        self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608

    def add_digested(self, table: str, groups: Iterable[DigestedRows], branch: str | None = None) -> None:
        """Add rows whose last column is their digest; ``branch``: of the tree, if it is not called like the table."""
        self.add(table, self._in_tree(groups, branch or table))

    def add_description(self, meta: dict[str, str]) -> None:
        """Fill the table ``meta``, which comes last as it holds the digest of all other rows."""
        meta["digest"] = self.tree.root(meta)
        meta["meta_digest"] = schema.digest(*(part for row in sorted(meta.items()) for part in row)).hex()
        self.add("meta", sorted(meta.items()))

    def _in_tree(self, groups: Iterable[DigestedRows], branch: str) -> Iterator[tuple[Value, ...]]:
        for shard, rows, leaves in groups:
            self.tree.add(branch, shard, leaves)
            yield from rows


@contextmanager
def filling(path: Path) -> Iterator[IndexTables]:
    """Open an empty file, yield its tables to be filled, and commit them.

    Raises:
        sqlite3.Error: the file cannot be written.
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
        yield IndexTables(connection)
        connection.execute("COMMIT")
    finally:
        connection.close()
