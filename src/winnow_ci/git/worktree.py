"""Reads a file of the work tree without following links, opening devices, or reading more than is wanted."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from winnow_ci.model import Skipped

# Windows has neither.
_NO_LINK_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_file(root: Path, path: str, size_limit: int) -> bytes | Skipped:
    """Return the content of ``path`` below ``root``, or why there is none.

    Args:
        root: root of the work tree.
        path: relative to it.
        size_limit: more bytes than this are not read.
    """
    # Git's names are UTF-8 by convention, whatever encoding the locale has for those of files.
    full = Path(os.path.realpath(root), os.fsdecode(path.encode("utf-8", "surrogateescape")))
    try:
        if os.path.realpath(full.parent) != str(full.parent):
            return Skipped(path, "lies behind a symbolic link", "not-scanned")
        # Opening a device may do something, hence the first look; the second one is for what changes in between.
        if stat.S_ISLNK(mode := full.lstat().st_mode):
            return symbolic_link(path)
        return _content(full, path, size_limit) if stat.S_ISREG(mode) else _no_file(path)
    except OSError as error:
        return Skipped(path, f"cannot be read: {error.strerror}", "not-scanned")


def symbolic_link(path: str) -> Skipped:
    """Return the verdict on a link: its content is the name of another file, or of a secret outside."""
    return Skipped(path, "symbolic link", "out-of-scope")


def too_large(path: str, size_limit: int) -> Skipped:
    """Return the verdict on a file of more than ``size_limit`` bytes."""
    return Skipped(path, f"larger than {size_limit / 2**20:g} MiB", "not-scanned")


def _content(full: Path, path: str, size_limit: int) -> bytes | Skipped:
    with os.fdopen(os.open(full, os.O_RDONLY | _NO_LINK_NO_WAIT), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return _no_file(path)
        if found.st_size > size_limit:
            return too_large(path, size_limit)
        content = file.read(size_limit + 1)
        return content if len(content) <= size_limit else too_large(path, size_limit)


def _no_file(path: str) -> Skipped:
    return Skipped(path, "not a regular file", "not-scanned")
