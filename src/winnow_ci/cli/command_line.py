"""Parse the arguments, run the command, and say with which exit status and message it ends."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import winnow_ci
from winnow_ci import native
from winnow_ci.cli import messages, shortage, terminal
from winnow_ci.errors import ExitStatus, WinnowError, nearest_word
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (
    "scan",
    "check",
    "assistant",
    "explain",
    "approve",
    "report",
    "hook",
    "index",
    "compare",
    "lsp",
    "cache",
    "init",
    "completion",
)
_VERSION = ["--version"]
_AGAIN_SECONDS = 0.01
_ON_WINDOWS = "run it in WSL, or in a job or a container with Linux or macOS"
EPILOG = """\
exit status: 0 nothing that the policy fails on, 1 findings, 2 usage or configuration,
3 could not scan, 4 a bug in winnow-ci, 130 interrupted"""


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    _prepare_output()
    sys.unraisablehook = _not_losing_interrupts
    try:
        if sys.platform == "win32" and list(argv) != _VERSION:
            # Reports, caches and indexes are kept safe by folders held open, locks and groups of processes.
            return _fail(ExitStatus.CANNOT_SCAN, "winnow-ci needs a POSIX system, and this is Windows", _ON_WINDOWS)
        arguments = parser_of(_commands(argv)).parse_args(argv)
        messages.begin(arguments)
        status = int(arguments.run(arguments))
        if not sys.stdout.closed:  # by the language server
            sys.stdout.flush()
        _say_refusal()
        messages.end(status)
    except WinnowError as error:
        return _fail(error.exit_status, *error.lines)
    except KeyboardInterrupt:
        return _fail(ExitStatus.INTERRUPTED, "interrupted", "nothing was changed; run it again when you are ready")
    except SystemExit:
        raise
    except BaseException as error:  # a panic of the kernel is no Exception, and would end with the status of a finding
        return _unexpected(error)
    return status


def _unexpected(error: BaseException) -> int:
    """Say what an error means that is not one of ours."""
    if problem := shortage.of(error):
        return _fail(ExitStatus.CANNOT_SCAN, problem, shortage.REMEDY)
    if isinstance(error, OSError):
        _discard(sys.stdout)
        problem = f"{error.filename or 'standard output'}: {error.strerror}"
        return _fail(ExitStatus.CANNOT_SCAN, problem, "fix that and retry")
    problem, remedy = "this is a bug in winnow-ci", "please report it with the lines above"
    return _fail(ExitStatus.BUG, problem, remedy, details=_traceback())


def _commands(argv: Sequence[str]) -> Sequence[str]:
    """The commands whose modules a command line needs."""
    if list(argv) == _VERSION:
        return ()
    first = next((word for word in argv if word not in messages.OPTIONS), None)
    return [first] if first in COMMANDS else COMMANDS


class _Parser(argparse.ArgumentParser):
    """Says what is wrong on the first line and what to do on the second, like every error of ours."""

    def __init__(self, **settings: Any) -> None:
        formatter = settings.pop("formatter_class", argparse.HelpFormatter)
        # Left alone, argparse finds the width out whenever an argument is declared.
        super().__init__(**settings, formatter_class=partial(formatter, width=terminal.width() - 2))
        messages.add_to(self)
        self._given: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        # Of what is required, argparse complains before it looks at what it does not know.
        meant = _nearest_choice(message) or (self._nearest(self._given) if "required" in message else None)
        self.exit(_fail(ExitStatus.USAGE, message, meant or f"see: {self.prog} --help"))

    def parse_known_args(  # type: ignore[override]  # of the overloads, only these arguments are used
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        # The parser of a command is asked before the one around it, which has other options.
        self._given = args or ()
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            remedy = self._nearest(unknown) or f"see: {self.prog} --help"
            self.exit(_fail(ExitStatus.USAGE, f"unrecognized arguments: {' '.join(unknown)}", remedy))
        return parsed, unknown

    def _nearest(self, unknown: Sequence[str]) -> str | None:
        options = self._option_string_actions
        for argument in unknown:
            given = argument.partition("=")[0]
            if not given.startswith("--") or given in options:
                continue
            if "--format" in options and given in {"--json", "--sarif"}:
                return f"did you mean --format {given[2:]}?"
            if near := nearest_word(given, options):
                return f"did you mean {near}?"
        return None


class _Version(argparse.Action):
    """Says which version this is, and whether it uses the kernel."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, nargs=0, help="show program's version number and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        _say_refusal()
        print(f"{parser.prog} {winnow_ci.__version__} ({native.described()})")
        parser.exit()


# A letter too few or too many of five; "look" is not meant to be "hook".
_NEAR_CHOICE = 0.8


def _nearest_choice(message: str) -> str | None:
    """Suggest the choice that was meant. Only the message of argparse says what was given."""
    found = re.search(r"'(.*?)(?::.*)?' (?:\(choose from|is not one of) (.*?)(?:\)|, nor .*)?$", message, re.DOTALL)
    near = nearest_word(found[1], re.findall(r"[\w-]+", found[2]), _NEAR_CHOICE) if found else None
    return f"did you mean {near}?" if near else None


def parser_of(names: Sequence[str]) -> argparse.ArgumentParser:
    """A parser of these commands."""
    parser = _Parser(
        prog="winnow-ci",
        description="Tell which lines of a change were copied from known code, and under which licence.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in names:
        importlib.import_module(f"winnow_ci.cli.{command}").add_to(commands)
    return parser


def _fail(status: ExitStatus, problem: str, *remedies: str, details: str = "") -> int:
    """Say what is wrong and what to do; names in it may come from the author of a change."""
    try:
        messages.end(status)
        print(f"{details}winnow-ci: error: {name(problem)}", *map(name, remedies), sep="\n", file=sys.stderr)
    except OSError:
        _discard(sys.stderr)
    return status


def _say_refusal() -> None:
    """Say why the kernel is not used, if somebody reads it."""
    if refusal := native.refusal():
        with suppress(OSError):
            messages.say(refusal)


def _traceback() -> str:
    import traceback  # no run that ends well needs it

    return traceback.format_exc()


def _prepare_output() -> None:
    """A report holds whatever people write in code, also where the locale is C or nobody listens."""
    # A stream that the caller has closed is None, and what is printed to a None goes to the other one.
    sys.stdout = sys.stdout or Path(os.devnull).open("w")  # noqa: SIM115 - open to the end
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _not_losing_interrupts(lost: sys.UnraisableHookArgs) -> None:
    """Ask for a ^C again that came in a callback of Python's own, such as that of a weak reference, and was dropped."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    import signal
    from threading import Timer, main_thread

    # Not at once: the signal would come in this callback.
    again = Timer(_AGAIN_SECONDS, signal.pthread_kill, (main_thread().ident, signal.SIGINT))
    again.daemon = True
    again.start()


def _discard(stream: TextIO) -> None:
    """Keep Python from failing once more when it flushes a broken output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
