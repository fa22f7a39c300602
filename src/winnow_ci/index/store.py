"""Read rows of an index from a file or a server, in the form that each has.

A store gives rows in batches, and checks nothing but that it is an index of a format that this version reads. A form
says how hashes, postings and seals are written there: in a file a seal is the digest of a row; elsewhere it may be
more. ``reader.IndexReader`` stands above both, and checks all that it reads, once.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from winnow_ci.errors import IndexFileError, did_you_mean_file
from winnow_ci.index import schema
from winnow_ci.index.coding import unsound_block
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from numpy.typing import NDArray

    from winnow_ci.index.coding import StoredBlock
    from winnow_ci.index.rows import ContentRow, StoredValue

# Rows that one statement asks for: few enough to stay in the processor's cache from being read to being searched.
ROWS_A_QUERY = 128
_MANIFEST = "sources.yml"
# Where a manifest has its index, if it says nothing else.
_USUAL = (".winnow", "index.db")
# The start of SQLite's header, which has the page size and the number of pages (its file format, section 1.3).
_SQLITE_HEADER = 32
_NAME_AN_INDEX = "name an index that winnow-ci index build has written"


class StoredContent(NamedTuple):
    """A row of ``content`` and its rows of ``file``, unchecked."""

    content: int
    fields: tuple[Any, ...]  # key, language, front end, tokens, fingerprints, digest of the map, map
    files: tuple[tuple[Any, ...], ...]  # source, path, licence and where that was read; ordered by source and path
    seal: bytes  # of the row and its files


class StoredText(NamedTuple):
    """A row of ``text``, unchecked."""

    content: int
    size: int
    packed: bytes
    seal: bytes


class Store(Protocol):
    """Where an index lies, opened for reading.

    All methods raise ``IndexFileError`` if the rows cannot be read. Ids that are not there are left out.
    """

    @property
    def name(self) -> str:
        """Its name for people."""

    @property
    def blocks_a_query(self) -> int:
        """How many blocks a scan asks for at a time, so that memory holds a part of the index."""

    def meta(self) -> list[tuple[Any, Any]]:
        """Return all rows of ``meta``, by key."""

    def sources(self) -> list[tuple[Any, ...]]:
        """Return all rows of ``source``, by id: id, columns, seal."""

    def blocks(self, numbers: Sequence[int]) -> list[StoredBlock]:
        """Return some blocks, by number; ``numbers`` rise."""

    def contents(self, ids: Sequence[int]) -> list[StoredContent]:
        """Return some contents, by id; ``ids`` rise."""

    def texts(self, ids: Sequence[int]) -> list[StoredText]:
        """Return the texts of some contents, by id; ``ids`` rise."""

    def licences(self) -> list[Any]:
        """Return the licences of files that have their own, each once, in any order."""

    def damaged(self, what: str) -> IndexFileError:
        """Return the error to raise for something in it that is damaged."""

    def guard(self) -> AbstractContextManager[None]:
        """Raise what goes wrong in reading and decoding as ``IndexFileError``."""

    def close(self) -> None:
        """Close it."""


class Form(Protocol):
    """How hashes, postings and seals are written in a store."""

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        """Return what a store has instead of hashes (``spread``, of texts of crowds, or of whole files).

        The upper ``bits`` bits of what is returned name a block.
        """

    def postings(self, blocks: Sequence[StoredBlock]) -> NDArray[np.void]:
        """Return the postings of blocks: ``schema.POSTING``, in order."""

    def is_id(self, content: int, row: ContentRow) -> bool:
        """Return whether a content may have an id."""

    def unsound_block(self, blocks: Sequence[StoredBlock]) -> int | None:
        """Return the number of the first block that is not as it was sealed, if there is one."""

    def seal(self, table: str, number: int, fields: Sequence[StoredValue]) -> bytes:
        """Return the seal of another row: of a source, of a content with its files, of a text."""


class PlainForm:
    """The form of an index in a file (``schema``)."""

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:  # noqa: ARG002
        """Return the hashes themselves."""
        return hashes

    def postings(self, blocks: Sequence[StoredBlock]) -> NDArray[np.void]:
        """Return the postings of blocks."""
        return np.frombuffer(b"".join(postings for _, postings, _ in blocks), schema.POSTING)

    def is_id(self, content: int, row: ContentRow) -> bool:
        """Return whether the id follows from the key."""
        return row.content_id() == content

    def unsound_block(self, blocks: Sequence[StoredBlock]) -> int | None:
        """Return the number of the first block that has another digest."""
        return unsound_block(blocks)

    def seal(self, table: str, number: int, fields: Sequence[StoredValue]) -> bytes:  # noqa: ARG002
        """Return the digest of a row."""
        return schema.digest(*fields)


class SqliteStore:
    """An index file, opened for reading, whose format has been checked.

    Raises:
        IndexFileError: the file is missing, not an index, of another version, or damaged.
    """

    blocks_a_query = ROWS_A_QUERY

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise IndexFileError(f"no index at {path}", rebuild_remedy(path, _first_remedy(path), is_there=False))
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            self._check_format()
        except BaseException:
            self._connection.close()
            raise

    @property
    def name(self) -> str:
        """The path of the file."""
        return str(self.path)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def damaged(self, what: str) -> IndexFileError:
        """Return the error to raise for something in the index that is damaged."""
        again = "restore it from a copy, or build it again: winnow-ci index build"
        return IndexFileError(f"the index {self.path} is damaged: {what}", rebuild_remedy(self.path, again))

    # ---- what a scan reads: see ``Store`` --------------------------------------------------------------------------

    def meta(self) -> list[tuple[Any, Any]]:  # noqa: D102
        return self.query("SELECT key, value FROM meta ORDER BY key")

    def sources(self) -> list[tuple[Any, ...]]:  # noqa: D102
        columns = "id, name, version, license, url, purl, license_from, inputs, boilerplate, text, digest"
        return self.query(f"SELECT {columns} FROM source ORDER BY id")  # noqa: S608

    def blocks(self, numbers: Sequence[int]) -> list[StoredBlock]:  # noqa: D102
        return self._some("id, postings, digest FROM block", "id", numbers)

    def contents(self, ids: Sequence[int]) -> list[StoredContent]:  # noqa: D102
        columns = "id, key, language, front_end, tokens, fingerprints, map_digest, map, digest FROM content"
        files = self._some("content, source, path, license, license_from FROM file", "content, source, path", ids)
        by_content = {content: tuple(row[1:] for row in rows) for content, rows in groupby(files, lambda row: row[0])}
        return [
            StoredContent(content, tuple(fields), by_content.get(content, ()), digest)
            for content, *fields, digest in self._some(columns, "id", ids)
        ]

    def texts(self, ids: Sequence[int]) -> list[StoredText]:  # noqa: D102
        return [StoredText(*row) for row in self._some("content, size, packed, digest FROM text", "content", ids)]

    def licences(self) -> list[Any]:  # noqa: D102
        return [licence for (licence,) in self.query("SELECT DISTINCT license FROM file")]

    # ---- reading -------------------------------------------------------------------------------------------------

    def _some(self, what: str, order: str, ids: Sequence[int]) -> list[tuple[Any, ...]]:
        """Return the rows of some ids; the first column of ``order`` is the id."""
        found: list[tuple[Any, ...]] = []
        for some in in_batches(ids, ROWS_A_QUERY):
            marks, key = ",".join("?" * len(some)), order.partition(",")[0]
            found += self.query(f"SELECT {what} WHERE {key} IN ({marks}) ORDER BY {order}", some)
        return found

    def query(self, statement: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows that a statement gives, unchecked."""
        with self.guard():
            return self._connection.execute(statement, tuple(values)).fetchall()

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Raise what goes wrong in reading and decoding as ``IndexFileError``."""
        try:
            yield
        except sqlite3.Error as error:
            if "not a database" in str(error):
                raise IndexFileError(f"{self.path} is not an index of winnow-ci", _NAME_AN_INDEX) from error
            raise self.damaged(str(error)) from error
        except (ValueError, IndexError, zlib.error) as error:
            raise self.damaged(str(error)) from error

    def _check_format(self) -> None:
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
            self.query(f"PRAGMA {pragma}")
        ((application,),) = self.query("PRAGMA application_id")
        ((version,),) = self.query("PRAGMA user_version")
        rows = self.query("SELECT type, name, sql FROM sqlite_schema")
        if application != schema.APPLICATION_ID:
            raise IndexFileError(f"{self.path} is not an index of winnow-ci", _NAME_AN_INDEX)
        if version != schema.FORMAT_VERSION:
            msg = f"{self.path} has index format {version}, this winnow-ci reads format {schema.FORMAT_VERSION}"
            again = "build it again, in a new place: winnow-ci index build DIR --output INDEX --name NAME"
            is_newer = version > schema.FORMAT_VERSION
            raise IndexFileError(msg, "install a newer winnow-ci" if is_newer else rebuild_remedy(self.path, again))
        tables = {name: sql for _, name, sql in rows if sql is not None}
        if tables != schema.TABLES or not {kind for kind, _, _ in rows} <= {"table", "index"}:
            raise self.damaged("its tables are not those of an index")
        self._check_length()

    def _check_length(self) -> None:
        """Compare the length of the file with its header: a lookup may not read the end, and not notice its loss."""
        with self.path.open("rb") as file:
            header = file.read(_SQLITE_HEADER)
            size = file.seek(0, os.SEEK_END)
        page, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
        if size != (page if page > 1 else 1 << 16) * pages:
            raise self.damaged("it has the wrong length")


def in_batches(numbers: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """Yield numbers in batches of at most ``size``."""
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]


def _first_remedy(index: Path) -> str:
    """Name the index that may have been meant, or how to make one: at the usual place from its manifest."""
    remedy = "build one with: winnow-ci index build DIR --output INDEX --name NAME"
    if index.absolute().parts[-2:] == _USUAL:
        remedy = "add sources to it: winnow-ci index add PURL|URL|PATH"
    return did_you_mean_file(index, remedy)


def rebuild_remedy(index: Path, otherwise: str, *, is_there: bool = True) -> str:
    """Return the remedy for an unusable index: build it from the manifest next to it, or ``otherwise``.

    If a file ``is_there``, it has to be deleted first, since nothing overwrites it.
    """
    if not index.with_name(_MANIFEST).is_file():
        return otherwise
    return f"{'delete it, then ' if is_there else ''}build it from its manifest: winnow-ci index sync"
