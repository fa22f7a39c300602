"""Find the configuration, and read or open what it or the command line names: shared settings and indexes.

The author of a URI in a configuration chooses a host for the machine to connect to. On
a CI that must not be the author of a change: a URI is followed only if the job names it, or the branch that
the change is for. A scan reads the configuration of that branch, other commands that of the checkout.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from winnow_ci import ci, git
from winnow_ci.config import CONFIGURATION
from winnow_ci.config.index_reference import FollowedChannel, IndexReference, PinnedFile, ServedIndex
from winnow_ci.config.settings import MOST_BYTES_OF_SETTINGS, Settings, SharedConfiguration, index_files
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.errors import FetchError, IndexFileError
from winnow_ci.index import BLOCKS, HEAD, IndexReader, WholeIndex
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Future
    from contextlib import ExitStack

    from winnow_ci.model import Counting

_REMEDY = (
    "merge the configuration first, name the index in the job (--index; the action's input index), or trust the change "
    "with --policy-from head"
)


def nearest_configuration(root: Path, is_there: Callable[[Path], bool] = os.path.lexists) -> Path:
    """Return the configuration of the working folder, or of the nearest folder above it that has one.

    The search ends at the root of the repository; a working folder elsewhere has no part in it.
    """
    here = Path.cwd()
    folders = [folder for folder in (here, *here.parents) if folder != root and folder.is_relative_to(root)]
    return next((place for folder in folders if is_there(place := folder / CONFIGURATION)), root / CONFIGURATION)


def extended(
    read: Callable[[SharedConfiguration | None], Settings], counting: Counting, check: Callable[[Settings], Any] = bool
) -> Settings:
    """Read the configuration of a repository and the one that it extends.

    ``read`` reads the own one, given the other. ``check`` sees the own one before anything is fetched.
    """
    written = read(None)
    check(written)
    if written.extends is None:
        return written
    try:
        file = _downloaded(written.extends, "the configuration", counting, MOST_BYTES_OF_SETTINGS)
    except FetchError as error:
        raise FetchError(f"{CONFIGURATION} extends {error.problem}", error.remedy) from error
    shared = read_untrusted(file, MOST_BYTES_OF_SETTINGS, "delete it from the cache")
    return read(SharedConfiguration(shared, written.extends.url))


def _downloaded(pinned: PinnedFile, what: str, counting: Counting, most: int | None = None) -> Path:
    from winnow_ci import fetching  # noqa: PLC0415 - what downloads takes 0.1 s to import

    with counting(f"fetching {what}", "B") as progress:
        # On a CI, what the cache folder remembers may be anybody's.
        remember = not ci.is_ci(os.environ)
        return fetching.pinned(pinned.url, pinned.sha256, progress, most=most, remember=remember)


def refuse_checkout(repository: git.Repository, settings: Settings) -> None:
    """Refuse the URIs of the configuration that is checked out, if a CI's job runs for a change request."""
    asks = settings.extends is not None or _names_uri(settings)
    if asks and _may_be_of_the_change(repository):
        raise IndexFileError(f"{CONFIGURATION} comes from the change, so the URI in it is not followed", _REMEDY)


def refuse_new(settings: Settings) -> None:
    """Refuse a first configuration, which a change brings, if its index is elsewhere."""
    if _names_uri(settings) or (settings.extends is not None and not settings.index):
        raise IndexFileError(f"{CONFIGURATION} is new in this change, so the URI in it is not followed", _REMEDY)


def _names_uri(settings: Settings) -> bool:
    return any(not isinstance(entry, Path) for entry in settings.index)


def _may_be_of_the_change(repository: git.Repository) -> bool:
    if not ci.is_request(os.environ):
        return False
    from winnow_ci.ci.events import PullRequest  # noqa: PLC0415 - few scans run on a CI

    event = ci.current_event(os.environ)
    match event and event.comparison:
        case PullRequest(trusted=trusted) if git.head_commit(repository) in trusted:
            return False
    return True


class BlockFolder(NamedTuple):
    """A folder of blocks: the head of its index, in the cache, and the URLs of that head."""

    head: Path
    urls: tuple[str, ...]


IndexPlace: TypeAlias = Path | ServedIndex | BlockFolder


class NamedIndex(NamedTuple):
    """The place of an index, and its name: a path from the root of the repository, a URL, or server and name there."""

    place: IndexPlace
    name: str
    notice: str = ""  # what people should know about it


