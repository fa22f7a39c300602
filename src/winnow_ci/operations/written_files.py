"""Write files of a repository (manifest, lock, baseline) whole or not at all, and keep files for the time of one run.

A new text is written beside the old one and renamed. Its writer holds a lock on it, so the next writer knows what a
killed process left behind, and removes it.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path

from winnow_ci import system


def replace_file(path: Path, text: bytes) -> None:
    """Put a file in its place, whole or not at all; a link there is replaced, not followed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(path)
    # Others may write the same file at this moment.
    unfinished = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with os.fdopen(system.open_file(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
            _lock(file.fileno())
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
            system.rename_over(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _remove_abandoned(path: Path) -> None:
    """Remove unfinished files without a writer; an empty one may have a writer that has just begun."""
    name = re.compile(re.escape(f".{path.name}.") + "[0-9a-f]{8}")
    for left in path.parent.iterdir():
        if name.fullmatch(left.name):
            with suppress(OSError):
                descriptor = system.open_file(left, os.O_RDONLY)
                try:
                    if os.fstat(descriptor).st_size and _lock(descriptor):
                        left.unlink()
                finally:
                    os.close(descriptor)


def _lock(descriptor: int) -> bool:
    try:
        return system.lock(descriptor)
    except OSError:  # the file system has no locks
        return False


class ScratchFolder(ExitStack):
    """A folder for the time of one run, made when its path is asked for: a commit hook rarely needs one."""

    @cached_property
    def path(self) -> Path:
        """Where it is."""
        from tempfile import TemporaryDirectory  # noqa: PLC0415 - as above

        return Path(self.enter_context(TemporaryDirectory(prefix="winnow-ci-")))
