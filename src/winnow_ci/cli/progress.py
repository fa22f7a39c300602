"""Progress: a bar on a terminal; elsewhere a line now and then, so that the log of a long job does not stand still."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from winnow_ci.cli import messages, terminal
from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from tqdm import tqdm

    from winnow_ci.model import Progress

PAUSE = 30.0
"""Seconds between two lines."""
_BYTES = "B"


@contextmanager
def counting(what: str, unit: str) -> Iterator[Progress]:
    """Give a function that shows how far a task is: a bar if somebody is looking, else a line in each half minute.

    pre-commit gives its hooks a terminal, but nobody watches it, and it shows no line before the hook has ended.

    Args:
        what: the task, such as ``7/20 fetching django``.
        unit: of what is counted; ``B`` for bytes.
    """
    if messages.is_quiet() or os.environ.get("PRE_COMMIT"):
        yield lambda done, total: None  # noqa: ARG005
    elif messages.is_verbose() or not sys.stderr.isatty() or os.environ.get("CI"):
        yield from _in_lines(name(what), unit)
    else:
        yield from _as_bar(name(what), unit)


def _as_bar(what: str, unit: str) -> Iterator[Progress]:
    bar: tqdm[NoReturn] | None = None
    start = time.monotonic()

    def show(done: int, total: int | None) -> None:
        nonlocal bar
        bar = bar or _new_bar(what, unit, (done, total), start)
        bar.update(done - bar.n)

    # A server may take its time before there is anything to count.
    words = f"{what} …"[: terminal.width() - 1] if unit == _BYTES else ""
    print(end=words, file=sys.stderr, flush=True)
    try:
        yield show
    finally:
        if bar is not None:
            bar.close()
        print(end=f"\r{' ' * len(words)}\r" if words else "", file=sys.stderr, flush=True)


def _new_bar(what: str, unit: str, counts: tuple[int, int | None], start: float) -> tqdm[NoReturn]:
    """A bar that appears once the work takes long enough to be watched: a second after its start."""
    from tqdm import tqdm

    (done, total), delay = counts, max(0.0, start + 1 - time.monotonic())
    return tqdm(
        desc=what, unit=unit, initial=done, total=total, unit_scale=True, delay=delay, leave=False, file=sys.stderr
    )


def _in_lines(what: str, unit: str) -> Iterator[Progress]:
    start = told = time.monotonic()
    last: tuple[int, int | None] = 0, None

    def show(done: int, total: int | None) -> None:
        nonlocal told, last
        last = done, total
        if time.monotonic() - told >= PAUSE:
            told = time.monotonic()
            messages.say(f"winnow-ci: {what}: {_counted(done, total, unit)}")

    yield show
    messages.tell(f"{what}: {_counted(*last, unit)} in {time.monotonic() - start:.2f} s")


def _counted(done: int, total: int | None, unit: str) -> str:
    """How much is done of how much: ``12.3 of 40.0 MB``, ``1,234 of 5,678 files``."""
    if unit == _BYTES:
        return f"{done / 1e6:.1f}{'' if total is None else f' of {total / 1e6:.1f}'} MB"
    return f"{done:,}{'' if total is None else f' of {total:,}'} {unit.strip()}"
