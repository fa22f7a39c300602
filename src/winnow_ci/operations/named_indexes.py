"""The index files that a configuration or the command line names; those at a URL are downloaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci import ci
from winnow_ci.config import PinnedIndex, index_files
from winnow_ci.errors import IndexFileError
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Counting


class IndexFile(NamedTuple):
    """An index file, and what people call it: its path from the root of the repository on, or its URL."""

    path: Path
    name: str


def required(indexes: Sequence[Path | PinnedIndex], configuration: Path) -> Sequence[Path | PinnedIndex]:
    """The same entries, if there are any; ``configuration`` could have named some.

    Raises:
        IndexFileError: there are none.
    """
    if not indexes:
        remedy = f"name one with --index, or under index: in {CONFIGURATION}"
        if not os.path.lexists(configuration):
            remedy = "write a first configuration: winnow-ci init (or name an index with --index)"
        raise IndexFileError("no index to look the change up in", remedy)
    return indexes


def files_of(entry: Path | PinnedIndex, root: Path | None, counting: Counting) -> list[IndexFile]:
    """The index files of an entry; one at a URL is downloaded, unless the user's cache has it.

    Args:
        entry: as the configuration or the command line has it.
        root: of the repository; None if it has no work tree.
        counting: shows the progress of a download.

    Raises:
        IndexFileError: a folder has no index.
        FetchError: an index could not be downloaded.
    """
    if isinstance(entry, Path):
        return [IndexFile(file, _named(file, root)) for file in index_files([entry])]
    from winnow_ci import fetching  # noqa: PLC0415 - what downloads takes 0.1 s to import

    with counting("fetching the index", "B") as progress:
        # On a CI, what the cache folder remembers may be anybody's.
        file = fetching.pinned(entry.url, entry.sha256, progress, remember=not ci.service(os.environ))
    return [IndexFile(file, entry.url)]


def _named(file: Path, root: Path | None) -> str:
    """The path of a file from the root of the repository on, if it lies there; else as it was given."""
    path = Path(os.path.normpath(file.absolute()))
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else str(file)
