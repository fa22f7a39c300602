"""Build, list, check and merge indexes of known code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.cli.index import build, contents, manifest, upkeep

if TYPE_CHECKING:
    import argparse


def add_to(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for family in (manifest, build, contents, upkeep):
        family.add_to(actions)
