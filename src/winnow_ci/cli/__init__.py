"""The command: arguments, wiring, exit statuses. Only this package prints or exits.

Each command is a module with two functions: ``add_to(commands)`` declares its arguments, ``run(arguments)`` does the
work. What a command needs is imported when it runs: a commit hook pays for every import.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from typing import TYPE_CHECKING, NoReturn

import winnow_ci
from winnow_ci.cli import index, scan
from winnow_ci.errors import ExitStatus, WinnowError
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from collections.abc import Sequence

EPILOG = """\
exit status: 0 nothing that the policy fails on, 1 findings, 2 usage or configuration,
3 could not scan, 4 a bug in winnow-ci, 130 interrupted"""


def entry_point() -> NoReturn:
    """Run the command for the shell."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    _make_output_unicode()
    try:
        arguments = _parser().parse_args(argv)
        status = int(arguments.run(arguments))
        sys.stdout.flush()
    except WinnowError as error:
        return _fail(error.exit_status, error.problem, error.remedy)
    except KeyboardInterrupt:
        return _fail(ExitStatus.INTERRUPTED, "interrupted", "nothing was changed; run it again when you are ready")
    except OSError as error:
        _close_output()
        problem = f"{error.filename or 'standard output'}: {error.strerror}"
        return _fail(ExitStatus.CANNOT_SCAN, problem, "mend that, and run it again")
    except Exception:
        traceback.print_exc()
        return _fail(ExitStatus.BUG, "this is a bug in winnow-ci", "please report it with the lines above")
    return status


class _Parser(argparse.ArgumentParser):
    """Says what is wrong on the first line and what to do on the second, like every error of ours."""

    def error(self, message: str) -> NoReturn:
        self.exit(_fail(ExitStatus.USAGE, message, f"see: {self.prog} --help"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="winnow-ci",
        description="Tell which lines of a change were copied from known code, and under which licence.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {winnow_ci.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (scan, index):
        command.add_to(commands)
    return parser


def _fail(status: ExitStatus, problem: str, remedy: str) -> int:
    """Say what is wrong and what to do; names in it may come from the author of a change."""
    print(f"winnow-ci: error: {name(problem)}\n{name(remedy)}", file=sys.stderr)
    return status


def _make_output_unicode() -> None:
    """A report holds whatever people write in code, also where the locale is C."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _close_output() -> None:
    """Keep Python from failing once more when it flushes a broken output at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
