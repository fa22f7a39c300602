"""The tables of a new index, made of what a journal and old indexes hold, without holding either in memory.

They are filled row by row in one order, so that equal rows give equal bytes.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from winnow_ci.index import schema
from winnow_ci.index.rows import FileRow, source_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from winnow_ci.index.merging import DraftOrigin
    from winnow_ci.model import Source

Value: TypeAlias = "bytes | str | int | None"


class IndexTables:
    """The tables of an index file, to be filled.

    Attributes:
        digests: those of all rows that have one, in the order in which the rows were added.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.digests: list[bytes] = []

    def add(self, table: str, rows: Iterable[tuple[Value, ...]]) -> None:
        """Add rows."""
        marks = ", ".join("?" * schema.COLUMNS[table])
        self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608

    def add_digested(self, table: str, rows: Iterable[tuple[tuple[Value, ...], bytes]]) -> None:
        """Add rows, each given with its digest, which becomes its last column."""
        self.add(table, self._with_digests(rows))

    def add_description(self, meta: dict[str, str]) -> None:
        """Fill the table ``meta``, which comes last as it holds the digest of all other rows."""
        meta["digest"] = schema.index_digest(meta, self.digests)
        meta["meta_digest"] = schema.digest(*(part for row in sorted(meta.items()) for part in row)).hex()
        self.add("meta", sorted(meta.items()))

    def _with_digests(self, rows: Iterable[tuple[tuple[Value, ...], bytes]]) -> Iterator[tuple[Value, ...]]:
        for row, digest in rows:
            self.digests.append(digest)
            yield *row, digest


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


class TableCounts(NamedTuple):
    """What the tables hold: the front ends used, and how many rows and blocks, as in ``meta``."""

    front_ends: Collection[str]
    counts: dict[str, str]


class HeldFile(NamedTuple):
    """A file of a source: key of its content, path, and licence if the file states its own."""

    key: bytes
    path: bytes
    license: str | None


class _FileRow(NamedTuple):
    key: bytes
    file: FileRow


def assemble(
    tables: IndexTables,
    files: Mapping[Source, Sequence[HeldFile]],
    with_text: Collection[str],
    origin: DraftOrigin,
    progress: Callable[[int, int], None],
) -> TableCounts:
    """Fill all tables but the description.

    Args:
        tables: empty ones.
        files: all files of each source.
        with_text: names of the sources whose text the index keeps.
        origin: holds all contents of these files, and the texts to keep.
        progress: called after each block with the number of blocks done and of all blocks.

    Raises:
        IndexFileError: an old index is damaged.
        OSError: the journal cannot be read.
    """
    sources = sorted(files, key=lambda source: source.name)
    rows = sorted(
        (
            _FileRow(held.key, FileRow(n, held.path, held.license))
            for n, source in enumerate(sources)
            for held in files[source]
        ),
        key=lambda row: (not sources[row.file.source].boilerplate, row.key, row.file.source, row.file.path),
    )
    keeping = [source.name in with_text for source in sources]
    tables.add_digested("source", _source_rows(sources, keeping))
    contents = _Contents(rows, origin)
    tables.add_digested("content", contents.table())
    bits = schema.block_bits(contents.postings)
    tables.add("file", contents.files())
    tables.add_digested("block", _block_rows(origin.blocks(contents.keys, bits, contents.postings), bits, progress))
    texts = [number for number, kept in enumerate(contents.kept(keeping)) if kept]
    tables.add_digested("text", _text_rows(texts, contents.keys, origin))
    counts = {
        "bits": bits,
        "sources": len(sources),
        "contents": len(contents.keys),
        "postings": contents.postings,
        "texts": len(texts),
        "boilerplate": contents.boilerplate,
    }
    return TableCounts(contents.front_ends, {name: str(count) for name, count in counts.items()})


class _Contents:
    """The contents that have files, in their final order; what is in them is known once their table has been made."""

    def __init__(self, rows: Sequence[_FileRow], origin: DraftOrigin) -> None:
        self._rows = rows
        self._origin = origin
        self.keys: list[bytes] = []
        self.front_ends: set[str] = set()
        self.postings = 0
        self.boilerplate = 0

    def table(self) -> Iterator[tuple[tuple[Value, ...], bytes]]:
        for key, files in groupby(self._rows, lambda row: row.key):
            row = self._origin.row(key)._replace(files=tuple(row.file for row in files))
            yield (len(self.keys), *row.fields()), row.digest()
            self.keys.append(key)
            self.front_ends.add(row.front_end)
            self.postings += row.fingerprints
            self.boilerplate += row.boilerplate

    def files(self) -> Iterator[tuple[Value, ...]]:
        for number, (_, files) in enumerate(groupby(self._rows, lambda row: row.key)):
            yield from ((number, *row.file) for row in files)

    def kept(self, keeping: Sequence[bool]) -> Iterator[bool]:
        """For each content, whether the index keeps its text."""
        for _, files in groupby(self._rows, lambda row: row.key):
            yield any(keeping[row.file.source] for row in files)


def _source_rows(sources: Sequence[Source], keeping: Sequence[bool]) -> Iterator[tuple[tuple[Value, ...], bytes]]:
    for number, (source, kept) in enumerate(zip(sources, keeping, strict=True)):
        fields = source_fields(source, text=kept)
        yield (number, *fields), schema.digest(*fields)


def _block_rows(
    blocks: Iterator[bytes], bits: int, progress: Callable[[int, int], None]
) -> Iterator[tuple[tuple[Value, ...], bytes]]:
    for number, postings in enumerate(blocks):
        yield (number, postings), schema.block_digest(number, postings)
        progress(number + 1, 1 << bits)


def _text_rows(
    numbers: Sequence[int], keys: Sequence[bytes], origin: DraftOrigin
) -> Iterator[tuple[tuple[Value, ...], bytes]]:
    for number in numbers:
        fields = number, *origin.text(keys[number])
        yield fields, schema.digest(*fields)
