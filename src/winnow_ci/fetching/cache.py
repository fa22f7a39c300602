"""The user's cache: fetched files under their sha256, and its bound.

``files/ab/abcd…`` has a file completely or not at all: it is written elsewhere in the folder (``incoming-…``), synced
and renamed. So a run that is killed leaves no partial file, and parallel runs put the same content at the same place.
A file is hashed at each use; if its sha256 is not its name, it is ignored, and replaced later. So is a link, a pipe or
a device: whoever restores a cache restores what some earlier job has left. The folder may be deleted at any time.

Hashing takes a second for each GB. Where nobody but the user can have written to the folder, ``cached_file`` may
remember that a file was right: ``ab/abcd….seen`` has the identity (device, inode, size, times of the last change) of
the hashed file. No program can choose one of these times (ctime), so a file that is written there later has another
identity. A file that changed less than two seconds before it was hashed is not remembered: it may change again at what
is the same time to the kernel.

An *entry* is of use only as a whole: a file (``files``), the repositories of one URL (``git``), the parts of one build
(``parts``, ``builds``), what apt keeps (``apt``), the parts of one index elsewhere (``blocks``). When the cache becomes
larger than its bound, entries that nobody has used for the longest time are removed, but not those of the last day,
which somebody may be about to read. An entry is found and marked as used under a lock that others share, so that it is
not removed in between; a process that removes has the lock alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EAGAIN
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from winnow_ci import run_log, system
from winnow_ci.errors import FetchError, UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import NOT_REGULAR, open_regular

CACHE_LIMIT = "WINNOW_CI_CACHE_LIMIT"
"""Environment variable: how large the cache may become, in bytes, with K, M, G or T for their multiples."""

LARGEST_FETCHED = 8 << 30
"""Bytes that a fetched file may have."""

_USUAL_LIMIT = 10_000_000_000
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# Seconds for which an entry stays after its last use: the time of an empty file beside it or in its folder.
_GRACE = 24 * 3600.0
_USED, _SEEN = ".used", ".seen"
# To open a file of ours, which may be new.
_OWN = os.O_RDWR | os.O_CREAT
# Locks stay: a process that waits for one would get that of a file which is no longer there.
_LOCK = "lock"
# Of git repositories, parts of builds, interrupted builds, parts of indexes elsewhere, and lists of apt.
_FOLDERS = ("git", "parts", "builds", "blocks", "apt")
_CHUNK = 1 << 20
_LONGEST_IDENTITY = 200
_SETTLED = 2.0  # seconds
_ABANDONED = 60.0  # seconds
_INCOMING = "incoming-"
_REMEDY = "make room there, or name another folder with WINNOW_CI_CACHE_DIR"


def cache_folder() -> Path:
    """Return the user's cache folder, which need not exist; ``WINNOW_CI_CACHE_DIR`` overrides it."""
    if chosen := os.environ.get("WINNOW_CI_CACHE_DIR"):
        return Path(os.path.abspath(chosen))  # noqa: PTH100 - a link may be what the user wants
    from platformdirs import user_cache_path  # noqa: PLC0415 - 10 ms, not needed if the folder is named

    return user_cache_path("winnow-ci", appauthor=False)


def folder_of_build(index: Path, room: str) -> Path:
    """Return the folder of what is kept of the build of an index."""
    place = hashlib.blake2b(os.fsencode(index.absolute()), digest_size=16)
    return cache_folder() / room / place.hexdigest()


# ---- files ------------------------------------------------------------------------------------------------------


def cached_file(sha256: str, *, remember: bool = False) -> Path | None:
    """Return the file with this sha256, if it is there and complete.

    With ``remember``, it is not hashed again until it changes.
    """
    place = _place(sha256)
    with using_cache():
        opened = _opened(place)
        if opened is None:
            return None
        mark_used(place)
    try:
        with opened as file:
            run_log.tell(f"reading {place} of the cache")
            identity = _identity(file)
            if remember and _seen(place) == identity:
                return place
            lasting = remember and time.time() - os.fstat(file.fileno()).st_ctime > _SETTLED
            found = digest_of(file)
    except OSError as error:
        raise _unreadable(place, error) from error
    if found != sha256:
        # The right file will replace it. Deleting it here could delete what another run has just put there.
        return None
    if lasting:
        with suppress(FetchError), incoming_file() as note:
            note.write(identity.encode("ascii"))
            note.keep(place.with_suffix(_SEEN))
    return place


