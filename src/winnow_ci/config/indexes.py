"""From the entries of ``index:`` or ``--index`` to index files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import IndexFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_BUILD = "build one with winnow-ci index build DIR --output FILE --name NAME"


def index_files(entries: Iterable[Path]) -> tuple[Path, ...]:
    """The index files that entries name, each once; a folder stands for its ``*.db`` files, by name.

    Raises:
        IndexFileError: a folder that has none or cannot be listed. (Its reader finds out whether a file is there.)
    """
    return tuple(dict.fromkeys(file for entry in entries for file in _files_of(entry)))


def _files_of(entry: Path) -> Iterator[Path]:
    try:
        if not entry.is_dir():
            yield entry
            return
        files = sorted(entry.iterdir())
    except OSError as error:
        raise IndexFileError(f"{entry}: {error.strerror}", "make the folder readable, or name another") from error
    # A name with a leading dot is an index that is still being written.
    found = [file for file in files if file.suffix == ".db" and not file.name.startswith(".")]
    if not found:
        raise IndexFileError(f"{entry}: no index (*.db) in this folder", _BUILD)
    yield from found
