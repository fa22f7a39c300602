"""Files of a repository that winnow-ci writes: the manifest, the lock and the baseline.

A new text is written beside the old one and renamed. Whoever writes holds a lock on what is unfinished, so that what
somebody has left who was killed is known, and cleared away by the next.
"""

from __future__ import annotations

import fcntl
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def replace(path: Path, text: bytes) -> None:
    """Put a file in its place, whole or not at all; a link in its place is no way to another file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear_away(path)
    # Others may write the same file at this moment.
    unfinished = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with unfinished.open("xb") as file:
            _lock(file.fileno())
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _clear_away(path: Path) -> None:
    """Remove what is unfinished and has no writer any more; that it is empty may mean that its writer begins."""
    name = re.compile(re.escape(f".{path.name}.") + "[0-9a-f]{8}")
    for left in path.parent.iterdir():
        if name.fullmatch(left.name):
            with suppress(OSError):
                descriptor = os.open(left, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
                try:
                    if os.fstat(descriptor).st_size and _lock(descriptor):
                        left.unlink()
                finally:
                    os.close(descriptor)


def _lock(descriptor: int) -> bool:
    """Lock a file, if nobody has and its file system can."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