def required(indexes: Sequence[IndexReference], configuration: Path) -> Sequence[IndexReference]:
    """Return the entries, at least one; ``configuration`` could have named some."""
    if indexes:
        return indexes
    remedy = f"name one with --index, or under index: in {CONFIGURATION}"
    if not os.path.lexists(configuration):
        remedy = "write a first configuration: winnow-ci init (or name an index with --index)"
    raise IndexFileError("no index of known code to compare with", remedy)


def indexes_of(entry: IndexReference, root: Path | None, counting: Counting) -> list[NamedIndex]:
    """Return the indexes of an entry of the configuration or the command line.

    One at a URL is downloaded, unless the user's cache has it. ``root`` is that of the work tree, if there is one.
    """
    if isinstance(entry, Path):
        return [NamedIndex(file, _named(file, root)) for file in index_files(entry)]
    if isinstance(entry, ServedIndex):
        return [NamedIndex(entry, entry.shown)]
    if isinstance(entry, FollowedChannel):
        from winnow_ci.fetching.channels import follow  # noqa: PLC0415 - few configurations follow one

        with counting("fetching the index", "B") as progress:
            file, mirrors, notice = follow(entry.channel, entry.signers, progress, remember=not ci.is_ci(os.environ))
        return [NamedIndex(_place(file, *mirrors), entry.channel, notice)]
    return [NamedIndex(_place(_downloaded(entry, "the index", counting), entry.url), entry.url)]


def _place(file: Path, *urls: str) -> Path | BlockFolder:
    """Return the place of an index, given the file that was fetched from one of these URLs."""
    heads = tuple(url for url in urls if url.endswith(HEAD))
    return BlockFolder(file, heads) if heads else file


def _named(file: Path, root: Path | None) -> str:
    """The path of a file from the root of the repository, if it lies there; else as it was given."""
    path = Path(os.path.normpath(file.absolute()))
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else file.as_posix()


def in_files(indexes: Iterable[NamedIndex]) -> list[Path]:
    """Return the files among the places of indexes."""
    return [index.place for index in indexes if isinstance(index.place, Path)]


def open_place(place: IndexPlace) -> IndexReader:
    """Open an index for reading; for people who look, one on a server without a root is that which it calls current."""
    if isinstance(place, ServedIndex) and place.root is None:
        from winnow_ci import serving  # noqa: PLC0415 - few indexes are on a server

        place = place._replace(root=serving.newest_root(place.server, place.name, place.shown, os.environ))
    return _opener(place)()


def _opener(place: IndexPlace) -> Callable[[], IndexReader]:
    """Import and check all that opening an index needs."""
    if isinstance(place, ServedIndex):
        from winnow_ci import serving  # noqa: PLC0415 - few indexes are on a server

        if place.root is None:
            raise IndexFileError(f"{place.shown}: an index on a server needs its root", "add @ROOT to its name")
        return serving.server_opener(place.server, place.name, place.root, place.shown, os.environ)
    if isinstance(place, BlockFolder):
        from winnow_ci.fetching.file_parts import fetched_parts  # noqa: PLC0415 - few indexes are there
        from winnow_ci.index import BlockFolderStore  # noqa: PLC0415 - as above

        fetch = partial(fetched_parts, place.head.name, [url.removesuffix(HEAD) + BLOCKS for url in place.urls])
        return lambda: IndexReader(BlockFolderStore(place.head, place.urls[0], fetch))
    return partial(WholeIndex, place)


def start_opening(place: IndexPlace, stack: ExitStack) -> Callable[[], IndexReader]:
    """Start to open an index, which ``stack`` closes; return a function that waits until it is open.

    One on a server is opened on a thread, since connecting takes many answers over the network; meanwhile the change
    is read. If nobody wants it any more, its thread closes it, and nobody waits for that.
    """
    # Importing is no work for a thread: it would take turns with this one.
    opener = _opener(place)
    if not isinstance(place, ServedIndex):
        return lambda: stack.enter_context(opener())
    from concurrent.futures import Future  # noqa: PLC0415 - few indexes are on a server

    future = Future[IndexReader]()
    threading.Thread(target=_open, args=(opener, future), daemon=True).start()
    stack.callback(future.add_done_callback, _close)
    return future.result


def _open(opener: Callable[[], IndexReader], future: Future[IndexReader]) -> None:
    try:
        future.set_result(opener())
    except BaseException as error:
        future.set_exception(error)


def _close(future: Future[IndexReader]) -> None:
    if future.exception() is None:
        future.result().__exit__(None, None, None)
