"""``winnow-ci lsp``: a language server, for editors that show what such servers find."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import Any

from winnow_ci.cli import named_index
from winnow_ci.errors import ExitStatus, UsageError

DESCRIPTION = """\
Speak the Language Server Protocol on standard input and output: findings are diagnostics of a file that is opened or
saved. Editors start it; the configuration is found as for `winnow-ci check`, from the file's folder upwards."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "lsp",
        help="a language server for editors",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    named_index.add_rules_to(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the editor ends it; returns the exit status."""
    if find_spec("pygls") is None:
        raise UsageError("a language server needs a package that is not installed", "pip install 'winnow-ci[lsp]'")
    from winnow_ci.cli.language_server import made
    from winnow_ci.operations.trust import RuleChoice

    made(RuleChoice(arguments.config, tuple(arguments.index or ()))).start_io()
    return ExitStatus.CLEAN
