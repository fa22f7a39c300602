"""Read an index from a PostgreSQL server (see ``index.store.Store``).

A scan reads one version of an index in one read-only transaction, whose tables nobody drops before it ends. It asks for
things that it needs together in one round trip: the description and the sources when it opens the index, then each
batch of blocks and each batch of contents.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray

from winnow_ci.arrays import among
from winnow_ci.errors import IndexFileError
from winnow_ci.index import ContentRow, PackedText
from winnow_ci.index.coding import first_unsound
from winnow_ci.index.content_packs import LARGEST_PACK
from winnow_ci.index.rows import FileRow, StoredValue, unpack_fields
from winnow_ci.index.store import BlockKind
from winnow_ci.serving import database
from winnow_ci.serving.database import ANSWER_SECONDS, connect, explained
from winnow_ci.serving.sealing import SALT_BYTES, IndexKey, RowSealer, known_bits, siphash, unsealed_postings

DESCRIPTION_ROW = 0  # the number under which the description is sealed
# The most bytes of an answer, and of each row in it: many times what a server of ours sends.
_MOST_BYTES = 1 << 20
_MOST_BYTES_OF_SOURCES = 64 << 20
_MOST_BYTES_A_BLOCK = 1 << 14
_MOST_BYTES_A_CONTENT = 1 << 20
_CONTENT_FIELDS = 6
_FILE_FIELDS = 4
# One second less than a scan waits.
_STATEMENT_MILLISECONDS = str(int(1000 * (ANSWER_SECONDS - 1)))


class PostgresqlStore:
    """A version of an index on a server, opened for reading; arguments and errors are as of ``serving.server_opener``.

    ``keys`` are those of the version, and ``round_trips`` counts the questions to the server.
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

    def close(self) -> None:  # noqa: D102
        with suppress(psycopg.Error):
            self._connection.close()

    def damaged(self, what: str) -> IndexFileError:  # noqa: D102
        problem = f"the index {self.name} is damaged, or the server forges it: {what}"
        return IndexFileError(problem, "publish it again: winnow-ci index publish INDEX URI")

    @contextmanager
    def guard(self) -> Iterator[None]:  # noqa: D102
        try:
            yield
        except (ValueError, IndexError, zlib.error) as error:
            raise self.damaged(str(error)) from error

    def meta(self) -> list[tuple[Any, Any]]:  # noqa: D102
        return list(zip(self._description[::2], self._description[1::2], strict=True))

    def sources(self) -> list[tuple[Any, ...]]:  # noqa: D102
        return [(number, *fields) for number, fields in self._sources]

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        """Return the bits of the keyed hashes that postings have."""
        return known_bits(siphash(self.keys.hashes, hashes), bits)

    def postings(
        self, numbers: Sequence[int], kind: BlockKind, hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.void]:
        """Return the postings of blocks, decrypted; contents are ranks."""
        ids = [kind.first + number for number in numbers]
        rows = self._some("block", ids, _MOST_BYTES_A_BLOCK)
        if [number for number, _, _ in rows] != ids:
            raise self.damaged("a block is missing")
        sealer = self._sealer("block", rows)
        with self.guard():
            postings = unsealed_postings(sealer, rows, kind)
        return postings if hashes is None else postings[among(postings["hash"], hashes)]

    def contents(self, ids: Sequence[int]) -> dict[int, ContentRow]:
        """Return some contents, by rank."""
        opened = self._opened("content", self._some("content", ids, _MOST_BYTES_A_CONTENT))
        found = {number: self._content(number, fields) for number, fields in opened}
        if len(found) != len(opened):
            raise self.damaged("a content is there twice")
        return found

    def text(self, content: int) -> PackedText | None:  # noqa: ARG002
        """Return no text: none is ever published."""
        return None

    def _begin(self) -> None:
        """Begin the transaction, and read the description and the sources in one round trip."""
        connection = self._connection
        # psycopg would begin a transaction with another round trip, and prepare frequent statements.
        connection.autocommit, connection.prepare_threshold = True, None
        try:
            with self._asking(_MOST_BYTES_OF_SOURCES), connection.pipeline():
                connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                # Just-in-time compilation takes longer than any query of ours.
                connection.execute(
                    "SELECT set_config('jit', 'off', true), set_config('statement_timeout', %s, true)",
                    [_STATEMENT_MILLISECONDS],
                )
                described = connection.execute(database.SELECT_DESCRIPTION, self._version, binary=True)
                connection.execute(self._version.statement(database.LOCK_TO_READ))
                sources = connection.execute(self._version.statement(database.SELECT_ALL, "source"), binary=True)
        except IndexFileError as error:
            # Find out whether it is missing or not for us, and what is there instead.
            raise self._missing(error) from error.__cause__
        with self._asking(_MOST_BYTES, 0):
            self._describe(described.fetchall())
            self._sources = self._opened("source", sorted(self._checked(sources.fetchall())))

    def _some(self, table: str, ids: Sequence[int], size: int) -> list[tuple[int, bytes, bytes]]:
        if not ids:
            return []
        with self._asking(_MOST_BYTES + size * len(ids)):
            # psycopg would write the numbers of a list one by one.
            array = f"{{{','.join(map(str, ids))}}}"
            rows = self._connection.execute(self._version.statement(database.SELECT_SOME, table), [array], binary=True)
            return sorted(self._checked(rows.fetchall()))

    @contextmanager
    def _asking(self, size: int, round_trips: int = 1) -> Iterator[None]:
        """Ask for an answer of some bytes, and raise what goes wrong as ``IndexFileError``."""
        self._connection.allow(size)
        self.round_trips += round_trips
        with explained(self.name, "cannot read the index"):
            yield

    def _missing(self, error: IndexFileError) -> IndexFileError:
        """Explain why the tables of the version cannot be read."""
        if not isinstance(error.__cause__, psycopg.errors.UndefinedTable):
            return error
        try:
            with explained(self.name, "cannot query the server"):
                self._connection.rollback()
            self._connection.allow(_MOST_BYTES)
            there = database.published_versions(self._connection, self._version.name, self.name)
        except IndexFileError as other:
            return other
        return database.missing(self.name, self._version, there)

    def _checked(self, rows: list[tuple[Any, ...]]) -> list[tuple[int, bytes, bytes]]:
        """Check the types of rows of id, encrypted bytes and seal."""
        if any(tuple(map(type, row)) != (int, bytes, bytes) for row in rows):
            raise self.damaged("rows of another kind")
        return [(number, row, seal) for number, row, seal in rows]

    def _opened(self, table: str, rows: list[tuple[int, bytes, bytes]]) -> list[tuple[int, list[StoredValue]]]:
        """Compare rows with their seals, and decrypt them into their fields."""
        sealer = self._sealer(table, rows)
        with self.guard():
            return [(number, unpack_fields(sealer.crypted(number, row))) for number, row, _ in rows]

    def _sealer(self, table: str, rows: list[tuple[int, bytes, bytes]]) -> RowSealer:
        """Compare rows with their seals, and return what decrypts them."""
        sealer = RowSealer(self.keys, table)
        if (unsound := first_unsound(rows, sealer.seal)) is not None:
            raise self.damaged("its description" if table == "version" else f"{table} {unsound}")
        return sealer

    def _describe(self, rows: list[tuple[Any, ...]]) -> None:
        """Derive the keys from the description of the version, and decrypt it; its seal also shows a wrong salt."""
        if len(rows) != 1 or tuple(map(type, rows[0])) != (int, bytes, bytes, bytes):
            raise self.damaged("its description is missing")
        layout, salt, encrypted, seal = rows[0]
        if layout != database.LAYOUT:
            problem = f"{self.name} was published by a winnow-ci with another layout, {layout}, not {database.LAYOUT}"
            raise IndexFileError(problem, "publish and scan with the same version of winnow-ci")
        if len(salt) != SALT_BYTES:
            raise self.damaged("its salt")
        self.keys = self._key.keys_of(self._version.root, salt)
        ((_, self._description),) = self._opened("version", [(DESCRIPTION_ROW, encrypted, seal)])

    def _content(self, number: int, fields: list[Any]) -> ContentRow:
        own, rest = fields[:_CONTENT_FIELDS], fields[_CONTENT_FIELDS:]
        if len(own) != _CONTENT_FIELDS or len(rest) % _FILE_FIELDS or type(own[-1]) is not bytes:
            raise self.damaged(f"content {number}")
        files = tuple(FileRow(*rest[start : start + _FILE_FIELDS]) for start in range(0, len(rest), _FILE_FIELDS))
        with self.guard():
            token_map = zlib.decompressobj().decompress(own.pop(), LARGEST_PACK)
        key, language, front_end, tokens, fingerprints = own
        return ContentRow(key, language, front_end, tokens, fingerprints, token_map, files)
