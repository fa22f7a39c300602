"""Fill the file of a new index row by row, then replace the old one as a whole or not at all.

The new index is written into an unfinished file beside the old one, synced, and renamed, so a build that is killed at
any moment leaves the old index as it was. The unfinished file is locked before the old index is read and until the
rename: two builds of one index cannot lose each other's sources, and the next build overwrites what a killed one left.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from winnow_ci import system
from winnow_ci.errors import IndexFileError
from winnow_ci.index import schema
from winnow_ci.index.journal import Journal
from winnow_ci.index.rows import DigestedRow, DigestTree, StoredValue

_LOCK_PATIENCE = 1.0  # seconds to wait for a lock, which the workers of a killed build hold until they notice
ELSEWHERE = "make room, or name another place with --output"


@contextmanager
def replacing(path: Path, journal: Path | None = None, *, remedy: str = ELSEWHERE) -> Iterator[Path]:
    """Yield an empty, locked file that replaces ``path`` if the block ends well, and is deleted otherwise.

    Then the journal, if this continues one, is deleted. ``remedy`` says what to do if the file cannot be written.
    Raises ``IndexFileError`` in that case, or if another process is writing it.
    """
    if path.is_dir():
        problem = f"cannot write the index {path}: it is a folder"
        raise IndexFileError(problem, "name a file in that folder with --output")
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(unfinished) as descriptor:
            try:
                yield unfinished
                os.fsync(descriptor)
                # After the rename the next writer may begin, and a file at the old names may be its own.
                if journal is not None:
                    with suppress(OSError):
                        journal.unlink()
                system.rename_over(unfinished, path)
            except BaseException:
                unfinished.unlink(missing_ok=True)
                raise
            system.sync_folder(path.parent)
    except (OSError, sqlite3.Error) as error:
        msg = f"cannot write the index {path}: {getattr(error, 'strerror', None) or error}"
        raise IndexFileError(msg, f"{remedy}; the old index is unchanged") from error


@contextmanager
def continuing(place: Path, description: str) -> Iterator[Journal]:
    """Yield the journal at a place, with what an earlier build of the same description left there.

    For use within ``replacing``. If the block fails or is interrupted, the journal is kept. Where nothing can be
    written, or while another build has the journal, it is a temporary file.
    """
    journal = Journal(_opened_journal(place), description)
    try:
        yield journal
    except BaseException:
        # If the disk is full, what was written before is kept.
        with suppress(OSError):
            journal.flush()
        if not (journal.kept or journal.is_temporary):
            place.unlink(missing_ok=True)
        raise
    finally:
        journal.close()


def _opened_journal(place: Path) -> int | None:
    """Open and lock the journal at a place; return None if that fails."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor = system.open_file(place, os.O_RDWR | os.O_CREAT)
    except OSError:
        return None
    with suppress(OSError):
        if system.lock(descriptor):
            return descriptor
    os.close(descriptor)
    return None


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    descriptor = system.open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        given_up = time.monotonic() + _LOCK_PATIENCE
        while not (free := system.lock(descriptor)) and time.monotonic() < given_up:
            time.sleep(_LOCK_PATIENCE / 20)
        # A build that has just finished may have renamed it.
        if not (free and _is_at(descriptor, path)):
            remedy = "wait until it has finished, then run this again"
            raise IndexFileError(f"another process is writing {path}", remedy)
        os.ftruncate(descriptor, 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


class IndexTables:
    """The tables of a new index file, filled row by row in one order, so that equal rows give equal bytes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.tree = DigestTree()

    def add(self, table: str, rows: Iterable[tuple[StoredValue, ...]]) -> None:
        """Add rows."""
        columns = self._connection.execute(f"PRAGMA table_info({table})").fetchall()
        marks = ", ".join("?" * len(columns))
        self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608

    def add_digested(self, table: str, rows: Iterable[DigestedRow], branch: str | None = None) -> None:
        """Add rows with their digests; ``branch``: of the tree, if it is not called like the table."""
        self.add(table, self._in_tree(rows, branch or table))

    def add_description(self, meta: dict[str, str]) -> None:
        """Fill the table ``meta``, which comes last as it holds the digest of all other rows, unless that is given."""
        meta.setdefault("digest", self.tree.root(meta))
        meta["meta_digest"] = schema.digest(*(part for row in sorted(meta.items()) for part in row)).hex()
        self.add("meta", sorted(meta.items()))

    def _in_tree(self, rows: Iterable[DigestedRow], branch: str) -> Iterator[tuple[StoredValue, ...]]:
        for fields, digest, shard, leaf in rows:
            self.tree.add(branch, shard, leaf or digest)
            yield *fields, digest


@contextmanager
def filling(
    path: Path, application: int = schema.APPLICATION_ID, tables: Mapping[str, str] = schema.TABLES
) -> Iterator[IndexTables]:
    """Open an empty file, yield its tables to be filled, and commit them; may raise ``sqlite3.Error``."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for pragma in (f"page_size = {schema.PAGE_SIZE}", "journal_mode = OFF", "synchronous = OFF"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(f"PRAGMA application_id = {application}")
        connection.execute(f"PRAGMA user_version = {schema.FORMAT_VERSION}")
        connection.execute("BEGIN")
        for create in tables.values():
            connection.execute(create)
        yield IndexTables(connection)
        connection.execute("COMMIT")
    finally:
        connection.close()
