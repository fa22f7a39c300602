"""Parse the arguments, run the command, and decide the exit status and the last message."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from errno import EAGAIN, EMFILE, ENOMEM
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TextIO

import winnow_ci
from winnow_ci import native
from winnow_ci.cli import messages
from winnow_ci.errors import ExitStatus, WinnowError, did_you_mean
from winnow_ci.report.printable import name

COMMANDS = tuple(
    "scan check assistant explain approve notice report hook index compare lsp mcp verify init completion".split()
)
EPILOG = """\
exit status: 0 no findings that fail the check, 1 findings that do, 2 wrong usage or configuration,
3 could not scan, 4 a bug in winnow-ci, 130 interrupted"""
_VERSION = ["--version"]
_AGAIN_SECONDS = 0.01
# One letter more or less in five still matches; "look" does not mean "hook".
_ALIKE_CHOICES = 0.8


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    _prepare_output()
    sys.unraisablehook = _keep_interrupts
    try:
        argv = _meant(argv)
        if not argv:
            parser_of(COMMANDS).print_help(sys.stderr)
            return ExitStatus.USAGE
        if argv == _VERSION:
            _say_refusal()
        arguments = parser_of(_commands(argv)).parse_args(argv)
        messages.begin(arguments)
        status = int(arguments.run(arguments) or ExitStatus.CLEAN)
        if not sys.stdout.closed:  # by the language server
            sys.stdout.flush()
        _say_refusal()
        messages.finish(status)
    except WinnowError as error:
        return _fail(error.exit_status, *error.lines)
    except KeyboardInterrupt:
        remedy = "nothing was changed; run the command again when you are ready"
        return _fail(ExitStatus.INTERRUPTED, "interrupted", remedy)
    except SystemExit:
        raise
    except BaseException as error:  # a panic of the kernel is no Exception, and would end with the status of a finding
        return _unexpected(error)
    return status


def _meant(argv: Sequence[str]) -> list[str]:
    """Return the options for the words that other tools understand: ``help``, ``help COMMAND``, ``version``, ``-V``."""
    match list(argv):
        case ["help", *command]:
            return [*command, "--help"]
        case ["version" | "-V"]:
            return _VERSION
        case given:
            return given


def _commands(argv: Sequence[str]) -> Sequence[str]:
    if argv == _VERSION:
        return ()
    first = next((word for word in argv if word not in messages.DETAIL_OPTIONS), None)
    return [first] if first in COMMANDS else COMMANDS


def parser_of(names: Sequence[str]) -> argparse.ArgumentParser:
    """Make a parser of these commands."""
    parser = _Parser(
        prog="winnow-ci",
        description="Find lines of a change that were copied from known code, and name their licence.",
        epilog=EPILOG,
    )
    version = f"%(prog)s {winnow_ci.__version__} ({native.described()})"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in names:
        module = importlib.import_module(f"winnow_ci.cli.{command}")
        # A file called -h must not end the scan of a hook.
        added = messages.add_command(commands, command, getattr(module, "run", None), module.__doc__, command != "hook")
        module.add_to(added)
    return parser


class _Parser(argparse.ArgumentParser):
    """Reports a problem on the first line and a remedy on the second, like every error of ours."""

    def __init__(self, **settings: Any) -> None:
        # It keeps the lines of the epilog. Without a width, argparse looks it up for each argument.
        formatter = partial(argparse.RawDescriptionHelpFormatter, width=messages.terminal_width() - 2)
        super().__init__(**settings, formatter_class=formatter)
        messages.add_detail(self)
        self._given: Sequence[str] = ()

    def format_help(self) -> str:
        import textwrap

        self.description = textwrap.fill(self.description or "", messages.terminal_width() - 2)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        # Only the message of argparse contains the unknown choice.
        form = r"'(.*?)(?::.*)?' (?:\(choose from|is not one of) (.*?)(?:\)|, nor .*)?$"
        remedy = f"see: {self.prog} --help"
        if choice := re.search(form, message, re.DOTALL):
            remedy = did_you_mean(choice[1], re.findall(r"[\w-]+", choice[2]), remedy, alike=_ALIKE_CHOICES)
        elif "required" in message:
            # argparse complains about missing arguments before it looks at unknown ones.
            remedy = self._remedy(self._given)
        self.exit(_fail(ExitStatus.USAGE, message, remedy))

    def parse_known_args(  # type: ignore[override]  # of the overloads, only these arguments are used
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        # The parser of a command is asked before the one around it, which has other options.
        self._given = args or ()
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.exit(_fail(ExitStatus.USAGE, f"unrecognized arguments: {' '.join(unknown)}", self._remedy(unknown)))
        return parsed, unknown

    def _remedy(self, unknown: Sequence[str]) -> str:
        options, help_text = self._option_string_actions, f"see: {self.prog} --help"
        for argument in unknown:
            given = argument.partition("=")[0]
            if given.startswith("--") and given not in options:
                if "--format" in options and given in {"--json", "--sarif"}:
                    return f"did you mean --format {given[2:]}?"
                if (remedy := did_you_mean(given, options, help_text)) != help_text:
                    return remedy
        return help_text


def _say_refusal() -> None:
    """On a terminal, print why the kernel is not used."""
    if refusal := native.kernel_refusal():
        with suppress(OSError):
            messages.say(refusal)


_MEMORY, _PROCESSES = "winnow-ci ran out of memory", "winnow-ci could not start another thread or process"
_SHORTAGES = {ENOMEM: _MEMORY, EAGAIN: _PROCESSES, EMFILE: "winnow-ci has too many files open"}
_RAISE_LIMIT = "raise the limit of the job, container or shell (`ulimit -a`), then run it again"
_ROOM = 64 << 20
"""Bytes without which Python and its libraries may fail with any error at all."""


def _unexpected(error: BaseException) -> int:
    if problem := _shortage(error):
        return _fail(ExitStatus.CANNOT_SCAN, problem, _RAISE_LIMIT)
    if isinstance(error, OSError):
        _discard(sys.stdout)
        problem = f"{error.filename or 'standard output'}: {error.strerror}"
        return _fail(ExitStatus.CANNOT_SCAN, problem, "fix that and retry")
    import traceback  # successful runs do not need it

    problem, remedy = "this is a bug in winnow-ci", "please report it with the lines above"
    return _fail(ExitStatus.BUG, problem, remedy, details=traceback.format_exc())


def _shortage(error: BaseException | None) -> str:
    """Name the resource that ran out, according to an error, its causes, or the little memory left."""
    while error is not None:
        if isinstance(error, MemoryError):
            return _MEMORY
        if isinstance(error, OSError) and error.errno in _SHORTAGES:
            return _SHORTAGES[error.errno]
        if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
            return _PROCESSES
        error = error.__cause__ or error.__context__
    try:
        bytes(_ROOM)
    except MemoryError:
        return _MEMORY
    return ""


def _fail(status: ExitStatus, problem: str, *remedies: str, details: str = "") -> int:
    """Print a problem and its remedies; names in them may come from the author of a change."""
    try:
        messages.finish(status)
        print(f"{details}winnow-ci: error: {name(problem)}", *map(name, remedies), sep="\n", file=sys.stderr)
    except OSError:
        _discard(sys.stderr)
    return status


def _prepare_output() -> None:
    """Make output work in any locale, and when nobody reads it."""
    # A stream that the caller has closed is None, and print(file=None) writes to the other one.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - open to the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _keep_interrupts(lost: sys.UnraisableHookArgs) -> None:
    """Send ^C again if Python dropped it in a callback, such as that of a weak reference."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    from threading import Timer

    from winnow_ci import system

    # Not at once: the signal would come in this callback.
    again = Timer(_AGAIN_SECONDS, system.interrupt_main_thread)
    again.daemon = True
    again.start()


def _discard(stream: TextIO) -> None:
    """Keep Python from failing once more when it flushes a broken output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