def put_file(source: Path | bytes, sha256: str | None = None) -> Path:
    """Copy a file, or its content, into the cache; check its sha256."""
    name = source.name if isinstance(source, Path) else "a file"
    with incoming_file() as file:
        try:
            with source.open("rb") if isinstance(source, Path) else BytesIO(source) as opened:
                while chunk := opened.read(_CHUNK):
                    file.write(chunk)
        except OSError as error:
            problem = f"{error.filename or name}: {error.strerror or error}"
            raise FetchError(problem, "make it readable, or name another") from error
        if sha256 is not None and file.sha256 != sha256:
            problem = f"{name}: its sha256 is {file.sha256}, not {sha256}"
            raise FetchError(problem, "find out which one is right before you use the file")
        return file.keep()


class IncomingFile:
    """A file on its way into the cache, deleted unless kept."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Of what has been written so far."""
        return self._hash.hexdigest()

    def write(self, content: bytes) -> None:
        """Add to the end."""
        with writing_to(cache_folder()):
            self._file.write(content)
        self._hash.update(content)

    def keep(self, place: Path | None = None) -> Path:
        """Move the file to the place of its sha256, or elsewhere."""
        kept = place or _place(self.sha256)
        with writing_to(cache_folder()):
            self._file.flush()
            os.fsync(self._file.fileno())
            kept.parent.mkdir(parents=True, exist_ok=True)
            system.rename_over(self._path, kept)
        if place is None:
            shrink_cache()
        return kept


@contextmanager
def incoming_file() -> Iterator[IncomingFile]:
    """Yield a file to write to."""
    with writing_to(cache_folder()):
        cache_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        _sweep()
        path = cache_folder() / f"{_INCOMING}{os.urandom(8).hex()}"
        descriptor = system.open_file(path, _OWN | os.O_EXCL, 0o600)
        system.lock(descriptor, shared=True, wait=True)
    file = os.fdopen(descriptor, "wb")
    try:
        yield IncomingFile(file, path)
    finally:
        # Content that is still buffered belongs to a file that is not kept.
        with suppress(OSError):
            file.close()
        path.unlink(missing_ok=True)


@contextmanager
def kept_parts(name: str) -> Iterator[int]:
    """Yield the descriptor of a sparse file that keeps parts of a file elsewhere; whoever reads it checks them."""
    place = cache_folder() / "blocks" / name
    with writing_to(cache_folder()):
        with using_cache():
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            mark_used(place)
            file = system.open_file(place / "parts", _OWN)
        try:
            yield file
        finally:
            os.close(file)


