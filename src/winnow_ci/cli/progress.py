"""Progress on a terminal; silence everywhere else."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self


@contextmanager
def counting(what: str, unit: str) -> Iterator[Callable[[int, int], None]]:
    """Give a function that is told what is done and what all is, and shows it if somebody is looking.

    pre-commit gives its hooks a terminal, but nobody watches it.
    """
    if not sys.stderr.isatty() or os.environ.get("PRE_COMMIT") or os.environ.get("CI"):
        yield lambda done, total: None  # noqa: ARG005
        return
    with _Bar(what, unit) as bar:
        yield bar.update


class _Bar:
    """Shows a bar once it is clear that the work takes long enough to be watched."""

    def __init__(self, what: str, unit: str) -> None:
        from tqdm import tqdm

        self._bar = tqdm(desc=what, unit=unit, unit_scale=True, delay=1, leave=False, file=sys.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def update(self, done: int, total: int) -> None:
        self._bar.total = total
        self._bar.update(done - self._bar.n)
