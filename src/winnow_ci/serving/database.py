"""What a database has: the schema and roles that an administrator makes, and the tables of each published version.

A version is an index under a name, a root and a key. It has a row in ``version``, with its description, and three
tables of its own, ``block_…``, ``content_…`` and ``source_…``, whose names end with a digest of name, root and key; so
a scan knows its tables before it has asked anything. All that it reads are rows of id, encrypted bytes and seal.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from winnow_ci.errors import IndexFileError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.serving.connection import explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import LiteralString

    from winnow_ci.serving.connection import BoundedConnection

SCHEMA = "winnow_ci"
PUBLISHER = "winnow_ci_publisher"
# Of everything in a version's tables; a version of another layout is not read.
LAYOUT = 1
KINDS = ("block", "content", "source")
_SUFFIX_BYTES = 8

SETUP = """\
-- Run this once in the database that is to serve indexes of winnow-ci, as a user that may create roles, with psql.
-- It changes nothing that is there already.
BEGIN;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'winnow_ci_publisher') THEN
    CREATE ROLE winnow_ci_publisher NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'winnow_ci_reader') THEN
    CREATE ROLE winnow_ci_reader NOLOGIN;
  END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS winnow_ci;
REVOKE ALL ON SCHEMA winnow_ci FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA winnow_ci TO winnow_ci_publisher;
GRANT USAGE ON SCHEMA winnow_ci TO winnow_ci_reader;
CREATE TABLE IF NOT EXISTS winnow_ci.version (
  name text NOT NULL,
  root text NOT NULL,
  key bytea NOT NULL,
  layout integer NOT NULL,
  published timestamp with time zone NOT NULL DEFAULT now(),
  suffix text NOT NULL UNIQUE,
  salt bytea NOT NULL,
  description bytea NOT NULL,
  seal bytea NOT NULL,
  PRIMARY KEY (name, root, key)
);
REVOKE ALL ON winnow_ci.version FROM PUBLIC;
GRANT SELECT, INSERT, DELETE ON winnow_ci.version TO winnow_ci_publisher;
GRANT SELECT ON winnow_ci.version TO winnow_ci_reader;
COMMIT;
-- Then say who publishes and who scans, for example:
--   GRANT winnow_ci_publisher TO nightly;
--   GRANT winnow_ci_reader TO alice, bob, ci;
"""


class Version(NamedTuple):
    """A version of an index, as its row in ``version`` names it.

    Attributes:
        name: of the index on the server.
        root: its digest, in lower-case hexadecimal.
        key: name of the key (``IndexKey.name``).
    """

    name: str
    root: str
    key: bytes

    @property
    def suffix(self) -> str:
        """What the names of its tables end with."""
        parts = b"\0".join((self.name.encode(), self.root.encode(), self.key))
        return hashlib.blake2b(parts, digest_size=_SUFFIX_BYTES).hexdigest()

    def table(self, kind: str) -> sql.Identifier:
        """The name of one of its tables."""
        return sql.Identifier(SCHEMA, f"{kind}_{self.suffix}")


SELECT_DESCRIPTION = sql.SQL(
    "SELECT layout, salt, description, seal FROM {} WHERE name = %s AND root = %s AND key = %s"
).format(sql.Identifier(SCHEMA, "version"))
_SELECT_VERSIONS = sql.SQL(
    "SELECT name, root, key FROM {} WHERE name = %s ORDER BY published DESC, root LIMIT 100"
).format(sql.Identifier(SCHEMA, "version"))
INSERT_VERSION = sql.SQL(
    "INSERT INTO {} (name, root, key, layout, suffix, salt, description, seal) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
).format(sql.Identifier(SCHEMA, "version"))
DELETE_VERSION = sql.SQL("DELETE FROM {} WHERE name = %s AND root = %s AND key = %s").format(
    sql.Identifier(SCHEMA, "version")
)
_HEXADECIMAL = re.compile("[0-9a-f]{32}")


def versions(connection: BoundedConnection, name: str, called: str) -> list[Version]:
    """The versions of an index that a server says it has, the newest first; nothing of it is authentic.

    Raises:
        IndexFileError: it has no indexes at all, or cannot be read.
    """
    with explained(called, "the list of indexes cannot be read"):
        try:
            rows = connection.execute(_SELECT_VERSIONS, [name], binary=True).fetchall()
        except psycopg.errors.UndefinedTable as error:
            problem = f"{called}: the database is not set up for indexes of winnow-ci"
            raise IndexFileError(problem, "set it up: winnow-ci index publish --print-schema | psql URI") from error
    return [Version._make(row) for row in rows if tuple(map(type, row)) == (str, str, bytes) and row[0] == name]


def missing(called: str, wanted: Version, there: Sequence[Version]) -> IndexFileError:
    """What is wrong if a server lacks a version, given those of its name that it says it has."""
    if wanted.root in {one.root for one in there}:
        if wanted in there:
            return IndexFileError(
                f"{called}: the tables of the index are gone", "publish it again: winnow-ci index publish"
            )
        problem = f"{called} was published under another key than the one that is named here"
        return IndexFileError(problem, "set WINNOW_CI_INDEX_KEY to the file of the key under which it was published")
    roots = [one.root for one in there if _HEXADECIMAL.fullmatch(one.root)]
    if not roots:
        problem = f"{called}: the server has no index of the name {wanted.name}"
        return IndexFileError(problem, "correct the name after # in the URI, or publish it: winnow-ci index publish")
    problem = f"{called}: the server no longer has the index with root {wanted.root}; its newest has {roots[0]}"
    return IndexFileError(problem, f"pin that one, if whoever publishes it confirms it: #{wanted.name}@{roots[0]}")


def select_some(version: Version, kind: str) -> sql.Composed:
    """The statement that reads some rows of a table, given their ids as PostgreSQL writes an array."""
    return sql.SQL("SELECT id, row, seal FROM {} WHERE id = ANY (%s::int8[])").format(version.table(kind))


def select_all(version: Version, kind: str) -> sql.Composed:
    """The statement that reads all rows of a table, in any order."""
    return sql.SQL("SELECT id, row, seal FROM {}").format(version.table(kind))


def lock(version: Version, mode: LiteralString) -> sql.Composed:
    """The statement that locks all tables of a version, in a mode of PostgreSQL."""
    tables = sql.SQL(", ").join(map(version.table, KINDS))
    return sql.SQL("LOCK TABLE {} IN {}").format(tables, sql.SQL(mode))


def create(version: Version, kind: str) -> list[sql.Composed]:
    """The statements that make one of the tables of a version, which must be filled in the same transaction."""
    made = sql.SQL("CREATE TABLE {} (id bigint NOT NULL, row bytea NOT NULL, seal bytea NOT NULL)")
    # What is encrypted cannot be compressed.
    stored = sql.SQL("ALTER TABLE {} ALTER row SET STORAGE EXTERNAL, ALTER seal SET STORAGE PLAIN")
    return [statement.format(version.table(kind)) for statement in (made, stored)]


def copy(version: Version, kind: str) -> sql.Composed:
    """The statement that fills one of the tables of a version."""
    return sql.SQL("COPY {} (id, row, seal) FROM STDIN (FORMAT binary, FREEZE)").format(version.table(kind))


def complete(version: Version, kind: str) -> list[sql.Composed]:
    """The statements that make a filled table ready to be read."""
    statements = (
        "ALTER TABLE {} ADD PRIMARY KEY (id) WITH (fillfactor = 100)",
        "ANALYZE {}",
        "GRANT SELECT ON {} TO winnow_ci_reader",
    )
    return [sql.SQL(statement).format(version.table(kind)) for statement in statements]


def drop(version: Version) -> sql.Composed:
    """The statement that removes the tables of a version."""
    return sql.SQL("DROP TABLE {}").format(sql.SQL(", ").join(map(version.table, KINDS)))
