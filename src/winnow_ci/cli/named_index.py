"""Arguments that name an index, and the index that is meant without one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.cli.progress import counting
from winnow_ci.errors import GitError, UsageError
from winnow_ci.operations import CONFIGURATION, nearest_configuration

if TYPE_CHECKING:
    import argparse

    from winnow_ci.config.index_reference import IndexReference
    from winnow_ci.config.settings import Settings
    from winnow_ci.git import Repository
    from winnow_ci.operations.named_indexes import NamedIndex

_REMEDY = "name the index: INDEX"


def reference(value: str) -> IndexReference:
    """Parse an argument that names an index: a path, or a URI with its hash or root.

    Raises:
        UsageError: it is none.
    """
    from winnow_ci.config.index_reference import index_reference

    return index_reference(value)


def add_rules_to(parser: argparse.ArgumentParser, configuration: str = "another configuration") -> None:
    """Declare the options that say what code is looked up in, and by which configuration it is judged."""
    parser.add_argument(
        "--index", action="append", type=reference, metavar="INDEX", help="index of known code (repeatable)"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help=configuration)


def file(value: str) -> Path:
    """Parse an argument that names the file of an index.

    Raises:
        UsageError: it is a URI.
    """
    from winnow_ci.config.index_reference import is_uri

    if is_uri(value):
        raise UsageError("a URI, where the file of an index is meant", "name the file of an index")
    return Path(value)


def add_to(action: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    described = f"default: the one that {CONFIGURATION} names, here or in the nearest folder above, if it names one"
    action.add_argument("index", nargs="?", type=_possibly_current, metavar="INDEX", help=described)


def index_of(arguments: argparse.Namespace) -> NamedIndex:
    """The index that the command line names or, without that, the only one of the configuration.

    Raises:
        UsageError: there is no such index, or more than one.
        ConfigError: the configuration has a mistake.
        IndexFileError: a folder that it names has no index.
        FetchError: an index at a URL could not be downloaded.
    """
    from winnow_ci.operations.named_indexes import NamedIndex, indexes_of

    if isinstance(arguments.index, Path):
        return NamedIndex(arguments.index, str(arguments.index))
    entries = (arguments.index,) if arguments.index else _configured()
    found = [index for entry in entries for index in indexes_of(entry, None, counting)]
    if len(found) != 1:
        if found:
            raise UsageError(f"{CONFIGURATION} names {len(found)} indexes", _REMEDY)
        first = "write a first configuration: winnow-ci init (or name the index: INDEX)"
        raise UsageError(f"no {CONFIGURATION} here names an index", _REMEDY if _configuration() else first)
    return found[0]


def file_of(arguments: argparse.Namespace) -> Path:
    """The file of that index.

    Raises:
        UsageError: it is on a server, or as ``index_of`` does; other errors as there.
    """
    place = index_of(arguments).place
    if not isinstance(place, Path):
        raise UsageError("an index on a server, where the file of an index is meant", "name the file: INDEX")
    return place


def _possibly_current(value: str) -> IndexReference:
    from winnow_ci.config.index_reference import index_reference

    return index_reference(value, may_be_current=True)


def _configured() -> tuple[IndexReference, ...]:
    """What the configuration of this folder names, or the nearest one above it in the repository."""
    from winnow_ci.config.settings import load_settings
    from winnow_ci.operations.asked_hosts import refuse_checkout
    from winnow_ci.operations.shared_configuration import extended

    repository, here = _repository(), _configuration()
    if here is None:
        return ()

    def check(written: Settings) -> None:
        if repository:
            refuse_checkout(repository, written)

    return extended(partial(load_settings, here), counting, check).settings.index


def _configuration() -> Path | None:
    """Where the configuration of this folder is; None if there is none."""
    repository = _repository()
    place, here = nearest_configuration((repository.root if repository else None) or Path.cwd()), Path(CONFIGURATION)
    return next((one for one in (here, place) if one.exists()), None)


def _repository() -> Repository | None:
    from winnow_ci import git

    try:
        return git.Repository.find(Path.cwd())
    except GitError:
        return None
