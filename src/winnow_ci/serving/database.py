"""Describe what a database has: schema and roles, which an administrator makes, and the tables of each version.

A version is an index under a name, a root and a key. It has a row in ``version``, with its description, and three
tables of its own, ``block_…``, ``content_…`` and ``source_…``, whose names end with a digest of name, root and key. So
a scan knows its tables before it asks anything. All that it reads are rows of id, encrypted bytes and seal.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from winnow_ci.errors import IndexFileError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.serving.connection import connect, explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import LiteralString

    from winnow_ci.serving.connection import BoundedConnection

PUBLISHER = "winnow_ci_publisher"
# Of everything in a version's tables; a version of another layout is not read.
LAYOUT = 2
_SUFFIX_BYTES = 8
_HEXADECIMAL = re.compile("[0-9a-f]{32}")

SETUP = """\
-- Run this once with psql, in the database that will serve indexes of winnow-ci, as a user that may create roles.
-- It changes nothing that already exists.
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

    def statement(self, text: LiteralString, kind: str) -> sql.Composed:
        """Put the name of one of its tables into a statement."""
        return sql.SQL(text).format(self.table(kind))

    def statement_of_all(self, text: LiteralString) -> sql.Composed:
        """Put the names of all its tables into a statement."""
        return sql.SQL(text).format(sql.SQL(", ").join(map(self.table, ("block", "content", "source"))))


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
    """List the versions of an index that a server says it has, the newest first; nothing of it is authentic.

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


def newest_version(server: str, name: str, called: str, key: bytes) -> Version:
    """Return the newest version of an index that was published under the key with this name.

    Raises:
        IndexFileError: cannot query the server, or has no such index.
    """
    with connect(server, called) as connection:
        there = published_versions(connection, name, called)
    for one in there:
        if one.key == key:
            return one
    raise _under_another_key(called) if there else _no_index(called, name)


def missing(called: str, wanted: Version, there: Sequence[Version]) -> IndexFileError:
    """Explain why a server lacks a version, given those of its name that it says it has."""
    if wanted in there:
        return IndexFileError(
            f"{called}: the tables of the index are gone", "publish it again: winnow-ci index publish"
        )
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
