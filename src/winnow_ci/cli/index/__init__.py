"""``winnow-ci index``: build indexes of known code, look into them, check them, and keep them in order."""

from __future__ import annotations

from typing import Any

from winnow_ci.cli.index import add, build, diff, key, list_sources, publish, starter, stats, sync, upkeep


def add_to(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser("index", help="build, list, check and merge indexes of known code")
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for family in (add, starter, build, sync, list_sources, upkeep, diff, stats, publish, key):
        family.add_to(actions)
