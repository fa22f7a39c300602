"""``winnow-ci index publish``: an index becomes one of those on a server."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages, named_index
from winnow_ci.cli.progress import counting
from winnow_ci.errors import ExitStatus, UsageError
from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    from winnow_ci.config.index_reference import ServedIndex
    from winnow_ci.serving.publishing import Publication

# As ``serving.publishing`` has it, which is not imported to show the help.
_KEPT = 3


def add_to(actions: Any) -> None:
    """Declare the command."""
    publish = actions.add_parser(
        "publish",
        help="put an index on a PostgreSQL server",
        description="Check an index, and make it a new version of an index on a PostgreSQL server, encrypted under the "
        "key that WINNOW_CI_INDEX_KEY names. Scans that read an older version go on. Whatever stops it, nothing has "
        "changed until it is done. Prints the URI that names exactly this version, to be pinned in configurations.",
    )
    publish.add_argument("index", nargs="?", type=named_index.file, metavar="INDEX", help="the file of the index")
    publish.add_argument(
        "server", nargs="?", metavar="URI", help="postgresql://[USER@]HOST[:PORT]/DATABASE[#NAME]; NAME is default"
    )
    publish.add_argument(
        "--keep",
        type=_number,
        default=_KEPT,
        metavar="N",
        help="versions before the newest that stay, for whoever has pinned them (default: %(default)s)",
    )
    publish.add_argument(
        "--print-schema",
        action="store_true",
        help="print the SQL that sets a database up for indexes, with a role for publishing and one for scanning",
    )
    publish.set_defaults(run=publish_index)


def _number(value: str) -> int:
    if not (value.isascii() and value.isdecimal() and len(value) < 6):
        raise argparse.ArgumentTypeError(f"not a number of versions: {value!r:.20}")
    return int(value)


def publish_index(arguments: argparse.Namespace) -> int:
    """Publish; returns the exit status."""
    from winnow_ci.serving import check_client

    check_client("index publish")
    if arguments.print_schema:
        from winnow_ci.serving.database import SETUP

        print(SETUP, end="")
        return ExitStatus.CLEAN
    from winnow_ci.index import WholeIndex
    from winnow_ci.serving.index_key import read_key
    from winnow_ci.serving.publishing import publish

    place = _place(arguments)
    key = read_key(os.environ)
    with WholeIndex(arguments.index) as index:
        if place.root not in {None, index.digest}:
            problem = f"{name(str(arguments.index))} has the root {index.digest}, not {place.root}"
            raise UsageError(problem, "leave out @ROOT: it follows from the index")
        done = publish(index, place.server, place.name, key, counting, arguments.keep)
    _tell(done, place)
    return ExitStatus.CLEAN


def _place(arguments: argparse.Namespace) -> ServedIndex:
    from winnow_ci.config.index_reference import ServedIndex, index_reference

    if arguments.index is None or arguments.server is None:
        raise UsageError("an index and a server are needed", "winnow-ci index publish INDEX URI")
    place = index_reference(arguments.server, may_be_current=True)
    if not isinstance(place, ServedIndex):
        raise UsageError("an index can only be published on a server", "name it: postgresql://USER@HOST:PORT/DATABASE")
    return place


def _tell(done: Publication, place: ServedIndex) -> None:
    said = "published" if done.is_new else "is there already, and nothing was changed"
    parts = [f"{place.shown}: {said}"]
    if done.dropped:
        parts.append(f"{counted(done.dropped, 'old version')} removed")
    if done.in_use:
        parts.append(f"{counted(done.in_use, 'old version')} still being read, to be removed the next time")
    messages.say(f"winnow-ci: {'; '.join(parts)}")
    print(place.pinned(done.version.root))
