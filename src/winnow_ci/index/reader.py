"""Reading an index: opening, looking up, listing. Nothing here writes, and nothing unchecked is believed."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from winnow_ci.errors import IndexFileError
from winnow_ci.index import description, schema
from winnow_ci.index.remaking import remedy
from winnow_ci.index.rows import ContentRow, FileRow, SourceSummary, is_source, source_of
from winnow_ci.index.versions import told
from winnow_ci.model import Parameters, Selection, Source, SourceFile, TokenMap

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray
    from typing_extensions import Self

# So many that they stay in the processor's cache from being read to being searched.
BLOCKS_A_QUERY = 128
_SIZES = (
    f"SELECT source, sum({schema.POSTING.itemsize} * fingerprints + length(map) + coalesce(length(packed), 0))"  # noqa: S608
    " FROM (SELECT DISTINCT source, content FROM file) AS holds"
    " JOIN content ON content.id = holds.content LEFT JOIN text ON text.content = holds.content GROUP BY source"
)
# Of SQLite's header, as far as it tells the size of a page and how many there are (its file format, section 1.3).
_HEADER = 32


class IndexReader:
    """An index, opened for reading.

    Raises:
        IndexFileError: the file is missing, not an index, of another version, or damaged; also from every method that
            reads something damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            msg = f"no index at {path}"
            build = "build one with: winnow-ci index build DIR --output INDEX --name NAME"
            raise IndexFileError(msg, remedy(path, build, is_there=False))
        self._connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            self._check_format()
            self._meta = self._read_meta()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

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
        """Number of contents, the first ones, of which each k-gram is boilerplate."""
        return int(self._meta["boilerplate"])

    @property
    def bits(self) -> int:
        """How many upper bits of a hash name its block."""
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
        """The files that have a content, ordered by source and path; versions of a project have its name."""
        return tuple(
            SourceFile(self._source_of(file), file.path.decode("utf-8", "surrogateescape"))
            for file in self.content(content).files
        )

    def _source_of(self, file: FileRow) -> Source:
        source = self._told[file.source]
        return source._replace(license=file.license, license_from="the file") if file.license else source

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The sources, by id, under the names that they are stored by."""
        return tuple(source_of(fields) for *fields, _ in self._source_rows)

    @property
    def names(self) -> frozenset[str]:
        """The names that ``files`` gives sources: versions of a project have one."""
        return frozenset(source.name for source in self._told)

    @cached_property
    def _told(self) -> tuple[Source, ...]:
        return tuple(map(told, self.sources))

    @cached_property
    def with_text(self) -> frozenset[int]:
        """The sources, by id, whose text is inside."""
        return frozenset(number for number, row in enumerate(self._source_rows) if row[-2])

    @cached_property
    def _source_rows(self) -> list[tuple[Any, ...]]:
        columns = "name, version, license, url, purl, license_from, inputs, boilerplate, text, digest"
        rows = self._rows(f"SELECT {columns} FROM source ORDER BY id")  # noqa: S608
        if len(rows) != int(self._meta["sources"]):
            raise self.damaged("sources")
        if any(schema.digest(*fields) != digest or not is_source(fields) for *fields, digest in rows):
            raise self.damaged("a source")
        return rows

    def summaries(self) -> list[SourceSummary]:
        """How much of each source is inside."""
        rows = self._rows(
            "SELECT source, count(DISTINCT path), sum(fingerprints) FROM file JOIN content ON content.id = content"
            " GROUP BY source"
        )
        counts = {source: (files, fingerprints) for source, files, fingerprints in rows}
        sizes = dict(self._rows(_SIZES))
        return [
            SourceSummary(source, *counts.get(number, (0, 0)), number in self.with_text, sizes.get(number, 0))
            for number, source in enumerate(self.sources)
        ]

    def content(self, content: int) -> ContentRow:
        """One content with its files, checked."""
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
        """The text of a content as stored, if there is one; as it was written, but not decompressed."""
        if not self.texts:
            return None
        rows = self._rows("SELECT size, packed, digest FROM text WHERE content = ?", [content])
        for size, packed, digest in rows:
            if schema.digest(content, size, packed) != digest:
                raise self.damaged(f"text of content {content}")
        return schema.PackedText(*rows[0][:2]) if rows else None

    def blocks(self, numbers: Iterable[int]) -> NDArray[np.void]:
        """The postings of blocks, given by rising number; ``schema.POSTING``, ordered by hash."""
        return np.frombuffer(b"".join(self.block_rows(numbers)), schema.POSTING)

    def block_rows(self, numbers: Iterable[int]) -> Iterator[bytes]:
        """The postings of each block, as stored, checked."""
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
        """Compare the number of rows of ``file`` with that of those that contents have.

        Raises:
            IndexFileError: there are others.
        """
        if self._rows("SELECT count(*) FROM file") != [(count,)]:
            raise self.damaged("there are files of no content")

    def check_digest(self, digests: Iterable[bytes]) -> None:
        """Compare the digests of all rows (sources, contents, blocks, texts, each by id) with that of the whole index.

        Raises:
            IndexFileError: they differ.
        """
        if schema.index_digest(self._meta, digests) != self.digest:
            raise self.damaged("it does not have the digest that it says")

    def damaged(self, what: str) -> IndexFileError:
        """The error to raise for something in here that is not as it should be."""
        msg = f"the index {self.path} is damaged: {what}"
        again = "restore it from a copy, or build it again: winnow-ci index build"
        return IndexFileError(msg, remedy(self.path, again))

    def _check_format(self) -> None:
        with self._guard():
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                self._connection.execute(f"PRAGMA {pragma}")
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            tables = dict(self._connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        if application != schema.APPLICATION_ID:
            msg = f"{self.path} is not an index of winnow-ci"
            raise IndexFileError(msg, "name an index that winnow-ci index build has written")
        if version != schema.VERSION:
            msg = f"{self.path} has index format {version}, this winnow-ci reads format {schema.VERSION}"
            again = "build it again, in a new place: winnow-ci index build DIR --output INDEX --name NAME"
            raise IndexFileError(
                msg, "install a newer winnow-ci" if version > schema.VERSION else remedy(self.path, again)
            )
        if tables != schema.TABLES:
            raise self.damaged("its tables are not those of an index")
        self._check_length()

    def _check_length(self) -> None:
        """A lookup does not read all of a file, so it may not notice that the end of it is gone."""
        with self.path.open("rb") as file:
            header = file.read(_HEADER)
            size = file.seek(0, os.SEEK_END)
        page, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
        if size != (page if page > 1 else 1 << 16) * pages:
            raise self.damaged("it does not have the length that it says")

    def _read_meta(self) -> dict[str, str]:
        meta = dict(self._rows("SELECT key, value FROM meta ORDER BY key"))
        expected = meta.pop("meta_digest", None)
        if expected != schema.digest(*(part for row in meta.items() for part in row)).hex():
            raise self.damaged("its description")
        with self._guard():
            description.check(meta, self.path)
        return meta

    def _rows(self, query: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        with self._guard():
            return self._connection.execute(query, tuple(values)).fetchall()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if "not a database" in str(error):
                msg = f"{self.path} is not an index of winnow-ci"
                raise IndexFileError(msg, "name an index that winnow-ci index build has written") from error
            raise self.damaged(str(error)) from error
        except (ValueError, IndexError, zlib.error) as error:
            raise self.damaged(str(error)) from error
