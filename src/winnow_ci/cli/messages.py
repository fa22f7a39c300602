"""What commands say to people on standard error, and how much of that: ``-q`` and ``-v``, which every command has.

With ``-q`` nothing is lost: what would have been said is kept, and said after all if the command does not end with
status 0. What keeps a scan from being complete is said at once.
"""

from __future__ import annotations

import argparse
import sys
from enum import IntEnum
from time import perf_counter

import winnow_ci
from winnow_ci import native, run_log
from winnow_ci.report.printable import name

OPTIONS = ("-q", "--quiet", "-v", "--verbose")


class Detail(IntEnum):
    """How much is said."""

    QUIET = 0
    USUAL = 1
    VERBOSE = 2


_START = perf_counter()
_chosen = [Detail.USUAL]
_held: list[str] = []


def add_to(parser: argparse.ArgumentParser) -> None:
    """Declare the options; they may stand before a command and behind it."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        *OPTIONS[:2],
        dest="detail",
        action="store_const",
        const=Detail.QUIET,
        default=argparse.SUPPRESS,
        help="say nothing but the result, unless the status is not 0",
    )
    either.add_argument(
        *OPTIONS[2:],
        dest="detail",
        action="store_const",
        const=Detail.VERBOSE,
        default=argparse.SUPPRESS,
        help="say what is read, from where, and how long each stage takes",
    )


def begin(arguments: argparse.Namespace) -> None:
    """Say as much from now on as the command line asks for."""
    _chosen[0] = getattr(arguments, "detail", Detail.USUAL)
    if is_verbose():
        run_log.listen(tell)
        tell(f"{winnow_ci.__version__} ({native.described()}), Python {'.'.join(map(str, sys.version_info[:3]))}")


def is_verbose() -> bool:
    """Whether people want to know everything."""
    return _chosen[0] is Detail.VERBOSE


def is_quiet() -> bool:
    """Whether people want to know nothing but the result."""
    return _chosen[0] is Detail.QUIET


def say(line: str, *, at_once: bool = False) -> None:
    """Say a line, or several; with ``-q`` at the end, if at all, unless it must be said ``at_once``."""
    if is_quiet() and not at_once:
        _held.append(line)
    else:
        _print(line)


def tell(line: str) -> None:
    """Say what only those want to know who have asked for everything (``-v``)."""
    if is_verbose():
        _print(f"winnow-ci: {name(line)}")


def end(status: int) -> None:
    """Say what was kept, if the status is not 0, and with ``-v`` how long it took."""
    if status:
        for line in _held:
            _print(line)
    _held.clear()
    if is_verbose():
        stages = (f"{stage} {seconds:.2f} s" for stage, seconds in run_log.seconds().items())
        tell(f"time: {', '.join([*stages, f'all {perf_counter() - _START:.2f} s'])}")


def _print(line: str) -> None:
    print(line, file=sys.stderr)
