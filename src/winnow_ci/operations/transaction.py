"""Manifest, lock and index change together or not at all.

The new index is made beside the old one. When all of it is ready, the manifest is written, then the lock, and then the
new index takes the place of the old one. A failure or ^C before the index is in its place puts manifest and lock back.
A process that is killed puts nothing back: but the index follows from the other two, and the next sync makes it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from winnow_ci.config.lock import lock_text, parse_lock
from winnow_ci.errors import UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import atomic_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from winnow_ci.config.lock import SourceLock
    from winnow_ci.config.manifest import Manifest


class ManifestEdit(NamedTuple):
    """The text of a manifest, and what it is to become; an empty text stands for no file."""

    before: bytes
    after: bytes


@contextmanager
def together(manifest: Manifest, edit: ManifestEdit | None = None) -> Iterator[Transaction]:
    """Give what writes the lock, and the manifest if it is edited; if the block fails, both become what they were.

    Raises:
        UsageError: the file is not what the edit began with.
    """
    transaction = Transaction(manifest, edit)
    try:
        yield transaction
    except BaseException:
        transaction.put_back()
        raise


def lock_beside(manifest: Path) -> Path:
    """Where the lock of a manifest is."""
    return manifest.with_suffix(".lock")


class Transaction:
    """A manifest and its lock, and what they were when the work began."""

    def __init__(self, manifest: Manifest, edit: ManifestEdit | None) -> None:
        self._manifest, self._lock, self._index = manifest.path, lock_beside(manifest.path), manifest.index
        self._text = edit.after if edit else None
        self._before = {path: _content(path) for path in (self._manifest, self._lock)}
        if edit and (self._before[self._manifest] or b"") != edit.before:
            raise _changed(self._manifest)
        self._written: list[Path] = []
        self._old_index: tuple[int, ...] | None = None

    def write(self, lock: SourceLock) -> None:
        """Write the manifest, if it is edited, and the lock, if it has changed.

        To be called while the old index is in its place and nobody else may replace it.

        Raises:
            UsageError: somebody else has written one of them.
            ConfigError: the lock could not be read again.
        """
        for path, before in self._before.items():
            if _content(path) != before:
                raise _changed(path)
        text = lock_text(lock).encode()
        # A registry may call a version or a file what a lock cannot say.
        parse_lock(text, str(self._lock))
        old_index = _identity(self._index)
        for path, content in ((self._manifest, self._text), (self._lock, text)):
            if content is not None and content != self._before[path]:
                self._written.append(path)
                atomic_file.replace(path, content)
        self._old_index = old_index

    def put_back(self) -> None:
        """Make the files that have been written what they were, unless the new index is in its place already."""
        if self._old_index is not None and _identity(self._index) != self._old_index:
            return
        for path in self._written:
            before = self._before[path]
            if before is None:
                path.unlink(missing_ok=True)
            else:
                atomic_file.replace(path, before)


def _changed(path: Path) -> UsageError:
    return UsageError(f"{path} has changed meanwhile", "run this again")


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _identity(path: Path) -> tuple[int, ...]:
    """Which file is at a path; empty for none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return ()
    return found.st_dev, found.st_ino
