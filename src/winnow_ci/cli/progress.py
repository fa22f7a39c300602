"""Progress on a terminal; silence everywhere else."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from tqdm import tqdm

    from winnow_ci.model import Progress


@contextmanager
def counting(what: str, unit: str) -> Iterator[Progress]:
    """Give a function that shows a bar, with a rate and the remaining time, if somebody is looking.

    pre-commit gives its hooks a terminal, but nobody watches it.
    """
    if not sys.stderr.isatty() or os.environ.get("PRE_COMMIT") or os.environ.get("CI"):
        yield lambda done, total: None  # noqa: ARG005
        return
    bar: tqdm[NoReturn] | None = None

    def show(done: int, total: int | None) -> None:
        nonlocal bar
        # The first call starts the clock: work of another kind may come before.
        bar = bar or _new_bar(what, unit, total)
        bar.update(done - bar.n)

    try:
        yield show
    finally:
        if bar is not None:
            bar.close()


def _new_bar(what: str, unit: str, total: int | None) -> tqdm[NoReturn]:
    """A bar that appears once the work takes long enough to be watched."""
    from tqdm import tqdm

    return tqdm(desc=what, unit=unit, total=total, unit_scale=True, delay=1, leave=False, file=sys.stderr)
