"""Print help, and messages and progress on standard error, as much as ``-q`` and ``-v`` ask for.

With ``-q`` nothing is lost: messages are kept, and printed if the command does not end with status 0. A file that could
not be scanned is named at once.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import winnow_ci
from winnow_ci import native, run_log
from winnow_ci.model import Progress, no_progress
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tqdm import tqdm


DETAIL_OPTIONS = ("-q", "--quiet", "-v", "--verbose")
PAUSE = 30.0
"""Seconds between two lines of progress."""
_BYTES = "B"


_START = time.perf_counter()
_chosen = ["usual"]
_held: list[str] = []


def add_command(
    commands: Any, command: str, run: Callable[..., object] | None, doc: str | None = None, add_help: bool = True
) -> argparse.ArgumentParser:
    """Add a command. The docstring is its help: a line, and a paragraph that describes it."""
    first, _, more = (doc or (run and run.__doc__) or "").partition("\n\n")
    described = " ".join(more.partition("\n\n")[0].split()) or first
    line = first[:1].lower() + first[1:].rstrip(".")
    parser: argparse.ArgumentParser = commands.add_parser(command, help=line, description=described, add_help=add_help)
    parser.set_defaults(run=run)
    return parser


def add_detail(parser: argparse.ArgumentParser) -> None:
    """Declare the options, before and after a command."""
    either = parser.add_mutually_exclusive_group()
    add = partial(either.add_argument, dest="detail", action="store_const", default=argparse.SUPPRESS)
    add(*DETAIL_OPTIONS[:2], const="quiet", help="print only the result; on failure, print everything")
    add(*DETAIL_OPTIONS[2:], const="verbose", help="list what is read, and time each stage")


def begin(arguments: argparse.Namespace) -> None:
    """Start printing with the detail that the command line asks for."""
    _chosen[0] = getattr(arguments, "detail", "usual")
    if _chosen[0] == "verbose":
        run_log.listen(detail)
        detail(f"{winnow_ci.__version__} ({native.described()}), Python {'.'.join(map(str, sys.version_info[:3]))}")


def say(line: str, *, at_once: bool = False) -> None:
    """Print one or more lines; with ``-q``, only at the end of a failed run, unless ``at_once``."""
    if _chosen[0] == "quiet" and not at_once:
        _held.append(line)
    else:
        print(line, file=sys.stderr)


def note(text: str) -> None:
    """Print a line that begins with our name."""
    say(f"winnow-ci: {text}")


def detail(line: str) -> None:
    """Print a line, only with ``-v``."""
    if _chosen[0] == "verbose":
        print(f"winnow-ci: {name(line)}", file=sys.stderr)


def finish(status: int) -> None:
    """Print kept messages, if the status is not 0, and with ``-v`` how long it took."""
    if status:
        for line in _held:
            print(line, file=sys.stderr)
    _held.clear()
    if _chosen[0] == "verbose":
        stages = (f"{stage} {seconds:.2f} s" for stage, seconds in run_log.seconds().items())
        detail(f"time: {', '.join([*stages, f'all {time.perf_counter() - _START:.2f} s'])}")


def terminal_width(usual: int = 80) -> int:
    """Return the width of the terminal like ``shutil``, whose import would slow down a commit hook."""
    with suppress(KeyError, ValueError):
        if (columns := int(os.environ["COLUMNS"])) > 0:
            return columns
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or usual  # type: ignore[union-attr]
    return usual


@contextmanager
def counting(task: str, unit: str) -> Iterator[Progress]:
    """Show the progress of a task: a bar on a terminal, or a line every half minute in a log.

    The unit is ``B`` for bytes, else a noun. pre-commit gives its hooks a terminal, but nobody watches it, and it shows
    no line before the hook has ended.
    """
    if _chosen[0] == "quiet" or os.environ.get("PRE_COMMIT"):
        yield no_progress
    elif _chosen[0] == "verbose" or not sys.stderr.isatty() or os.environ.get("CI"):
        yield from _in_lines(name(task), unit)
    else:
        yield from _as_bar(name(task), unit)


def _as_bar(task: str, unit: str) -> Iterator[Progress]:
    bar: tqdm[NoReturn] | None = None
    start = time.monotonic()

    def show(done: int, total: int | None) -> None:
        nonlocal bar
        if bar is None:
            from tqdm import tqdm

            # It appears a second after the start of the work.
            options: Any = {"unit_scale": True, "leave": False, "delay": max(0.0, start + 1 - time.monotonic())}
            bar = tqdm(desc=task, unit=unit, initial=done, total=total, file=sys.stderr, **options)
        bar.update(done - bar.n)

    # A server may take a while before there is anything to count.
    words = f"{task} …"[: terminal_width() - 1] if unit == _BYTES else ""
    print(end=words, file=sys.stderr, flush=True)
    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
        print(end=f"\r{' ' * len(words)}\r" if words else "", file=sys.stderr, flush=True)


def _in_lines(task: str, unit: str) -> Iterator[Progress]:
    start = shown = time.monotonic()
    last: tuple[int, int | None] = 0, None

    def show(done: int, total: int | None) -> None:
        nonlocal shown, last
        last = done, total
        if time.monotonic() - shown >= PAUSE:
            shown = time.monotonic()
            note(f"{task}: {_amount(done, total, unit)}")

    yield show
    detail(f"{task}: {_amount(*last, unit)} in {time.monotonic() - start:.2f} s")


def _amount(done: int, total: int | None, unit: str) -> str:
    """The work done: ``12.3 of 40.0 MB``, ``1,234 of 5,678 files``."""
    if unit == _BYTES:
        return f"{done / 1e6:.1f}{'' if total is None else f' of {total / 1e6:.1f}'} MB"
    return f"{done:,}{'' if total is None else f' of {total:,}'} {unit.strip()}"
