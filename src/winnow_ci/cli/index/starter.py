"""``winnow-ci index starter``: a first manifest, of the most used packages of an ecosystem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnow_ci.cli import messages
from winnow_ci.cli.index import sync
from winnow_ci.config.starters import ECOSYSTEMS
from winnow_ci.errors import ExitStatus
from winnow_ci.report.printable import name
from winnow_ci.report.wording import counted

if TYPE_CHECKING:
    import argparse


def add_to(actions: Any) -> None:
    """Declare the command."""
    starter = actions.add_parser(
        "starter",
        help="begin a manifest with the most used packages of an ecosystem",
        description="Add the hundred most used packages of an ecosystem to the manifest of an index, which is made if "
        "there is none. Nothing is fetched: index sync does that, and pins the newest version of each.",
    )
    starter.add_argument("ecosystem", choices=ECOSYSTEMS, metavar="ECOSYSTEM", help=f"one of {', '.join(ECOSYSTEMS)}")
    sync.add_manifest(starter)
    starter.set_defaults(run=add_starter)


def add_starter(arguments: argparse.Namespace) -> int:
    """Add; returns the exit status."""
    from winnow_ci.operations.starter import start

    path = sync.place(arguments.manifest)
    done = start(path, arguments.ecosystem)
    known = f", which has {done.known} others already" if done.known else ""
    messages.say(
        f"winnow-ci: {counted(done.added, 'package')} of {arguments.ecosystem} added to {name(str(path))}{known}"
    )
    if done.added:
        messages.say("winnow-ci: now fetch them and make the index: winnow-ci index sync")
    return ExitStatus.CLEAN
