"""The page of the commands: what `--help` says, from the parsers themselves."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from reference.markdown import code, plain, table
from winnow_ci.cli import COMMANDS, EPILOG, parser_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = 90
_USAGE = "usage: "
_LINE_BREAK = "\n"
_INDENT = _LINE_BREAK + " " * len(_USAGE)
_INTRODUCTION = """\
# Commands

Each command says the same with `--help`. [Exit statuses](../exit-codes.md) are the same for all of them.
"""


def page() -> str:
    """All commands with their options, in the order in which `winnow-ci --help` lists them."""
    parts = [part for parser in _leaves(parser_of(COMMANDS)) for part in _described(parser)]
    return "\n".join((_INTRODUCTION, *parts, f"## Exit statuses\n\n```\n{EPILOG}\n```\n"))


def _leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The commands of a parser; of one that has commands of its own, those."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]  # noqa: SLF001
    if not nested:
        yield parser
    for action in nested:
        for command in action.choices.values():
            yield from _leaves(command)


def _described(parser: argparse.ArgumentParser) -> Iterator[str]:
    parser.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=_WIDTH)  # type: ignore[assignment]
    yield f"## {code(parser.prog)}\n"
    if parser.description:
        yield f"{plain(parser.description)}\n"
    usage = parser.format_usage().removeprefix(_USAGE)
    yield f"```\n{usage.replace(_INDENT, _LINE_BREAK)}```\n"
    rows = [_row(action, parser) for action in parser._actions if action.help != argparse.SUPPRESS]  # noqa: SLF001
    yield table(("argument", "meaning"), rows)


def _row(action: argparse.Action, parser: argparse.ArgumentParser) -> tuple[str, str]:
    formatter = parser._get_formatter()  # noqa: SLF001
    names = formatter._format_action_invocation(action)  # noqa: SLF001
    return code(names), plain(formatter._expand_help(action)) if action.help else ""  # noqa: SLF001
