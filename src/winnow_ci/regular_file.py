"""Open files safely where anybody may have put something else."""

from __future__ import annotations

import os
import stat
from errno import EINVAL, ELOOP
from pathlib import Path
from typing import BinaryIO

from winnow_ci import system

NOT_REGULAR = (EINVAL, ELOOP)
"""Numbers of the errors for something else than a regular file, and for a link that is not followed."""


def open_regular(path: Path, *, follow: bool = True) -> BinaryIO:
    """Open a regular file, or a link to one unless ``follow`` is off, for reading.

    Opening a named pipe would wait for a writer, and a device may never end. The number of the ``OSError`` for anything
    else is one of ``NOT_REGULAR``.
    """
    if not stat.S_ISREG(path.stat(follow_symlinks=follow).st_mode):
        raise OSError(EINVAL, "not a regular file", str(path))
    # It may be replaced in between.
    return _regular(system.open_file(path, os.O_RDONLY, follow=follow), path)


def open_below(folder: Path, path: Path) -> BinaryIO:
    """Open a regular file below a folder as ``open_regular`` does, and follow no link on the way there, however new."""
    *folders, name = path.relative_to(folder).parts or (".",)
    with system.OpenFolder(folder) as current:
        for part in folders:
            current.enter(part)
        return _regular(current.open(name, os.O_RDONLY), path)


def _regular(descriptor: int, path: Path) -> BinaryIO:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(EINVAL, "not a regular file", str(path))
