"""Fetched files, kept in the user's cache folder under their sha256.

``files/ab/abcd…`` has a file completely or not at all: it is written elsewhere in the folder (``incoming-…``), synced
and renamed. So a run that is killed leaves no partial file, and parallel runs put the same content at the same place.
A file is hashed at each use; if its sha256 is not its name, it is ignored, and replaced later. So is a link, a pipe or
a device: whoever restores a cache restores what some earlier job has left. The folder may be deleted at any time; what
was not used for long goes when it becomes too large (``cache_folder``).

Hashing takes a second for each GB. Where nobody but the user can have written to the folder, ``get`` may remember that
a file was right: ``ab/abcd….seen`` has the identity (device, inode, size, times of the last change) of the hashed file.
The kernel sets one of these times (ctime), which no program can choose, so a file that is unpacked, copied or written
there has another identity. A file that changed less than two seconds before it was hashed is not remembered: it may
change again at what is the same time to the kernel.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from winnow_ci import run_log
from winnow_ci.errors import FetchError
from winnow_ci.fetching import cache_folder
from winnow_ci.fetching.cache_folder import folder
from winnow_ci.regular_file import NOT_REGULAR, open_regular

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LARGEST_FILE = 8 << 30
"""Bytes that a file may have that is fetched."""

_CHUNK = 1 << 20
_LONGEST_IDENTITY = 200
_SETTLED = 2.0  # seconds
_ABANDONED = 60.0  # seconds
_PREFIX = "incoming-"
_REMEDY = "make room there, or name another folder with WINNOW_CI_CACHE_DIR"


def get(sha256: str, *, remember: bool = False) -> Path | None:
    """The file with this sha256, if it is there and complete.

    Args:
        sha256: 64 lower-case hexadecimal digits.
        remember: do not hash a file again that was hashed before and has not changed since.

    Raises:
        FetchError: the file cannot be read.
    """
    place = _place(sha256)
    with cache_folder.using():
        opened = _opened(place)
        if opened is None:
            return None
        cache_folder.mark_used(place)
    try:
        with opened as file:
            run_log.tell(f"reading {place} of the cache")
            identity = _identity(file)
            if remember and _seen(place) == identity:
                return place
            lasting = remember and time.time() - os.fstat(file.fileno()).st_ctime > _SETTLED
            found = _digest(file)
    except OSError as error:
        raise _unreadable(place, error) from error
    if found != sha256:
        # The right file will replace it. Deleting it here could delete what another run has just put there.
        return None
    if lasting:
        _remember(place, identity)
    return place


def put(
    source: Path | BinaryIO, sha256: str | None = None, progress: Callable[[int, int | None], object] | None = None
) -> Path:
    """Copy a file into the cache.

    Args:
        source: the file, or an open one that is read to its end.
        sha256: what the content must have.
        progress: gets the size of the file, and that again as the whole, when it is there.

    Raises:
        FetchError: the content has another sha256, or it cannot be read or written.
    """
    with incoming() as file:
        try:
            if isinstance(source, Path):
                with source.open("rb") as opened:
                    _copy(opened, file)
            else:
                _copy(source, file)
        except OSError as error:
            raise FetchError(f"{source}: {error.strerror or error}", "make it readable, or name another") from error
        if sha256 is not None and file.sha256 != sha256:
            problem = f"{getattr(source, 'name', source)}: its sha256 is {file.sha256}, not {sha256}"
            raise FetchError(problem, "find out which of the two is right before you use the file")
        kept = file.keep()
    if progress:
        size = kept.stat().st_size
        progress(size, size)
    return kept


class IncomingFile:
    """A file on its way into the cache; it is deleted if it is not kept."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Of what has been written so far."""
        return self._hash.hexdigest()

    def write(self, content: bytes) -> None:
        """Add to the end.

        Raises:
            FetchError: it cannot be written.
        """
        try:
            self._file.write(content)
        except OSError as error:
            raise _unwritable(error) from error
        self._hash.update(content)

    def restart(self) -> None:
        """Discard what has been written."""
        self._file.seek(0)
        self._file.truncate()
        self._hash = hashlib.sha256()

    def keep(self, place: Path | None = None) -> Path:
        """Move the file to the place of its sha256, or to another place in the cache.

        Raises:
            FetchError: it cannot be written.
        """
        kept = place or _place(self.sha256)
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            kept.parent.mkdir(parents=True, exist_ok=True)
            self._path.replace(kept)
        except OSError as error:
            raise _unwritable(error) from error
        if place is None:
            cache_folder.shrink()
        return kept


@contextmanager
def incoming() -> Iterator[IncomingFile]:
    """Give a file to write to.

    Raises:
        FetchError: the cache cannot be written.
    """
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        _sweep()
        descriptor, name = tempfile.mkstemp(prefix=_PREFIX, dir=folder())
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except OSError as error:
        raise _unwritable(error) from error
    path = Path(name)
    file = os.fdopen(descriptor, "wb")
    try:
        yield IncomingFile(file, path)
    finally:
        # Content that is still buffered belongs to a file that is not kept.
        with suppress(OSError):
            file.close()
        path.unlink(missing_ok=True)


def _unwritable(error: OSError) -> FetchError:
    return FetchError(f"cannot write to the cache {folder()}: {error.strerror or error}", _REMEDY)


def _place(sha256: str) -> Path:
    # It becomes part of a path, and comes from files that a change may edit.
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise FetchError(f"{sha256!r:.80} is no sha256", "write 64 hexadecimal digits in lower case")
    return folder() / "files" / sha256[:2] / sha256


def _copy(source: BinaryIO, target: IncomingFile) -> None:
    while chunk := source.read(_CHUNK):
        target.write(chunk)


def _opened(place: Path) -> BinaryIO | None:
    """The file at a place; None if it is something else, or larger than any that is put there."""
    try:
        file = open_regular(place, follow=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in NOT_REGULAR:
            return None
        raise _unreadable(place, error) from error
    if os.fstat(file.fileno()).st_size <= LARGEST_FILE:
        return file
    file.close()
    return None


def _unreadable(place: Path, error: OSError) -> FetchError:
    return FetchError(f"{place}: {error.strerror}", f"delete it, or {_REMEDY}")


def _digest(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def _identity(file: BinaryIO) -> str:
    found = os.fstat(file.fileno())
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _seen(place: Path) -> str | None:
    with suppress(OSError, ValueError), open_regular(place.with_suffix(".seen"), follow=False) as file:
        return file.read(_LONGEST_IDENTITY).decode("ascii")
    return None


def _remember(place: Path, identity: str) -> None:
    # It does not matter if that fails.
    with suppress(FetchError), incoming() as file:
        file.write(identity.encode("ascii"))
        file.keep(place.with_suffix(".seen"))


def _sweep() -> None:
    """Delete what killed runs have left. A run that still writes has a lock, or has only just begun."""
    for path in folder().glob(f"{_PREFIX}*"):
        with suppress(OSError), open_regular(path, follow=False) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.time() - path.stat().st_mtime > _ABANDONED:
                path.unlink()
