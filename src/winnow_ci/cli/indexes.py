"""From what the configuration or the command line calls an index to files."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.cli.progress import counting

if TYPE_CHECKING:
    from winnow_ci.config import PinnedIndex


def index_path(value: str) -> Path:
    """A reader of an argument that is an index."""
    if value.startswith(("https://", "http://")):
        msg = "a URL belongs under index: in the configuration, with its sha256; name a file or a folder"
        raise argparse.ArgumentTypeError(msg)
    return Path(value)


def indexes_at(entry: Path | PinnedIndex) -> list[Path]:
    """The index files of an entry; what is at a URL is fetched, unless the user's cache has it.

    Raises:
        IndexFileError: a folder that has none or cannot be listed.
        FetchError: what is at a URL cannot be had, or is not what it should be.
    """
    from winnow_ci.config import index_files

    return list(index_files([entry])) if isinstance(entry, Path) else [_fetched(entry)]


def _fetched(index: PinnedIndex) -> Path:
    from winnow_ci import ci, fetching

    with counting("fetching the index", "B") as progress:
        # On a CI, what the cache folder remembers may be anybody's.
        return fetching.pinned(index.url, index.sha256, progress, remember=not ci.service(os.environ))
