"""An index on a PostgreSQL server as a store (see ``index.store.Store``).

A scan reads one version of an index in one read-only transaction, whose tables nobody drops before it ends. What it
reads together it asks for in one round trip: the description and the sources when it opens the index, then each batch
of blocks and each batch of contents.
"""

from __future__ import annotations

import zlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psycopg

from winnow_ci.errors import IndexFileError
from winnow_ci.index.store import StoredContent
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.serving import database
from winnow_ci.serving.connection import ANSWER_SECONDS, connect, explained
from winnow_ci.serving.index_key import SALT_BYTES
from winnow_ci.serving.packing import unpack_fields
from winnow_ci.serving.sealing import RowSealer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.index.store import StoredBlock, StoredText
    from winnow_ci.serving.index_key import IndexKey
    from winnow_ci.serving.packing import Field

# The row of ``source`` that has the licences of single files.
LICENCES = -1
# The number of the description where it is sealed.
DESCRIPTION = 0
# What an answer may have, beside so many bytes a row: many times of what a server of ours sends.
_MOST_BYTES = 1 << 20
_MOST_BYTES_OF_SOURCES = 64 << 20
_MOST_BYTES_A_BLOCK = 1 << 14
_MOST_BYTES_A_CONTENT = 1 << 20
_CONTENT_FIELDS = 7
_FILE_FIELDS = 4
# One second less than a scan waits.
_STATEMENT_MILLISECONDS = str(int(1000 * (ANSWER_SECONDS - 1)))


class _OpenedRow(NamedTuple):
    """A row of fields, decrypted: its number, the fields, and the seal that the server has of it."""

    number: int
    fields: list[Field]
    seal: bytes


