"""The user's cache folder, what is in it, and its bound.

An *entry* is what is of use only as a whole: a file under its sha256 (``files``), the repositories of one URL
(``git``), the parts of one build (``parts``), what apt keeps (``apt``). Whatever is added may make the cache larger
than its bound. Then the entries go that nobody has used for the longest time, until the rest fits.

What was used in the last day stays, however large it is, since somebody may be about to read it; a process that has
opened a file can read it to its end in any case. So that an entry is not removed between the moment when it is found
and that when it is marked as used, both happen under a lock, which others share; whoever removes has it alone.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import UsageError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT = "WINNOW_CI_CACHE_LIMIT"
"""Environment variable: how large the cache may become, in bytes, with K, M, G or T for their multiples."""

USUAL_LIMIT = 10_000_000_000
GRACE = 24 * 3600.0
"""Seconds for which an entry stays after its last use."""

USED = ".used"
"""Ending of the empty file that stands beside a file, or in the folder of an entry, and whose time is its last use."""

_ROOMS = ("files", "git", "parts", "apt")
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_INDEX = b"SQLite format 3\0"
# Locks stay: a process that waits for one would get that of a file which is no longer there.
_LOCK = "lock"


class CacheEntry(NamedTuple):
    """What is of use only as a whole.

    Attributes:
        place: a file, or a folder.
        kind: what it is, for people.
        size: bytes, of all its files.
        used: when it was used last, in seconds since the epoch.
    """

    place: Path
    kind: str
    size: int
    used: float


def folder() -> Path:
    """The cache folder of the user, which need not exist; ``WINNOW_CI_CACHE_DIR`` overrides it."""
    if chosen := os.environ.get("WINNOW_CI_CACHE_DIR"):
        return Path(os.path.abspath(chosen))  # noqa: PTH100 - a link may be what the user wants
    from platformdirs import user_cache_path  # noqa: PLC0415 - 10 ms, not needed if the folder is named

    return user_cache_path("winnow-ci", appauthor=False)


def limit() -> int:
    """How many bytes the cache may have.

    Raises:
        UsageError: the environment does not say it in a way that is understood.
    """
    written = os.environ.get(LIMIT)
    return USUAL_LIMIT if written is None else size_of(written, LIMIT)


def size_of(written: str, where: str) -> int:
    """A size in bytes: ``500M``, ``10G``, ``0``.

    Raises:
        UsageError: it is none; ``where`` says who has written it.
    """
    found = re.fullmatch(r"([0-9]{1,15})([KMGT]?)B?", written.strip().upper())
    if found is None:
        raise UsageError(f"{where}: {written!r:.40} is no size", "write bytes, or 500M, 10G, 1T")
    return int(found[1]) * _UNITS[found[2]]


@contextmanager
def using() -> Iterator[None]:
    """A block in which nothing is removed, for finding an entry and marking it."""
    with _locked(fcntl.LOCK_SH):
        yield


def mark_used(place: Path) -> None:
    """Say that an entry was used now: a file, or the folder that is the entry."""
    mark = place / USED if place.is_dir() else place.with_suffix(USED)
    # Where the cache cannot be written, nothing is removed either.
    with suppress(OSError):
        descriptor = _open_own(mark)
        os.utime(descriptor)
        os.close(descriptor)


def entries() -> list[CacheEntry]:
    """What is in the cache, without what is being written."""
    found = []
    for room in _ROOMS:
        place = folder() / room
        if room == "files":
            found += [_file(file) for file in place.glob("??/*") if not file.suffix and file.is_file()]
        else:
            places = [place] if room == "apt" else sorted(place.glob("*"))
            found += [_folder(one, room) for one in places if one.is_dir()]
    return [one for one in found if one.size]


def shrink() -> None:
    """Keep the bound of the cache, now that something was added.

    If another process removes or looks something up in this moment, the next one that adds something does it.

    Raises:
        UsageError: the bound is no size.
    """
    most = limit()
    with suppress(OSError):
        remove(most, wait=False)


def remove(most: int, grace: float = GRACE, *, wait: bool = True) -> Sequence[CacheEntry]:
    """Remove what was not used for the longest time, until no more is there than may be; returns what was removed.

    Args:
        most: bytes that may stay.
        grace: seconds for which an entry stays after its last use, however much there is.
        wait: whether to wait for other processes that remove or look something up.

    Raises:
        OSError: something cannot be removed, or another process would have to be waited for.
    """
    removed: list[CacheEntry] = []
    if not folder().is_dir():
        return removed
    with _locked(fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB):
        there = sorted(entries(), key=lambda one: one.used)
        size = sum(one.size for one in there)
        for one in there:
            if size <= most or time.time() - one.used < grace:
                break
            _remove(one)
            removed.append(one)
            size -= one.size
    return removed


def _remove(entry: CacheEntry) -> None:
    if not entry.place.is_dir():
        for path in (entry.place, *(entry.place.with_suffix(ending) for ending in (".seen", USED))):
            path.unlink(missing_ok=True)
        return
    for path in entry.place.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != _LOCK:
            path.unlink(missing_ok=True)


def _file(path: Path) -> CacheEntry:
    with path.open("rb") as file:
        kind = "indexes" if file.read(len(_INDEX)) == _INDEX else "packages and other files"
    found = path.stat()
    return CacheEntry(path, kind, found.st_size, max(found.st_mtime, _time_of(path.with_suffix(USED))))


def _folder(place: Path, room: str) -> CacheEntry:
    files = {}
    for path in place.rglob("*"):
        # Whoever writes may rename what is being looked at; a repository shares files with the one before it.
        with suppress(FileNotFoundError):
            found = path.lstat()
            if not path.is_dir():
                files[found.st_ino] = found
    kind = {"git": "git repositories", "parts": "parts of builds", "apt": "lists of apt"}[room]
    size = sum(found.st_size for found in files.values())
    return CacheEntry(place, kind, size, max((found.st_mtime for found in files.values()), default=0.0))


def _time_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


@contextmanager
def _locked(operation: int) -> Iterator[None]:
    """A block with the lock of the cache; without it if there is no cache, or it cannot be written."""
    try:
        descriptor = _open_own(folder() / _LOCK)
    except OSError:
        if operation & fcntl.LOCK_EX:
            raise
        yield
        return
    try:
        fcntl.flock(descriptor, operation)
        yield
    finally:
        os.close(descriptor)


def _open_own(path: Path) -> int:
    """Open an empty file of ours, and make it if it is missing; a link is not followed, a pipe not waited for."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    return os.open(path, flags, 0o666)