def digest_of(file: BinaryIO, algorithm: str = "sha256") -> str:
    """Return the digest of the rest of a file, in hexadecimal."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def writing_to(place: Path) -> Iterator[None]:
    """Raise what fails while the block writes to a place of the cache as ``FetchError``."""
    try:
        yield
    except OSError as error:
        raise FetchError(f"cannot write to the cache {place}: {error.strerror or error}", _REMEDY) from error


def _unreadable(place: Path, error: OSError) -> FetchError:
    return FetchError(f"{place}: {error.strerror}", f"delete it, or {_REMEDY}")


def _place(sha256: str) -> Path:
    # It becomes part of a path, and comes from files that a change may edit.
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise FetchError(f"{sha256!r:.80} is not a sha256", "write 64 hexadecimal digits in lower case")
    return cache_folder() / "files" / sha256[:2] / sha256


def _opened(place: Path) -> BinaryIO | None:
    """A regular file that is not too large; None for anything else."""
    try:
        file = open_regular(place, follow=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno in NOT_REGULAR:
            return None
        raise _unreadable(place, error) from error
    if os.fstat(file.fileno()).st_size <= LARGEST_FETCHED:
        return file
    file.close()
    return None


def _identity(file: BinaryIO) -> str:
    found = os.fstat(file.fileno())
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _seen(place: Path) -> str | None:
    with suppress(OSError, ValueError), open_regular(place.with_suffix(_SEEN), follow=False) as file:
        return file.read(_LONGEST_IDENTITY).decode("ascii")
    return None


def _sweep() -> None:
    """Delete what killed runs have left.

    A run that still writes has a lock, or has only just begun.
    """
    for path in cache_folder().glob(f"{_INCOMING}*"):
        with suppress(OSError), open_regular(path, follow=False) as file:
            if system.lock(file.fileno()) and time.time() - path.stat().st_mtime > _ABANDONED:
                path.unlink()


# ---- entries, and the bound -------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    used: float  # when it was used last, in seconds since the epoch
    size: int  # bytes of all its files
    place: Path  # a file, or a folder


def cache_limit() -> int:
    """Return how many bytes the cache may have: ``500M``, ``10G``, ``0``."""
    written = os.environ.get(CACHE_LIMIT)
    if written is None:
        return _USUAL_LIMIT
    found = re.fullmatch(r"([0-9]{1,15})([KMGT]?)B?", written.strip().upper())
    if found is None:
        raise UsageError(f"{CACHE_LIMIT}: {written!r:.40} is not a size", "write bytes, or a size such as 500M or 10G")
    return int(found[1]) * _UNITS[found[2]]


def _entries() -> list[_Entry]:
    """What is in the cache, without what is being written; what is used last comes last."""
    places = [file for file in (cache_folder() / "files").glob("??/*") if not file.suffix and file.is_file()]
    for room in _FOLDERS:
        place = cache_folder() / room
        places += [one for one in ([place] if room == "apt" else place.glob("*")) if one.is_dir()]
    return sorted(one for one in map(_entry, places) if one.size)


def shrink_cache() -> list[Path]:
    """Keep the bound of the cache, now that something was added; return the places that were removed.

    If another process removes or looks something up in this moment, the next one that adds something does it.
    """
    most, removed = cache_limit(), []
    with suppress(OSError), using_cache(alone=True):
        entries = _entries()
        size = sum(one.size for one in entries)
        for one in entries:
            if size <= most or time.time() - one.used < _GRACE:
                break
            _remove(one.place)
            removed.append(one.place)
            size -= one.size
    return removed


@contextmanager
def using_cache(*, alone: bool = False) -> Iterator[None]:
    """Let nothing be removed between finding an entry and marking it.

    A cache that is not there or cannot be written has no lock. To have it ``alone``, a process does not wait.

    Raises:
        OSError: another process uses the cache, or it has no lock, and this one wants it alone.
    """
    try:
        descriptor = system.open_file(cache_folder() / _LOCK, _OWN)
    except OSError:
        if alone:
            raise
        yield
        return
    try:
        if not system.lock(descriptor, shared=not alone, wait=not alone):
            raise BlockingIOError(EAGAIN, "the cache is in use")
        yield
    finally:
        os.close(descriptor)


def mark_used(place: Path) -> None:
    """Note that a file or folder of the cache was used."""
    mark = place / _USED if place.is_dir() else place.with_suffix(_USED)
    # Where the cache cannot be written, nothing is removed either. Windows sets no times of an open file.
    with suppress(OSError):
        descriptor = system.open_file(mark, _OWN)
        os.write(descriptor, b"\n")
        os.close(descriptor)


def _remove(place: Path) -> None:
    if not place.is_dir():
        for path in (place, place.with_suffix(_SEEN), place.with_suffix(_USED)):
            path.unlink(missing_ok=True)
        return
    for path in place.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != _LOCK:
            path.unlink(missing_ok=True)


def _entry(place: Path) -> _Entry:
    """What a file and the mark of its use take, or all in a folder."""
    files = {}
    for path in place.rglob("*") if place.is_dir() else (place, place.with_suffix(_USED)):
        # Whoever writes may rename what is being looked at; a repository shares files with the one before it.
        with suppress(FileNotFoundError):
            found = path.lstat()
            if not path.is_dir():
                files[found.st_ino] = found
    # A sparse file takes less than its length.
    size = sum(min(found.st_size, 512 * getattr(found, "st_blocks", found.st_size)) for found in files.values())
    return _Entry(max((found.st_mtime for found in files.values()), default=0.0), size, place)
