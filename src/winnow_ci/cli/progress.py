"""Progress on a terminal; silence everywhere else."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn

    from tqdm import tqdm
    from typing_extensions import Self


@contextmanager
def counting(what: str, unit: str) -> Iterator[Callable[[int, int | None], None]]:
    """Give a function that is told what is done and what all is, and shows it if somebody is looking.

    pre-commit gives its hooks a terminal, but nobody watches it.
    """
    if not sys.stderr.isatty() or os.environ.get("PRE_COMMIT") or os.environ.get("CI"):
        yield lambda done, total: None  # noqa: ARG005
        return
    with _Bar(what, unit) as bar:
        yield bar.update


class _Bar:
    """Shows a bar, with a rate and the remaining time, once the work takes long enough to be watched."""

    def __init__(self, what: str, unit: str) -> None:
        self._what, self._unit = what, unit
        self._bar: tqdm[NoReturn] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, done: int, total: int | None) -> None:
        # The first call starts the clock: work of another kind may come before.
        self._bar = self._bar or self._new(total)
        self._bar.update(done - self._bar.n)

    def _new(self, total: int | None) -> tqdm[NoReturn]:
        from tqdm import tqdm

        unit = self._unit
        return tqdm(desc=self._what, unit=unit, total=total, unit_scale=True, delay=1, leave=False, file=sys.stderr)
