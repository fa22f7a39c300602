"""Open files safely where anybody may have put something else."""

from __future__ import annotations

import os
import stat
from errno import EINVAL, ELOOP
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

# Windows has neither.
_NO_WAIT, _NO_LINK = getattr(os, "O_NONBLOCK", 0), getattr(os, "O_NOFOLLOW", 0)
_READ = os.O_RDONLY | _NO_WAIT | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0)
NOT_REGULAR = (EINVAL, ELOOP)
"""Numbers of the errors for something else than a regular file, and for a link that is not followed."""


def open_regular(path: Path, *, follow: bool = True) -> BinaryIO:
    """Open a regular file, or a link to one unless ``follow`` is off, for reading.

    Opening a named pipe would wait for a writer, and a device may never end.

    Raises:
        OSError: it cannot be opened, or is something else; then its number is one of ``NOT_REGULAR``.
    """
    if not stat.S_ISREG(path.stat(follow_symlinks=follow).st_mode):
        raise OSError(EINVAL, "not a regular file", str(path))
    # It may be replaced in between.
    return _regular(os.open(path, _READ | (0 if follow else _NO_LINK)), path)


def open_below(folder: Path, path: Path) -> BinaryIO:
    """Open a regular file below a folder, and follow no link on the way there, whoever puts one there meanwhile.

    Raises:
        OSError: as ``open_regular`` does; also if a part of the path is a link.
    """
    *folders, name = path.relative_to(folder).parts or (".",)
    current = os.open(folder, _FOLDER)
    try:
        for part in folders:
            outer, current = current, os.open(part, _FOLDER | _NO_LINK, dir_fd=current)
            os.close(outer)
        return _regular(os.open(name, _READ | _NO_LINK, dir_fd=current), path)
    finally:
        os.close(current)


def _regular(descriptor: int, path: Path) -> BinaryIO:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(EINVAL, "not a regular file", str(path))
