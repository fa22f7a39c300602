"""An index file as a store: is it an index, of a format that this version reads, and whole?"""

from __future__ import annotations

import os
import sqlite3
import zlib
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import IndexFileError, did_you_mean_file
from winnow_ci.index import schema
from winnow_ci.index.store import StoredContent, StoredText, batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from winnow_ci.index.store import StoredBlock

# Rows that one statement asks for: few enough to stay in the processor's cache from being read to being searched.
ROWS_A_QUERY = 128
_MANIFEST = "sources.yml"
# Where a manifest has its index, if it says nothing else.
_USUAL = (".winnow", "index.db")
# The start of SQLite's header, which has the page size and the number of pages (its file format, section 1.3).
_HEADER = 32
_NAME_AN_INDEX = "name an index that winnow-ci index build has written"
_SIZES = (
    f"SELECT source, sum({schema.POSTING.itemsize} * fingerprints + length(map) + coalesce(length(packed), 0))"  # noqa: S608
    " FROM (SELECT DISTINCT source, content FROM file) AS holds"
    " JOIN content ON content.id = holds.content LEFT JOIN text ON text.content = holds.content GROUP BY source"
)


class SqliteStore:
    """An index file, opened for reading, whose format has been checked; see ``store.Store``.

    Raises:
        IndexFileError: the file is missing, not an index, of another version, or damaged.
    """

    blocks_a_query = ROWS_A_QUERY

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            msg = f"no index at {path}"
            raise IndexFileError(msg, rebuild_remedy(path, _first_remedy(path), is_there=False))
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
        """The error to raise for something in the index that is damaged."""
        msg = f"the index {self.path} is damaged: {what}"
        again = "restore it from a copy, or build it again: winnow-ci index build"
        return IndexFileError(msg, rebuild_remedy(self.path, again))

    # ---- what a scan reads ---------------------------------------------------------------------------------------

    def meta(self) -> list[tuple[Any, Any]]:
        """All rows of ``meta``, by key."""
        return self._rows("SELECT key, value FROM meta ORDER BY key")

    def sources(self) -> list[tuple[Any, ...]]:
        """All rows of ``source``, by id."""
        columns = "id, name, version, license, url, purl, license_from, inputs, boilerplate, text, digest"
        return self._rows(f"SELECT {columns} FROM source ORDER BY id")  # noqa: S608

    def blocks(self, numbers: Sequence[int]) -> list[StoredBlock]:
        """Some blocks, by number."""
        return self._some("id, postings, digest FROM block", "id", numbers)

    def contents(self, ids: Sequence[int]) -> list[StoredContent]:
        """Some contents, by id."""
        columns = "id, key, language, front_end, tokens, fingerprints, map_digest, map, digest FROM content"
        files = self._some("content, source, path, license, license_from FROM file", "content, source, path", ids)
        by_content = {content: tuple(row[1:] for row in rows) for content, rows in groupby(files, lambda row: row[0])}
        return [
            StoredContent(content, tuple(fields), by_content.get(content, ()), digest)
            for content, *fields, digest in self._some(columns, "id", ids)
        ]

    def texts(self, ids: Sequence[int]) -> list[StoredText]:
        """The texts of some contents, by id."""
        return [StoredText(*row) for row in self._some("content, size, packed, digest FROM text", "content", ids)]

    def licences(self) -> list[Any]:
        """The licences of files that have their own, each once."""
        return [licence for (licence,) in self._rows("SELECT DISTINCT license FROM file")]

    # ---- what only those read who read all of it -----------------------------------------------------------------

    def content_ids(self) -> list[Any]:
        """The ids of all contents, in their order."""
        return [content for (content,) in self._rows("SELECT id FROM content ORDER BY id")]

    def overflow(self) -> Iterator[tuple[Any, ...]]:
        """All rows of ``overflow``, by id: id, postings, digest."""
        number = 0
        while rows := self._rows("SELECT id, postings, digest FROM overflow WHERE id = ?", [number]):
            yield from rows
            number += 1

    def own_licences(self) -> list[tuple[Any, ...]]:
        """Source, licence, where that was read, and number of files; those of most files first."""
        return self._rows(
            "SELECT source, license, license_from, count(DISTINCT path) AS files FROM file WHERE license IS NOT NULL"
            " GROUP BY source, license, license_from ORDER BY files DESC, license, license_from"
        )

    def file_counts(self) -> list[tuple[Any, ...]]:
        """Source, number of its files, of those that are known only as a whole, and of their fingerprints."""
        return self._rows(
            "SELECT source, count(DISTINCT path), sum(fingerprints = 0), sum(fingerprints)"
            " FROM file JOIN content ON content.id = content GROUP BY source"
        )

    def sizes(self) -> list[tuple[Any, ...]]:
        """Source, and bytes of what it has."""
        return self._rows(_SIZES)

    def count(self, table: str) -> Any:
        """Number of the rows of a table."""
        return self._rows(f"SELECT count(*) FROM {table}")[0][0]  # noqa: S608

    def check_structure(self) -> None:
        """Let SQLite check the file.

        Raises:
            IndexFileError: it is damaged.
        """
        problems = self._rows("PRAGMA integrity_check")
        if problems != [("ok",)]:
            raise self.damaged(str(problems[0][0]))

    # ---- reading -------------------------------------------------------------------------------------------------

    def _some(self, what: str, order: str, ids: Sequence[int]) -> list[tuple[Any, ...]]:
        """The rows of some ids; the first column of ``order`` is the id."""
        found: list[tuple[Any, ...]] = []
        for some in batches(ids, ROWS_A_QUERY):
            marks, key = ",".join("?" * len(some)), order.partition(",")[0]
            found += self._rows(f"SELECT {what} WHERE {key} IN ({marks}) ORDER BY {order}", some)
        return found

    def _rows(self, query: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        with self.guard():
            return self._connection.execute(query, tuple(values)).fetchall()

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
        with self.guard():
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                self._connection.execute(f"PRAGMA {pragma}")
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            rows = self._connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
        tables = {name: sql for _, name, sql in rows if sql is not None}
        kinds = {kind for kind, _, _ in rows}
        if application != schema.APPLICATION_ID:
            raise IndexFileError(f"{self.path} is not an index of winnow-ci", _NAME_AN_INDEX)
        if version != schema.VERSION:
            msg = f"{self.path} has index format {version}, this winnow-ci reads format {schema.VERSION}"
            again = "build it again, in a new place: winnow-ci index build DIR --output INDEX --name NAME"
            raise IndexFileError(
                msg, "install a newer winnow-ci" if version > schema.VERSION else rebuild_remedy(self.path, again)
            )
        if tables != schema.TABLES or not kinds <= {"table", "index"}:
            raise self.damaged("its tables are not those of an index")
        self._check_length()

    def _check_length(self) -> None:
        """Compare the length of the file with its header: a lookup may not read the end, and not notice its loss."""
        with self.path.open("rb") as file:
            header = file.read(_HEADER)
            size = file.seek(0, os.SEEK_END)
        page, pages = int.from_bytes(header[16:18], "big"), int.from_bytes(header[28:32], "big")
        if size != (page if page > 1 else 1 << 16) * pages:
            raise self.damaged("it does not have the length that it says")


def _first_remedy(index: Path) -> str:
    """The index that may have been meant, or how to make one: at the usual place by adding a source to its manifest."""
    remedy = "build one with: winnow-ci index build DIR --output INDEX --name NAME"
    if index.absolute().parts[-2:] == _USUAL:
        remedy = "add what it shall hold: winnow-ci index add PURL|URL|PATH"
    return did_you_mean_file(index, remedy)


def rebuild_remedy(index: Path, otherwise: str, *, is_there: bool = True) -> str:
    """How to get an index that can be used: from its manifest, if there is one beside it.

    Args:
        index: path of the index.
        otherwise: what to do if there is no manifest.
        is_there: whether a file has to be deleted first, since nothing overwrites it.
    """
    if not index.with_name(_MANIFEST).is_file():
        return otherwise
    return f"{'delete it, then ' if is_there else ''}make it of its manifest: winnow-ci index sync"
