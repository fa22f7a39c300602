"""An index file, opened for reading all of it: what lists, checks, merges and rewrites it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.reader import IndexReader
from winnow_ci.index.rows import SourceSummary
from winnow_ci.index.store import ROWS_A_QUERY, PlainForm, SqliteStore, in_batches

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from winnow_ci.index.coding import StoredBlock
    from winnow_ci.index.rows import ContentRow

_OWN_LICENCES = (
    "SELECT source, license, license_from, count(DISTINCT path) AS files FROM file WHERE license IS NOT NULL"
    " GROUP BY source, license, license_from ORDER BY files DESC, license, license_from"
)
# Of each source: files, those that are known only as a whole, and their fingerprints.
_FILE_COUNTS = (
    "SELECT source, count(DISTINCT path), sum(fingerprints = 0), sum(fingerprints)"
    " FROM file JOIN content ON content.id = content GROUP BY source"
)
_SIZES = (
    f"SELECT source, sum({schema.POSTING.itemsize} * fingerprints + length(map) + coalesce(length(packed), 0))"  # noqa: S608
    " FROM (SELECT DISTINCT source, content FROM file) AS holds"
    " JOIN content ON content.id = holds.content LEFT JOIN text ON text.content = holds.content GROUP BY source"
)


class WholeIndex(IndexReader):
    """An index file, opened for reading.

    Raises:
        IndexFileError: as ``SqliteStore`` and ``IndexReader`` do; also from every method that reads something damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sqlite = SqliteStore(path)
        super().__init__(self._sqlite, PlainForm())

    def content_ids(self) -> NDArray[np.int64]:
        """Return the ids of all contents, in their order: boilerplate first."""
        ids = [content for (content,) in self._sqlite.query("SELECT id FROM content ORDER BY id")]
        if len(ids) != self.contents or not all(type(content) is int for content in ids):
            raise self.damaged("rows of contents are missing, or there are too many")
        return np.array(ids, np.int64)

    def all_contents(self) -> Iterator[tuple[int, ContentRow]]:
        """Yield all contents, by id."""
        for some in in_batches(self.content_ids().tolist(), ROWS_A_QUERY):
            yield from self.content_rows(some).items()

    def all_blocks(self, *, crowds: bool = False) -> Iterator[NDArray[np.void]]:
        """Yield the postings of all blocks, or of those of crowds, ``ROWS_A_QUERY`` blocks at a time."""
        first, end = (1 << self.bits, (1 << self.bits) + (1 << self.crowd_bits)) if crowds else (0, 1 << self.bits)
        for some in in_batches(range(first, end), ROWS_A_QUERY):
            yield self.blocks(some)

    def block_rows(self) -> Iterator[StoredBlock]:
        """Yield all blocks, those of crowds too, as stored, checked."""
        for some in in_batches(range((1 << self.bits) + (1 << self.crowd_bits)), ROWS_A_QUERY):
            self.blocks(some)
            yield from self._sqlite.blocks(some)

    def overflow(self) -> Iterator[NDArray[np.void]]:
        """Yield the postings that no scan reads, row by row, ordered by hash."""
        left, number, row = self.cut, 0, "SELECT postings, digest FROM overflow WHERE id = ?"
        while found := self._sqlite.query(row, [number]):
            ((postings, digest),) = found
            if type(postings) is not bytes or schema.overflow_digest(number, postings) != digest:
                raise self.damaged(f"row {number} of the overflow")
            part = np.frombuffer(postings, schema.POSTING)
            left, number = left - len(part), number + 1
            yield part
        if left:
            raise self.damaged("rows of the overflow are missing")

    def own_licences(self) -> dict[str, dict[str, dict[str | None, int]]]:
        """Return stored names of sources → licences of single files → where these were read → how many files.

        Reads rows without checking them.
        """
        found: dict[str, dict[str, dict[str | None, int]]] = {source.name: {} for source in self.sources}
        for source, licence, origin, files in self._sqlite.query(_OWN_LICENCES):
            is_number = type(source) is int and 0 <= source < len(self.sources)
            if not is_number or type(licence) is not str or not isinstance(origin, str | None):
                raise self.damaged("files")
            found[self.sources[source].name].setdefault(licence, {})[origin] = files
        return found

    def summaries(self) -> list[SourceSummary]:
        """Return how much of each source is inside, by id."""
        counts = {source: (files, whole, marks) for source, files, whole, marks in self._sqlite.query(_FILE_COUNTS)}
        sizes = dict(self._sqlite.query(_SIZES))
        # Rows are summed up unchecked; a page that is damaged can hold values of any type.
        if not {type(number) for numbers in (*counts.values(), *sizes.items()) for number in numbers} <= {int}:
            raise self.damaged("a number of fingerprints or bytes")
        return [
            SourceSummary(source, *counts.get(number, (0, 0, 0)), number in self.with_text, sizes.get(number, 0))
            for number, source in enumerate(self.sources)
        ]

    def described(self) -> dict[str, str]:
        """Return its description, on which the root depends."""
        return dict(self._meta)

    def check_structure(self) -> None:
        """Let SQLite check the file, and count the rows of each table."""
        problems = self._sqlite.query("PRAGMA integrity_check")
        if problems != [("ok",)]:
            raise self.damaged(str(problems[0][0]))
        expected = {
            "source": len(self.sources),
            "content": self.contents,
            "block": (1 << self.bits) + (1 << self.crowd_bits),
            "text": self.texts,
            "overflow": -(-self.cut // schema.OVERFLOW_POSTINGS),
        }
        for table, count in expected.items():
            self.check_count(table, count, f"{table} rows are missing, or there are too many")

    def check_count(self, table: str, count: int, problem: str) -> None:
        """Compare the number of rows of a table with what it should be."""
        if self._sqlite.query(f"SELECT count(*) FROM {table}") != [(count,)]:  # noqa: S608
            raise self.damaged(problem)
