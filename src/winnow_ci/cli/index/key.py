"""``winnow-ci index key``: a key for indexes on a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from winnow_ci.errors import ExitStatus
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    import argparse


def add_to(actions: Any) -> None:
    """Declare the command."""
    key = actions.add_parser(
        "key",
        help="make the key of an index on a server",
        description="Write a new key, 32 random bytes, into a new file that only you can read. Whoever publishes an "
        "index and whoever scans with it needs the key, in a file that WINNOW_CI_INDEX_KEY names; the server must "
        "never have it.",
    )
    key.add_argument("file", type=Path, metavar="FILE", help="the file to make; an existing one is never overwritten")
    key.set_defaults(run=make_key)


def make_key(arguments: argparse.Namespace) -> int:
    """Make the key; returns the exit status."""
    from winnow_ci.serving.index_key import VARIABLE, write_key

    write_key(arguments.file)
    shown = name(str(arguments.file))
    print(
        f"{shown}: a new key; name it by {VARIABLE}, keep a copy, and never put it on the server or into a repository"
    )
    return ExitStatus.CLEAN
