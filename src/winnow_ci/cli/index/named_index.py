"""The argument that names an index, and the index that is meant without it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from winnow_ci.errors import GitError, UsageError
from winnow_ci.operations import CONFIGURATION

if TYPE_CHECKING:
    import argparse

_REMEDY = "name the index: INDEX"


def add_to(action: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    described = f"default: the one that {CONFIGURATION} names, here or at the root of the repository, if it names one"
    action.add_argument("index", nargs="?", type=Path, metavar="INDEX", help=described)


def index_of(arguments: argparse.Namespace) -> Path:
    """The index that the command line names or, without that, the only one of the configuration.

    Raises:
        UsageError: there is no such index, or more than one.
        ConfigError: the configuration has a mistake.
        IndexFileError: a folder that it names has no index.
    """
    if arguments.index is not None:
        return Path(arguments.index)
    from winnow_ci import config

    here = _configuration()
    entries = config.load_settings(here).index if here.exists() else ()
    if any(isinstance(entry, config.PinnedIndex) for entry in entries):
        raise UsageError(f"{CONFIGURATION} names an index at a URL", _REMEDY)
    found = config.index_files(entry for entry in entries if isinstance(entry, Path))
    if len(found) != 1:
        problem = f"{CONFIGURATION} names {len(found)} indexes" if found else f"no {CONFIGURATION} here names an index"
        raise UsageError(problem, _REMEDY)
    return found[0]


def _configuration() -> Path:
    """The configuration in this folder or, if there is none, at the root of the repository that we are in."""
    from winnow_ci import git

    here = Path(CONFIGURATION)
    if here.exists():
        return here
    try:
        root = git.Repository.find(Path.cwd()).root
    except GitError:
        return here
    return here if root is None else root / here
