"""An index file, opened for reading all of it: what lists, checks, merges and rewrites it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.coding import BlockLayout, StoredBlock, unpack_blocks
from winnow_ci.index.content_packs import Directory
from winnow_ci.index.reader import IndexReader
from winnow_ci.index.rows import ContentRow, SourceSummary
from winnow_ci.index.store import ROWS_A_QUERY, BlockKind, SqliteStore, in_batches

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WholeIndex(IndexReader):
    """An index file, opened for reading all of it; otherwise see ``IndexReader``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sqlite = SqliteStore(path)
        super().__init__(self._sqlite)

    @property
    def directory(self) -> Directory:
        """Where contents are."""
        directory = self._sqlite.directory
        if len(directory.ids) != self.contents:
            raise self.damaged("rows of contents are missing, or there are too many")
        return directory

    def content_ids(self) -> NDArray[np.int64]:
        """Return the ids of all contents, in their order: boilerplate first."""
        return np.sort(self.directory.ids)

    def all_contents(self) -> Iterator[tuple[int, ContentRow]]:
        """Yield all contents, neighbours in the directory together."""
        ids = self.directory.ids.tolist()
        for some in in_batches(ids, schema.PACK * ROWS_A_QUERY):
            yield from self.content_rows(some).items()

    def all_packs(self) -> Iterable[bytes]:
        """Return all packs as stored, unchecked."""
        return self._sqlite.packed(range(len(self.directory.packs) - 1))

    def all_blocks(self, kind: BlockKind) -> Iterator[NDArray[np.void]]:
        """Yield the postings of all blocks of a kind, ``ROWS_A_QUERY`` blocks at a time."""
        for some in in_batches(range(kind.how_many), ROWS_A_QUERY):
            yield self._sqlite.postings(some, kind)

    def block_rows(self, kind: BlockKind) -> Iterator[StoredBlock]:
        """Yield all blocks of a kind as stored, checked."""
        for some in in_batches(range(kind.how_many), ROWS_A_QUERY):
            yield from self._sqlite.blocks(some, kind)

    def overflow(self) -> Iterator[NDArray[np.void]]:
        """Yield the postings that no scan reads, row by row, ordered by hash."""
        left, layout = self.cut, BlockLayout(0, self.directory.place_bits)
        for packed, _ in self.overflow_rows():
            with self._sqlite.guard():
                part = self.directory.located(unpack_blocks([(0, packed)], layout))
            left -= len(part)
            yield part
        if left:
            raise self.damaged("rows of the overflow are missing")

    def overflow_rows(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield what ``overflow`` yields as stored, checked, and its digest."""
        number, row = 0, "SELECT postings, digest FROM overflow WHERE id = ?"
        while found := self._sqlite.query(row, [number]):
            ((packed, digest),) = found
            if type(packed) is not bytes or schema.overflow_digest(number, packed) != digest:
                raise self.damaged(f"row {number} of the overflow")
            number += 1
            yield packed, digest

    def own_licences(self) -> dict[str, dict[str, dict[str | None, int]]]:
        """Return stored names of sources → licences of single files → where these were read → how many files.

        The licences and origins of most files come first.
        """
        paths: dict[tuple[int, str, str | None], set[bytes]] = {}
        for _, row in self.all_contents():
            for source, path, licence, origin in row.files:
                if licence:
                    paths.setdefault((source, licence, origin), set()).add(path)
        found: dict[str, dict[str, dict[str | None, int]]] = {source.name: {} for source in self.sources}
        for (source, licence, origin), own in sorted(paths.items(), key=lambda one: (-len(one[1]), str(one[0]))):
            found[self.sources[source].name].setdefault(licence, {})[origin] = len(own)
        return found

    def summaries(self) -> list[SourceSummary]:
        """Return how much of each source is inside, by id."""
        a_fingerprint = self.path.stat().st_size / max(1, self.postings)
        paths: list[set[bytes]] = [set() for _ in self.sources]
        counts = np.zeros((len(self.sources), 3), np.int64)  # whole files, fingerprints, bytes
        for content, row in self.all_contents():
            text = self.packed_text(content)
            for file in row.files:
                paths[file.source].add(file.path)
                counts[file.source, :2] += row.fingerprints == 0, row.fingerprints
            size = round(a_fingerprint * row.fingerprints) + (len(text.packed) if text else 0)
            counts[[*{file.source for file in row.files}], 2] += size
        columns = zip(self.sources, paths, *counts.T.tolist(), strict=True)
        return [
            SourceSummary(source, len(own), whole, fingerprints, number in self.with_text, size)
            for number, (source, own, whole, fingerprints, size) in enumerate(columns)
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
            "directory": -(-self.contents // schema.DIRECTORY),
            "pack": -(-int(self.directory.packs[-1]) // schema.PACK_CHUNK),
            "block": self.blocks.how_many + self.crowd_blocks.how_many,
            "text": self.texts,
            "overflow": -(-self.cut // schema.OVERFLOW_POSTINGS),
        }
        for table, count in expected.items():
            if self._sqlite.query(f"SELECT count(*) FROM {table}") != [(count,)]:  # noqa: S608
                raise self.damaged(f"{table} rows are missing, or there are too many")
