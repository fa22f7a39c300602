"""Reports in files, written where no link of the change leads.

Whoever made the change has made what stands in the checkout: a link in the place of a report, or of a folder on the way
to it, would lead to any file that the job may write. So a path into the checkout is followed part by part, and a link
is no folder. Links elsewhere, and above the checkout, are the system's or the user's.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import ReportFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC


def write(file: Path, text: str, root: Path | None) -> None:
    """Write a report.

    Args:
        file: where to.
        text: the report.
        root: of the checkout; None if there is none.

    Raises:
        ReportFileError: it cannot be written there.
    """
    try:
        if (parts := _below(file, root)) is None:
            _write_elsewhere(file, text)
            return
        with _folder(file, parts) as folder:
            _unlink_link(parts[-1], folder)
            with os.fdopen(os.open(parts[-1], _NEW, 0o666, dir_fd=folder), "w", encoding="utf-8") as opened:
                opened.write(text)
    except OSError as error:
        raise ReportFileError(f"{file}: {error.strerror}", "name a file that can be written") from error


def remove(file: Path, root: Path | None) -> None:
    """Remove a report that came with the checkout: it says nothing about this scan."""
    parts = _below(file, root)
    if parts:
        with suppress(OSError, ReportFileError), _folder(file, parts) as folder:
            os.unlink(parts[-1], dir_fd=folder)


def _below(file: Path, root: Path | None) -> tuple[str, ...] | None:
    """The root of the checkout and the parts of the path below it; None if it does not lie there."""
    # Unlike ``resolve``, which follows links.
    path = Path(os.path.normpath(file.absolute()))
    for folder in (root, root and Path(os.path.realpath(root))):
        if folder and path != folder and path.is_relative_to(folder):
            return (str(folder), *path.relative_to(folder).parts)
    return None


@contextmanager
def _folder(file: Path, parts: tuple[str, ...]) -> Iterator[int]:
    """A descriptor of the folder that a path into the checkout leads to."""
    root, *folders, _ = parts
    current = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in folders:
            if _is_link(name, current):
                problem = f"{file}: {name} is a symbolic link, which the change may have made"
                raise ReportFileError(problem, "put a folder in its place, or name a file outside of the checkout")
            inner = os.open(name, _FOLDER, dir_fd=current)
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)


def _is_link(name: str, folder: int) -> bool:
    with suppress(OSError):
        return bool(os.readlink(name, dir_fd=folder))
    return False


def _unlink_link(name: str, folder: int) -> None:
    if _is_link(name, folder):
        os.unlink(name, dir_fd=folder)


def _write_elsewhere(file: Path, text: str) -> None:
    """Outside of the checkout, too, a link is replaced, unless it is the system's."""
    if file.is_symlink() and file.absolute().parts[1] not in {"dev", "proc"}:
        file.unlink()
    file.write_text(text, encoding="utf-8")
