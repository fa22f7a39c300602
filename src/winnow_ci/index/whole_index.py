"""An index file, opened for reading all of it: what lists, checks, merges and rewrites it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.reader import IndexReader
from winnow_ci.index.rows import SourceSummary
from winnow_ci.index.sqlite_store import ROWS_A_QUERY, SqliteStore
from winnow_ci.index.store import PlainForm, batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from winnow_ci.index.rows import ContentRow
    from winnow_ci.index.store import StoredBlock


class WholeIndex(IndexReader):
    """An index file, opened for reading.

    Args:
        path: of the file.

    Raises:
        IndexFileError: as ``SqliteStore`` and ``IndexReader`` do; also from every method that reads something damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sqlite = SqliteStore(path)
        super().__init__(self._sqlite, PlainForm())

    def content_ids(self) -> NDArray[np.int64]:
        """The ids of all contents, in their order: boilerplate first."""
        ids = self._sqlite.content_ids()
        if len(ids) != self.contents or not all(type(content) is int for content in ids):
            raise self.damaged("content rows are missing, or there are too many")
        return np.array(ids, np.int64)

    def all_contents(self) -> Iterator[tuple[int, ContentRow]]:
        """All contents, by id."""
        for some in batches(self.content_ids().tolist(), ROWS_A_QUERY):
            yield from self.content_rows(some).items()

    def all_blocks(self, *, crowds: bool = False) -> Iterator[NDArray[np.void]]:
        """The postings of all blocks, or of those of crowds, ``ROWS_A_QUERY`` blocks at a time."""
        first, end = (1 << self.bits, (1 << self.bits) + (1 << self.crowd_bits)) if crowds else (0, 1 << self.bits)
        for some in batches(range(first, end), ROWS_A_QUERY):
            yield self.blocks(some)

    def block_rows(self) -> Iterator[StoredBlock]:
        """All blocks, those of crowds too, as stored, checked."""
        for some in batches(range((1 << self.bits) + (1 << self.crowd_bits)), ROWS_A_QUERY):
            self.blocks(some)
            yield from self._sqlite.blocks(some)

    def overflow(self) -> Iterator[NDArray[np.void]]:
        """The postings that no scan reads, row by row, ordered by hash."""
        left = self.cut
        for number, (_, postings, digest) in enumerate(self._sqlite.overflow()):
            if type(postings) is not bytes or schema.overflow_digest(number, postings) != digest:
                raise self.damaged(f"row {number} of the overflow")
            part = np.frombuffer(postings, schema.POSTING)
            left -= len(part)
            yield part
        if left:
            raise self.damaged("rows of the overflow are missing")

    def own_licences(self) -> dict[str, dict[str, dict[str | None, int]]]:
        """Stored names of sources → licences of single files → where these were read → how many files.

        Reads rows without checking them.
        """
        found: dict[str, dict[str, dict[str | None, int]]] = {source.name: {} for source in self.sources}
        for source, licence, origin, files in self._sqlite.own_licences():
            is_number = type(source) is int and 0 <= source < len(self.sources)
            if not is_number or type(licence) is not str or not isinstance(origin, str | None):
                raise self.damaged("files")
            found[self.sources[source].name].setdefault(licence, {})[origin] = files
        return found

    def summaries(self) -> list[SourceSummary]:
        """How much of each source is inside, by id."""
        counts = {source: (files, whole, marks) for source, files, whole, marks in self._sqlite.file_counts()}
        sizes = dict(self._sqlite.sizes())
        # Rows are summed up unchecked; a page that is damaged can hold values of any type.
        if not {type(number) for numbers in (*counts.values(), *sizes.items()) for number in numbers} <= {int}:
            raise self.damaged("a number of fingerprints or bytes")
        return [
            SourceSummary(source, *counts.get(number, (0, 0, 0)), number in self.with_text, sizes.get(number, 0))
            for number, source in enumerate(self.sources)
        ]

    def check_structure(self) -> None:
        """Let SQLite check the file, and count the rows of each table.

        Raises:
            IndexFileError: something is damaged.
        """
        self._sqlite.check_structure()
        expected = {
            "source": len(self.sources),
            "content": self.contents,
            "block": (1 << self.bits) + (1 << self.crowd_bits),
            "text": self.texts,
            "overflow": -(-self.cut // schema.OVERFLOW_POSTINGS),
        }
        for table, count in expected.items():
            if self._sqlite.count(table) != count:
                raise self.damaged(f"{table} rows are missing, or there are too many")

    def check_files(self, count: int) -> None:
        """Compare the number of rows of ``file`` with the number that the contents have.

        Raises:
            IndexFileError: they differ.
        """
        if self._sqlite.count("file") != count:
            raise self.damaged("there are files of no content")

    def check_root(self, root: str) -> None:
        """Compare the digest of the index with the root of a tree made of all its rows.

        Raises:
            IndexFileError: they differ.
        """
        if root != self.digest:
            raise self.damaged("it does not have the digest that it says")

    def described(self) -> dict[str, str]:
        """Its description, as far as the root depends on it."""
        return dict(self._meta)
