"""``winnow-ci index``: build, list, check and maintain indexes of known code."""

from __future__ import annotations

from typing import Any

from winnow_ci.cli.index import build, contents, manifest, upkeep


def add_to(commands: Any) -> None:
    parser = commands.add_parser("index", help="build, list, check and merge indexes of known code")
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for family in (manifest, build, contents, upkeep):
        family.add_to(actions)
