"""Files that anybody may have put where ours are expected: only regular files are read, and only up to a limit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from winnow_ci import run_log
from winnow_ci.errors import ConfigError
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from pathlib import Path

_CONFLICT = compiled_on_use(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)", re.MULTILINE)


def read_untrusted(path: Path, most: int, remedy: str) -> bytes:
    """The content of a file, or its first ``most`` bytes and one more.

    Raises:
        ConfigError: it cannot be read, or is not a regular file; ``remedy`` says what to do about it.
    """
    try:
        with open_regular(path) as file:
            run_log.tell(f"reading {path}")
            return file.read(most + 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", remedy) from error


def refuse_conflict(text: bytes, origin: str, remedy: str) -> None:
    """Refuse the text of a file that git has left with the marks of a merge conflict.

    Raises:
        ConfigError: there is one; ``remedy`` says what to do about it.
    """
    if mark := _CONFLICT.search(text):
        line = text.count(b"\n", 0, mark.start()) + 1
        raise ConfigError(f"{origin}:{line}: the mark of a merge conflict that is not resolved", remedy)
