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
    descriptor = os.open(path, os.O_RDONLY | _NO_WAIT | os.O_CLOEXEC | (0 if follow else _NO_LINK))
    file = os.fdopen(descriptor, "rb")
    # It may have been replaced in between.
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise OSError(EINVAL, "not a regular file", str(path))
    return file
