"""Files that somebody else may have put where ours are expected: read if they are regular, and not without end."""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

_CONFLICT = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)", re.MULTILINE)


def read_untrusted(path: Path, most: int, remedy: str) -> bytes:
    """The content of a file, or one byte more than ``most`` of it.

    Raises:
        ConfigError: it cannot be read, or is no regular file; ``remedy`` says what to do about it.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise ConfigError(f"{path}: not a regular file", remedy)
            return file.read(most + 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", remedy) from error


def conflict_line(text: bytes) -> int | None:
    """The line of the first mark of a merge conflict, if there is one."""
    mark = _CONFLICT.search(text)
    return text.count(b"\n", 0, mark.start()) + 1 if mark else None


def _without_waiting(path: str, flags: int) -> int:
    # The opening of a named pipe would wait for somebody to write to it.
    return os.open(path, flags | os.O_NONBLOCK)
