"""The indexes that a configuration or the command line names: those at a URL are downloaded, all are opened here."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci import ci
from winnow_ci.config.index_reference import ServedIndex
from winnow_ci.config.settings import index_files
from winnow_ci.errors import IndexFileError
from winnow_ci.index import WholeIndex
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from winnow_ci.config.index_reference import IndexReference
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Counting


class NamedIndex(NamedTuple):
    """An index, and what people call it.

    Attributes:
        place: its file, or the server that has it.
        name: its path from the root of the repository on, its URL, or its server and its name there.
    """

    place: Path | ServedIndex
    name: str


def required(indexes: Sequence[IndexReference], configuration: Path) -> Sequence[IndexReference]:
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


def indexes_of(entry: IndexReference, root: Path | None, counting: Counting) -> list[NamedIndex]:
    """The indexes of an entry; one at a URL is downloaded, unless the user's cache has it.

    Args:
        entry: as the configuration or the command line has it.
        root: of the repository; None if it has no work tree.
        counting: shows the progress of a download.

    Raises:
        IndexFileError: a folder has no index.
        FetchError: an index could not be downloaded.
    """
    if isinstance(entry, Path):
        return [NamedIndex(file, _named(file, root)) for file in index_files([entry])]
    if isinstance(entry, ServedIndex):
        return [NamedIndex(entry, entry.shown)]
    from winnow_ci import fetching  # noqa: PLC0415 - what downloads takes 0.1 s to import

    with counting("fetching the index", "B") as progress:
        # On a CI, what the cache folder remembers may be anybody's.
        file = fetching.pinned(entry.url, entry.sha256, progress, remember=not ci.is_ci(os.environ))
    return [NamedIndex(file, entry.url)]


def opener(place: Path | ServedIndex) -> Callable[[], IndexReader]:
    """What opens an index for reading.

    Raises:
        IndexFileError: it cannot be read; also from what is returned.
    """
    if isinstance(place, ServedIndex):
        from winnow_ci import serving  # noqa: PLC0415 - few indexes are on a server

        if place.root is None:
            raise IndexFileError(f"{place.shown}: an index on a server needs its root", "add @ROOT to its name")
        return serving.server_opener(place.server, place.name, place.root, place.shown, os.environ)
    return partial(WholeIndex, place)


def opened(place: Path | ServedIndex) -> IndexReader:
    """Open an index for reading.

    Raises:
        IndexFileError: it cannot be read.
    """
    return opener(place)()


def with_root(place: ServedIndex) -> ServedIndex:
    """The same index; without a root, the one that its server calls current.

    Raises:
        IndexFileError: the server cannot be asked, or has no such index.
    """
    from winnow_ci import serving  # noqa: PLC0415 - as above

    if place.root is not None:
        return place
    return place._replace(root=serving.newest_root(place.server, place.name, place.shown, os.environ))


def in_files(indexes: Iterable[NamedIndex]) -> list[Path]:
    """The files among the places of indexes."""
    return [index.place for index in indexes if isinstance(index.place, Path)]


def _named(file: Path, root: Path | None) -> str:
    """The path of a file from the root of the repository on, if it lies there; else as it was given."""
    path = Path(os.path.normpath(file.absolute()))
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else str(file)
