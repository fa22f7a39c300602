"""Print a script that completes commands and options in your shell.

Print a script that completes commands, options, formats and files in your shell. Put it where the shell looks:
~/.local/share/bash-completion/completions/winnow-ci, _winnow-ci in a folder of $fpath (zsh), or
~/.config/fish/completions/winnow-ci.fish.

shtab makes the script from the parser of all commands; no completion ever starts winnow-ci.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from winnow_ci.cli import outputs
from winnow_ci.report import FORMATS

SHELLS = ("bash", "zsh", "fish")
_FORMAT = "FORMAT[:FILE]"
# Names of arguments that may be a path, and are read as something else as well.
_PLACES = {"PATH", "INDEX", "FILE", "A", "B", "PURL|URL|PATH"}


def add_to(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(arguments: argparse.Namespace) -> None:
    import shtab

    from winnow_ci.cli import COMMANDS, parser_of

    parser = parser_of(COMMANDS)
    for action in _arguments(parser):
        if action.metavar == _FORMAT:
            action.choices = [outputs.AUTO, *FORMATS]
        elif action.nargs != 0 and (action.type is Path or action.metavar in _PLACES):
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks for it
        if isinstance(action.metavar, str):
            # shtab puts it into a pattern of zsh as it is, where a colon ends it.
            action.metavar = action.metavar.replace(":", " ")
    print(shtab.complete(parser, arguments.shell))


def _arguments(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to them, and shtab takes it, too
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for inner in action.choices.values():
                yield from _arguments(inner)
        else:
            yield action
