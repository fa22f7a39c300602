"""Read an index from its file, in rows that have been compared with their digests.

``Store`` is what ``reader.IndexReader`` needs of a file or a server: a store gives rows in batches, as they were
written, or raises. Whether they make sense together is for the reader to say.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from winnow_ci.errors import IndexFileError, did_you_mean_file
from winnow_ci.index import schema
from winnow_ci.index.coding import BlockLayout, PackedText, StoredBlock, first_unsound, unpack_blocks
from winnow_ci.index.content_packs import Directory, packs_in, unpack
from winnow_ci.index.rows import ContentRow
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows that one statement asks for: few enough to stay in the processor's cache from being read to being searched.
ROWS_A_QUERY = 128
_MANIFEST = "sources.yml"
_USUAL = (".winnow", "index.db")  # where a manifest has its index, if it says nothing else
# The start of SQLite's header, which has the page size and the number of pages (its file format, section 1.3).
_SQLITE_HEADER = 32
_NAME_AN_INDEX = "name an index that winnow-ci index build has written"


class BlockKind(NamedTuple):
    """The blocks of k-grams, or those of crowds."""

    first: int  # number of the first one in the table
    bits: int  # upper bits of a hash that name one; there are 2^bits

    @property
    def how_many(self) -> int:
        """How many there are."""
        return 1 << self.bits


class Store(Protocol):
    """Where an index lies, opened for reading.

    All methods raise ``IndexFileError`` if the rows cannot be read, or are not as they were written.
    """

    name: str  # for people
    blocks_a_query: int  # how many blocks a scan asks for at a time, so that memory holds a part of the index

    def meta(self) -> list[tuple[Any, Any]]:
        """Return all rows of ``meta``, by key, unchecked."""

    def sources(self) -> list[tuple[Any, ...]]:
        """Return all rows of ``source``, by id: id, columns."""

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
        """Return what it has instead of hashes as in ``schema.POSTING``; the upper ``bits`` bits name a block."""

    def postings(
        self, numbers: Sequence[int], kind: BlockKind, hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.void]:
        """Return the postings of blocks: ``schema.POSTING``, in order; of those hashes only, if any are given.

        ``numbers`` rise, and count from 0 among the blocks of the kind; ``hashes`` are as ``stored``, and rise.
        """

    def contents(self, ids: Sequence[int]) -> dict[int, ContentRow]:
        """Return some contents, by id, whose values may have any type; ``ids`` rise; what is not there is left out."""

    def text(self, content: int) -> PackedText | None:
        """Return the text of a content, if it is there; its values may have any type."""

    def damaged(self, what: str) -> IndexFileError:
        """Return the error to raise for something in it that is damaged."""

    def guard(self) -> AbstractContextManager[None]:
        """Raise what goes wrong in reading and decoding as ``IndexFileError``."""

    def close(self) -> None:
        """Close it."""


class SqliteStore:
    """An index file, opened for reading; ``IndexFileError`` if it is missing, of another format, or damaged."""

    application, tables = schema.APPLICATION_ID, schema.TABLES
    blocks_a_query = ROWS_A_QUERY

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = name or str(path)
        if not path.is_file():
            raise IndexFileError(f"no index at {path}", rebuild_remedy(path, _first_remedy(path), is_there=False))
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            self._check_format()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:  # noqa: D102
        self._connection.close()

    def damaged(self, what: str) -> IndexFileError:  # noqa: D102
        again = "restore it from a copy, or build it again: winnow-ci index build"
        return IndexFileError(f"the index {self.path} is damaged: {what}", rebuild_remedy(self.path, again))

    def meta(self) -> list[tuple[Any, Any]]:  # noqa: D102
        return self.query("SELECT key, value FROM meta ORDER BY key")

    def sources(self) -> list[tuple[Any, ...]]:  # noqa: D102
        rows = self.query("SELECT * FROM source ORDER BY id")
        for _, *fields, digest in rows:
            if schema.digest(*fields) != digest:
                raise self.damaged("a source")
        return [row[:-1] for row in rows]

    def stored(self, hashes: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:  # noqa: ARG002, D102
        return hashes

    def postings(  # noqa: D102
        self, numbers: Sequence[int], kind: BlockKind, hashes: NDArray[np.uint64] | None = None
    ) -> NDArray[np.void]:
        blocks = [(number - kind.first, block) for number, block, _ in self.blocks(numbers, kind)]
        layout = BlockLayout(kind.bits, self.directory.place_bits)
        with self.guard():
            return self.directory.located(unpack_blocks(blocks, layout, hashes))

    def blocks(self, numbers: Sequence[int], kind: BlockKind) -> list[StoredBlock]:
        """Return rows of ``block``, given by rising numbers among those of a kind, checked."""
        ids = [kind.first + number for number in numbers]
        rows = self._some("id, postings, digest FROM block", ids)
        if [number for number, _, _ in rows] != ids:
            raise self.damaged("a block is missing")
        unsound = first_unsound(rows, schema.block_digest)
        if unsound is not None:
            raise self.damaged(f"block {unsound}")
        return rows

    @cached_property
    def directory(self) -> Directory:
        """Where contents are."""
        rows = self.query("SELECT id, ids, tokens, packs, digest FROM directory ORDER BY id")
        with self.guard():
            return Directory.read(rows)

    def contents(self, ids: Sequence[int]) -> dict[int, ContentRow]:  # noqa: D102
        numbers = sorted({*(self.directory.numbers(np.array(ids, np.int64)) // schema.PACK).tolist()})
        found: dict[int, ContentRow] = {}
        for number, one in zip(numbers, self.packed(numbers), strict=True):
            first, end = number * schema.PACK, (number + 1) * schema.PACK
            with self.guard():
                rows = unpack(number, one, self.directory.tokens(first, end))
            for content, row in zip(self.directory.ids[first:end].tolist(), rows, strict=True):
                if schema.content_id(row.key, boilerplate=content < 0) != content:
                    raise self.damaged(f"content {content}")
                found[content] = row
        return {content: found[content] for content in ids if content in found}

    def packed(self, numbers: Sequence[int]) -> Iterable[bytes]:
        """Return packs by their numbers as stored, unchecked."""
        edges = self.directory.packs
        return packs_in(self._chunks, [(int(edges[number]), int(edges[number + 1])) for number in numbers])

    def _chunks(self, numbers: Sequence[int]) -> list[bytes]:
        return [chunk for _, chunk in self._some("id, chunk FROM pack", numbers) if type(chunk) is bytes]

    def text(self, content: int) -> PackedText | None:  # noqa: D102
        for _, size, packed, digest in self._some("content, size, packed, digest FROM text", [content], "content"):
            if schema.digest(content, size, packed) != digest:
                raise self.damaged(f"text of content {content}")
            return PackedText(size, packed)
        return None

    def _some(self, what: str, ids: Sequence[int], key: str = "id") -> list[tuple[Any, ...]]:
        """Return the rows of some ids, by id; those that are not there are left out."""
        found: list[tuple[Any, ...]] = []
        for some in in_batches(ids, ROWS_A_QUERY):
            marks = ",".join("?" * len(some))
            found += self.query(f"SELECT {what} WHERE {key} IN ({marks}) ORDER BY {key}", some)
        return found

    def query(self, statement: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows that a statement gives, unchecked."""
        with self.guard():
            return self._connection.execute(statement, tuple(values)).fetchall()

    @contextmanager
    def guard(self) -> Iterator[None]:  # noqa: D102
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
        if application != self.application:
            raise IndexFileError(f"{self.path} is not an index of winnow-ci", _NAME_AN_INDEX)
        if version != schema.FORMAT_VERSION:
            msg = f"{self.path} has index format {version}, this winnow-ci reads format {schema.FORMAT_VERSION}"
            again = "build it again, in a new place: winnow-ci index build DIR --output INDEX --name NAME"
            is_newer = version > schema.FORMAT_VERSION
            raise IndexFileError(msg, "install a newer winnow-ci" if is_newer else rebuild_remedy(self.path, again))
        tables = {name: sql for _, name, sql in rows if sql is not None}
        if tables != self.tables or not {kind for kind, _, _ in rows} <= {"table", "index"}:
            raise self.damaged("its tables are not those of an index")
        self._check_length()

    def _check_length(self) -> None:
        """Compare the length of the file with its header: a lookup may not notice that the end is lost."""
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
