"""Opening an index file: is it an index, of a format that this version reads, and whole?"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_args

from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

_MANIFEST = "sources.yml"
# Where a manifest has its index, if it says nothing else.
_USUAL = (".winnow", "index.db")
_COUNTS = ("bits", "sources", "contents", "postings", "texts", "boilerplate")
_MOST_DIGITS = 18
# A file of 2^40 blocks would have 20 TB.
_MOST_BITS = 40
# The start of SQLite's header, which has the page size and the number of pages (its file format, section 1.3).
_HEADER = 32
_NAME_AN_INDEX = "name an index that winnow-ci index build has written"


class OpenedIndex:
    """An index file, opened for reading, whose format and description (the table ``meta``) have been checked.

    Raises:
        IndexFileError: the file is missing, not an index, of another version, or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            msg = f"no index at {path}"
            raise IndexFileError(msg, rebuild_remedy(path, _first_remedy(path), is_there=False))
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

    def damaged(self, what: str) -> IndexFileError:
        """The error to raise for something in the index that is damaged."""
        msg = f"the index {self.path} is damaged: {what}"
        again = "restore it from a copy, or build it again: winnow-ci index build"
        return IndexFileError(msg, rebuild_remedy(self.path, again))

    def _check_format(self) -> None:
        with self._guard():
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
                self._connection.execute(f"PRAGMA {pragma}")
            (application,) = self._connection.execute("PRAGMA application_id").fetchone()
            (version,) = self._connection.execute("PRAGMA user_version").fetchone()
            tables = dict(self._connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        if application != schema.APPLICATION_ID:
            raise IndexFileError(f"{self.path} is not an index of winnow-ci", _NAME_AN_INDEX)
        if version != schema.VERSION:
            msg = f"{self.path} has index format {version}, this winnow-ci reads format {schema.VERSION}"
            again = "build it again, in a new place: winnow-ci index build DIR --output INDEX --name NAME"
            raise IndexFileError(
                msg, "install a newer winnow-ci" if version > schema.VERSION else rebuild_remedy(self.path, again)
            )
        if tables != schema.TABLES:
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

    def _read_meta(self) -> dict[str, str]:
        meta = dict(self._rows("SELECT key, value FROM meta ORDER BY key"))
        expected = meta.pop("meta_digest", None)
        if expected != schema.digest(*(part for row in meta.items() for part in row)).hex():
            raise self.damaged("its description")
        with self._guard():
            _check_meta(meta, self.path)
        return meta

    def _rows(self, query: str, values: Iterable[object] = ()) -> list[tuple[Any, ...]]:
        with self._guard():
            return self._connection.execute(query, tuple(values)).fetchall()

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """Raise what goes wrong in reading and decoding as ``IndexFileError``."""
        try:
            yield
        except sqlite3.Error as error:
            if "not a database" in str(error):
                raise IndexFileError(f"{self.path} is not an index of winnow-ci", _NAME_AN_INDEX) from error
            raise self.damaged(str(error)) from error
        except (ValueError, IndexError, zlib.error) as error:
            raise self.damaged(str(error)) from error


def _first_remedy(index: Path) -> str:
    """How to make an index for the first time; one at the usual place has a manifest, which adding a source makes."""
    if index.absolute().parts[-2:] == _USUAL:
        return "add what it shall hold: winnow-ci index add PURL|URL|PATH"
    return "build one with: winnow-ci index build DIR --output INDEX --name NAME"


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


def _check_meta(meta: Mapping[str, str], path: Path) -> None:
    """Check a description whose digest is right.

    Args:
        meta: its rows, without ``meta_digest``.
        path: of the index, for messages.

    Raises:
        ValueError: no version can have written it; the message says what is wrong.
        IndexFileError: a version wrote it whose fingerprints this one cannot compare with its own.
    """
    if meta.keys() - {"tables"} != schema.META or not all(isinstance(value, str) for value in meta.values()):
        raise ValueError("its description is incomplete")
    if meta["algorithm"] != schema.ALGORITHM:
        msg = f"{path} was made with fingerprints of revision {meta['algorithm']}, not {schema.ALGORITHM}"
        raise IndexFileError(msg, "build it again: winnow-ci index build")
    numbers = {key: _number(meta[key]) for key in ("k", "w", *_COUNTS)}
    if numbers["bits"] > _MOST_BITS or not _maps_strings(json.loads(meta["front_ends"])):
        raise ValueError("its description says what cannot be")
    known = (
        numbers["k"] in KGRAM_LENGTHS and numbers["w"] in WINDOW_LENGTHS and meta["selection"] in get_args(Selection)
    )
    if not known:
        made = f"k = {meta['k']}, w = {meta['w']} and {meta['selection']} selection"
        msg = f"{path} was made with {made}, which this winnow-ci does not know"
        raise IndexFileError(msg, "install the winnow-ci that made it, or build it again: winnow-ci index build")


def _number(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) <= _MOST_DIGITS):
        raise ValueError("its description says what cannot be")
    return int(value)


def _maps_strings(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
