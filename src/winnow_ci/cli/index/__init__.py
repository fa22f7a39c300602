"""Build, list, check and merge indexes of known code."""

from __future__ import annotations

import argparse

from winnow_ci.cli.index import build, manifest, upkeep


def add_to(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for family in (manifest, build, upkeep):
        family.add_to(actions)