class PostgresqlStore:
    """An index on a server, opened for reading.

    Args:
        server: URI of the database, without a password.
        name: of the index on the server.
        root: of the version.
        key: under which it was published.
        called: what people call it.

    Attributes:
        keys: of the version.
        round_trips: how many times the server was asked.

    Raises:
        IndexFileError: the server cannot be asked, or does not have that version.
    """

    blocks_a_query = 1 << 14

    def __init__(self, server: str, name: str, root: str, key: IndexKey, called: str) -> None:
        self.name = called
        self.round_trips = 0
        self._version = database.Version(name, root, key.name)
        self._key = key
        self._connection = connect(server, called)
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leave the server."""
        with suppress(psycopg.Error):
            self._connection.close()

    def damaged(self, what: str) -> IndexFileError:
        """The error to raise for something in the index that is damaged."""
        problem = f"the index {self.name} is damaged, or the server forges it: {what}"
        return IndexFileError(problem, "publish it again: winnow-ci index publish INDEX URI")

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Raise what goes wrong in decoding as ``IndexFileError``."""
        try:
            yield
        except (ValueError, IndexError, zlib.error) as error:
            raise self.damaged(str(error)) from error

    # ---- what a scan reads ---------------------------------------------------------------------------------------

    def meta(self) -> list[tuple[Any, Any]]:
        """All rows of ``meta``, by key."""
        return list(zip(self._description[::2], self._description[1::2], strict=True))

    def sources(self) -> list[tuple[Any, ...]]:
        """All rows of ``source``, by id."""
        return [(number, *fields, seal) for number, fields, seal in self._sources if number != LICENCES]

    def blocks(self, numbers: Sequence[int]) -> list[StoredBlock]:
        """Some blocks, by number."""
        return self._some("block", numbers, _MOST_BYTES_A_BLOCK)

    def contents(self, ids: Sequence[int]) -> list[StoredContent]:
        """Some contents, by id."""
        return [
            self._content(row) for row in self._opened("content", self._some("content", ids, _MOST_BYTES_A_CONTENT))
        ]

    def texts(self, ids: Sequence[int]) -> list[StoredText]:  # noqa: ARG002
        """No texts: none is ever published."""
        return []

    def licences(self) -> list[Any]:
        """The licences of files that have their own, each once."""
        return [licence for number, fields, _ in self._sources if number == LICENCES for licence in fields]

    # ---- asking --------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Begin the transaction, and read the description and the sources in one round trip."""
        connection = self._connection
        # psycopg would begin transactions with a round trip of its own, and prepare what is asked often.
        connection.autocommit, connection.prepare_threshold = True, None
        try:
            with self._asking(_MOST_BYTES_OF_SOURCES), connection.pipeline():
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                # Just-in-time compilation takes longer than any question of ours.
                connection.execute(
                    "SELECT set_config('jit', 'off', true), set_config('statement_timeout', %s, true)",
                    [_STATEMENT_MILLISECONDS],
                )
                described = connection.execute(database.SELECT_DESCRIPTION, self._version, binary=True)
                connection.execute(database.lock(self._version, "ACCESS SHARE MODE"))
                sources = connection.execute(database.select_all(self._version, "source"), binary=True)
        except IndexFileError as error:
            # It is not there, or not for us: say which of the two, and what is there instead.
            raise self._missing(error) from error.__cause__
        with self._asking(_MOST_BYTES, 0):
            salt, *sealed = self._checked_description(described.fetchall())
            self.keys = self._key.keys_of(self._version.root, salt)
            self._description = self._opened_description(*sealed)
            self._sources = self._opened("source", sorted(self._checked(sources.fetchall())))

    def _some(self, table: str, ids: Sequence[int], size: int) -> list[tuple[int, bytes, bytes]]:
        """Some rows of a table, by id, as they are there."""
        if not ids:
            return []
        with self._asking(_MOST_BYTES + size * len(ids)):
            # psycopg would write each number of a list by itself.
            array = f"{{{','.join(map(str, ids))}}}"
            rows = self._connection.execute(database.select_some(self._version, table), [array], binary=True)
            return sorted(self._checked(rows.fetchall()))

    @contextmanager
    def _asking(self, size: int, round_trips: int = 1) -> Iterator[None]:
        """Ask for an answer of some bytes, and raise what goes wrong as ``IndexFileError``."""
        self._connection.allow(size)
        self.round_trips += round_trips
        with explained(self.name, "the index cannot be read"):
            yield

    def _missing(self, error: IndexFileError) -> IndexFileError:
        """What is wrong if the tables of a version cannot be read."""
        if not isinstance(error.__cause__, psycopg.errors.UndefinedTable):
            return error
        try:
            with explained(self.name, "the server cannot be asked"):
                self._connection.rollback()
            self._connection.allow(_MOST_BYTES)
            there = database.versions(self._connection, self._version.name, self.name)
        except IndexFileError as other:
            return other
        return database.missing(self.name, self._version, there)

    # ---- what came -----------------------------------------------------------------------------------------------

    def _checked(self, rows: list[tuple[Any, ...]]) -> list[tuple[int, bytes, bytes]]:
        """Rows of id, encrypted bytes and seal, if that is what they are."""
        if any(tuple(map(type, row)) != (int, bytes, bytes) for row in rows):
            raise self.damaged("rows of another kind")
        return [(number, row, seal) for number, row, seal in rows]

    def _opened(self, table: str, rows: list[tuple[int, bytes, bytes]]) -> list[_OpenedRow]:
        """Rows of fields, decrypted, not yet compared with their seals."""
        sealer, number = RowSealer(self.keys, table), 0
        opened = []
        try:
            for number, row, seal in rows:
                opened.append(_OpenedRow(number, unpack_fields(sealer.crypted(number, row)), seal))
        except ValueError as error:
            raise self.damaged(f"{table} {number}") from error
        return opened

    def _checked_description(self, rows: list[tuple[Any, ...]]) -> tuple[bytes, bytes, bytes]:
        """The salt, the encrypted description and its seal, if that is what has come."""
        if len(rows) != 1 or tuple(map(type, rows[0])) != (int, bytes, bytes, bytes):
            raise self.damaged("its description is missing")
        layout, salt, encrypted, seal = rows[0]
        if layout != database.LAYOUT:
            problem = f"{self.name} was published by another winnow-ci, in layout {layout}, not {database.LAYOUT}"
            raise IndexFileError(problem, "publish and scan with one version of winnow-ci")
        if len(salt) != SALT_BYTES:
            raise self.damaged("its salt")
        return salt, encrypted, seal

    def _opened_description(self, encrypted: bytes, seal: bytes) -> list[Field]:
        """The description, decrypted, and compared with its seal, which shows another salt, too."""
        if RowSealer(self.keys, "version").seal(DESCRIPTION, encrypted) != seal:
            raise self.damaged("its description")
        ((_, fields, _),) = self._opened("version", [(DESCRIPTION, encrypted, seal)])
        return fields

    def _content(self, row: _OpenedRow) -> StoredContent:
        fields, rest = row.fields[:_CONTENT_FIELDS], row.fields[_CONTENT_FIELDS:]
        if len(fields) != _CONTENT_FIELDS or len(rest) % _FILE_FIELDS:
            raise self.damaged(f"content {row.number}")
        files = tuple(tuple(rest[start : start + _FILE_FIELDS]) for start in range(0, len(rest), _FILE_FIELDS))
        return StoredContent(row.number, tuple(fields), files, row.seal)
