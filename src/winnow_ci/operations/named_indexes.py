"""The index files that a configuration or the command line names; those at a URL are downloaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import ci
from winnow_ci.config import PinnedIndex, index_files
from winnow_ci.errors import IndexFileError
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model import Counting


def required(indexes: Sequence[Path | PinnedIndex]) -> Sequence[Path | PinnedIndex]:
    """The same entries, if there are any.

    Raises:
        IndexFileError: there are none.
    """
    if not indexes:
        remedy = f"name one with --index, or under index: in {CONFIGURATION}"
        raise IndexFileError("no index to look the change up in", remedy)
    return indexes


def files_of(entry: Path | PinnedIndex, counting: Counting) -> Sequence[Path]:
    """The index files of an entry; one at a URL is downloaded, unless the user's cache has it.

    Raises:
        IndexFileError: a folder has no index.
        FetchError: an index could not be downloaded.
    """
    if isinstance(entry, Path):
        return index_files([entry])
    from winnow_ci import fetching  # noqa: PLC0415 - what downloads takes 0.1 s to import

    with counting("fetching the index", "B") as progress:
        # On a CI, what the cache folder remembers may be anybody's.
        return [fetching.pinned(entry.url, entry.sha256, progress, remember=not ci.service(os.environ))]
