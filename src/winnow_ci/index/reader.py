"""Reading the rows of an index. Nothing here writes, and nothing unchecked is believed."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from winnow_ci.index import schema
from winnow_ci.index.opening import OpenedIndex
from winnow_ci.index.rows import ContentRow, FileRow, SourceSummary, display_source, is_source, source_of
from winnow_ci.model import Parameters, Selection, Source, SourceFile, TokenMap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

# Blocks read at a time: few enough to stay in the processor's cache from being read to being searched.
BLOCKS_A_QUERY = 128
# Where the licence of a single file was read; version 4 of the format does not say which of the two it was.
_OF_FILE = "the file or its folder"
_SIZES = (
    f"SELECT source, sum({schema.POSTING.itemsize} * fingerprints + length(map) + coalesce(length(packed), 0))"  # noqa: S608
    " FROM (SELECT DISTINCT source, content FROM file) AS holds"
    " JOIN content ON content.id = holds.content LEFT JOIN text ON text.content = holds.content GROUP BY source"
)


class IndexReader(OpenedIndex):
    """An index, opened for reading.

    Raises:
        IndexFileError: as ``OpenedIndex`` does; also from every method that reads something damaged.
    """

    @property
    def parameters(self) -> Parameters:
        """What the fingerprints inside were made with."""
        meta = self._meta
        return Parameters(int(meta["k"]), int(meta["w"]), cast("Selection", meta["selection"]))

    @property
    def front_ends(self) -> dict[str, str]:
        """Revision of each front end (family) whose tokens are inside."""
        return cast("dict[str, str]", json.loads(self._meta["front_ends"]))

    @property
    def tables(self) -> str:
        """Digest of the learnt tables (``evidence.tables``) with which the index was made."""
        return self._meta.get("tables", schema.FIRST_TABLES)

    @property
    def digest(self) -> str:
        """Digest of everything inside, in hexadecimal; equal for equal inputs."""
        return self._meta["digest"]

    @property
    def postings(self) -> int:
        """Number of fingerprints inside."""
        return int(self._meta["postings"])

    @property
    def contents(self) -> int:
        """Number of distinct contents inside."""
        return int(self._meta["contents"])

    @property
    def texts(self) -> int:
        """Number of contents whose text is inside."""
        return int(self._meta["texts"])

    @property
    def boilerplate(self) -> int:
        """Number of contents that are boilerplate; they come first."""
        return int(self._meta["boilerplate"])

    @property
    def bits(self) -> int:
        """How many upper bits of a hash give its block."""
        return int(self._meta["bits"])

    def token_map(self, content: int) -> TokenMap:
        """Lines and sketches of a content's tokens."""
        row = self.content(content)
        with self._guard():
            tokens = schema.unpack_map(row.map)
        if len(tokens.sketch) != row.tokens:
            raise self.damaged(f"token map of content {content}")
        return tokens

    def files(self, content: int) -> tuple[SourceFile, ...]:
        """The files that have a content, ordered by source and path, with sources as ``display_source`` names them."""
        return tuple(
            self._file(row, row.path.decode("utf-8", "surrogateescape")) for row in self.content(content).files
        )

    def _file(self, row: FileRow, path: str) -> SourceFile:
        source = self._displayed[row.source]
        if not row.license:
            return SourceFile(source, path)
        own = source._replace(license=row.license, license_from=_OF_FILE)
        return SourceFile(own, path, package_license=source.license)

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources by id, under the names by which they are stored."""
        return tuple(source_of(fields) for *fields, _ in self._source_rows)

    @property
    def names(self) -> frozenset[str]:
        """The names of sources as ``files`` gives them; all versions of a project have one name."""
        return frozenset(source.name for source in self._displayed)

    def licences(self) -> frozenset[str]:
        """The licences of all sources and files; reads the list of files, without checking its rows."""
        own = (licence for (licence,) in self._rows("SELECT DISTINCT license FROM file", []))
        return frozenset(source.license for source in self.sources).union(one for one in own if isinstance(one, str))

    def own_licences(self) -> dict[str, dict[str, int]]:
        """Stored names of sources → licences of single files → how many files; reads rows without checking them."""
        query = (
            "SELECT source, license, count(DISTINCT path) FROM file WHERE license IS NOT NULL"
            " GROUP BY source, license ORDER BY source, count(DISTINCT path) DESC, license"
        )
        found: dict[str, dict[str, int]] = {source.name: {} for source in self.sources}
        for source, licence, files in self._rows(query):
            if type(source) is not int or not 0 <= source < len(self.sources) or type(licence) is not str:
                raise self.damaged("files")
            found[self.sources[source].name][licence] = files
        return found

    @cached_property
    def _displayed(self) -> tuple[Source, ...]:
        return tuple(map(display_source, self.sources))

    @cached_property
    def with_text(self) -> frozenset[int]:
        """Ids of the sources whose text is inside."""
        return frozenset(number for number, row in enumerate(self._source_rows) if row[-2])

    @cached_property
    def _source_rows(self) -> list[tuple[Any, ...]]:
        columns = "name, version, license, url, purl, license_from, inputs, boilerplate, text, digest"
        numbered = self._rows(f"SELECT id, {columns} FROM source ORDER BY id")  # noqa: S608
        # Files name sources by id: with another order, they would be those of another source.
        if [row[0] for row in numbered] != list(range(int(self._meta["sources"]))):
            raise self.damaged("sources")
        rows = [row[1:] for row in numbered]
        if any(schema.digest(*fields) != digest or not is_source(fields) for *fields, digest in rows):
            raise self.damaged("a source")
        return rows

    def summaries(self) -> list[SourceSummary]:
        """How much of each source is inside, by id."""
        rows = self._rows(
            "SELECT source, count(DISTINCT path), sum(fingerprints) FROM file JOIN content ON content.id = content"
            " GROUP BY source"
        )
        counts = {source: (files, fingerprints) for source, files, fingerprints in rows}
        sizes = dict(self._rows(_SIZES))
        # Rows are summed up unchecked; a page that is damaged can hold values of any type.
        if not {type(number) for numbers in (*counts.values(), *sizes.items()) for number in numbers} <= {int}:
            raise self.damaged("a number of fingerprints or bytes")
        return [
            SourceSummary(source, *counts.get(number, (0, 0)), number in self.with_text, sizes.get(number, 0))
            for number, source in enumerate(self.sources)
        ]

    def key(self, content: int) -> bytes:
        """The key of a content, not checked against its digest."""
        rows = self._rows("SELECT key FROM content WHERE id = ?", [content])
        if len(rows) != 1 or type(rows[0][0]) is not bytes:
            raise self.damaged(f"content {content}")
        return bytes(rows[0][0])

    def content(self, content: int) -> ContentRow:
        """The row of a content with its files, checked."""
        columns = "key, language, front_end, tokens, fingerprints, map, digest"
        rows = self._rows(f"SELECT {columns} FROM content WHERE id = ?", [content])  # noqa: S608
        files = self._rows("SELECT source, path, license FROM file WHERE content = ? ORDER BY source, path", [content])
        if len(rows) != 1:
            raise self.damaged(f"content {content}")
        key, language, front_end, tokens, fingerprints, token_map, digest = rows[0]
        row = ContentRow(key, language, front_end, tokens, fingerprints, token_map, tuple(map(FileRow._make, files)))
        if row.digest() != digest or not row.fits(len(self.sources)):
            raise self.damaged(f"content {content}")
        return row

    def text(self, content: int) -> bytes | None:
        """The bytes of a content's file, checked; None if the index does not keep them."""
        row, text = self.content(content), self.packed_text(content)
        if (text is not None) != any(file.source in self.with_text for file in row.files):
            raise self.damaged(f"text of content {content}")
        if text is None:
            return None
        with self._guard():
            unpacked = schema.unpack_text(text)
        if schema.content_key(row.language, unpacked) != row.key:
            raise self.damaged(f"text of content {content} is that of another")
        return unpacked

    def packed_text(self, content: int) -> schema.PackedText | None:
        """The text of a content as stored, if there is one: checked against its digest, not decompressed."""
        if not self.texts:
            return None
        rows = self._rows("SELECT size, packed, digest FROM text WHERE content = ?", [content])
        for size, packed, digest in rows:
            if schema.digest(content, size, packed) != digest:
                raise self.damaged(f"text of content {content}")
        return schema.PackedText(*rows[0][:2]) if rows else None

    def blocks(self, numbers: Iterable[int]) -> NDArray[np.void]:
        """The postings of blocks, given by rising numbers: ``schema.POSTING``, ordered by hash."""
        return np.frombuffer(b"".join(self.block_rows(numbers)), schema.POSTING)

    def all_postings(self) -> Iterator[NDArray[np.void]]:
        """The postings of all blocks, ``BLOCKS_A_QUERY`` blocks at a time."""
        for first in range(0, 1 << self.bits, BLOCKS_A_QUERY):
            postings = self.blocks(range(first, min(first + BLOCKS_A_QUERY, 1 << self.bits)))
            if (postings["content"] >= self.contents).any():
                raise self.damaged("a block holds postings that cannot be")
            yield postings

    def block_rows(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """The postings of each block as stored, checked."""
        wanted = list(numbers)
        for start in range(0, len(wanted), BLOCKS_A_QUERY):
            some = wanted[start : start + BLOCKS_A_QUERY]
            marks = ",".join("?" * len(some))
            query = f"SELECT id, postings, digest FROM block WHERE id IN ({marks}) ORDER BY id"  # noqa: S608
            rows = self._rows(query, some)
            if [number for number, _, _ in rows] != some:
                raise self.damaged("a block is missing")
            for number, postings, digest in rows:
                if type(postings) is not bytes or len(postings) % schema.POSTING.itemsize:
                    raise self.damaged(f"block {number}")
                if schema.block_digest(number, postings) != digest:
                    raise self.damaged(f"block {number}")
                yield postings

    def check_structure(self) -> None:
        """Let SQLite check the file, and count the rows of each table.

        Raises:
            IndexFileError: something is damaged.
        """
        problems = self._rows("PRAGMA integrity_check")
        if problems != [("ok",)]:
            raise self.damaged(str(problems[0][0]))
        expected = {
            "source": len(self.sources),
            "content": self.contents,
            "block": 1 << self.bits,
            "text": self.texts,
        }
        for table, count in expected.items():
            if self._rows(f"SELECT count(*) FROM {table}") != [(count,)]:  # noqa: S608
                raise self.damaged(f"{table} rows are missing, or there are too many")

    def check_files(self, count: int) -> None:
        """Compare the number of rows of ``file`` with the number that the contents have.

        Raises:
            IndexFileError: they differ.
        """
        if self._rows("SELECT count(*) FROM file") != [(count,)]:
            raise self.damaged("there are files of no content")

    def check_digest(self, digests: Iterable[bytes]) -> None:
        """Compare the digest of the index with one made of all rows (sources, contents, blocks, texts, each by id).

        Raises:
            IndexFileError: they differ.
        """
        if schema.index_digest(self._meta, digests) != self.digest:
            raise self.damaged("it does not have the digest that it says")
