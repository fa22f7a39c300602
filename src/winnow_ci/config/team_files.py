"""Read a file that a team shares, and report all its mistakes at once.

Anybody may have put a file where ours are expected, so only regular files are read, and only up to a limit. A reader of
a part raises ``InvalidContentError``; one of several parts collects what their readers raise (``Mistakes``). The number
of mistakes is bounded, since each suggestion takes some milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from winnow_ci import run_log
from winnow_ci.errors import ConfigError, InvalidFileError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.regular_file import open_regular
from winnow_ci.start_up import compiled_on_use

if TYPE_CHECKING:
    from typing_extensions import Self

_T = TypeVar("_T")
_MOST_MISTAKES = 100
_CONFLICT = compiled_on_use(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: |\r?$)", re.MULTILINE)


def read_untrusted(path: Path, most: int, remedy: str) -> bytes:
    """Read a regular file, or its first ``most`` bytes and one more; ``remedy`` is for a file that cannot be read."""
    try:
        with open_regular(path) as file:
            run_log.tell(f"reading {path}")
            return file.read(most + 1)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}", remedy) from error


def refuse_large(text: bytes, origin: str, most: int, remedy: str) -> None:
    """Refuse a text of more than ``most`` bytes."""
    if len(text) > most:
        size = f"{most >> 10} KiB" if most < 1 << 20 else f"{most >> 20} MiB"
        raise ConfigError(f"{origin}: larger than {size}", remedy)


def refuse_conflict(text: bytes, origin: str, remedy: str) -> None:
    """Refuse a text in which git has left the marks of a merge conflict."""
    if mark := _CONFLICT.search(text):
        line = text.count(b"\n", 0, mark.start()) + 1
        raise ConfigError(f"{origin}:{line}: an unresolved merge conflict", remedy)


def checked_edit(after: bytes, path: Path, parse: Callable[[bytes], _T], wanted: _T, advice: str) -> bytes:
    """Return the edited text of a file if it means what is wanted; else raise ``ConfigError`` with the advice."""
    with suppress(ConfigError):
        if parse(after) == wanted:
            return after
    raise ConfigError(f"{path}: winnow-ci cannot add to a file in this form", advice)


class Mistake(NamedTuple):
    """What is wrong on a line of a file, and what to do about it."""

    line: int
    problem: str
    remedy: str


class InvalidContentError(Exception):
    """The mistakes in a part of a file: one at least."""

    def __init__(self, *mistakes: Mistake) -> None:
        super().__init__(*mistakes)
        self.mistakes = mistakes


class Mistakes:
    """Collect the mistakes of the parts that are read in a context, and raise them at its end."""

    def __init__(self) -> None:
        self._found: list[Mistake] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self._found:
            raise InvalidContentError(*self._found)

    def add(self, *mistakes: Mistake) -> None:
        """Add a mistake; raise all if there are too many to read."""
        self._found += mistakes
        if len(self._found) >= _MOST_MISTAKES:
            raise InvalidContentError(*self._found)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Add what is wrong with a part that is read in a block."""
        try:
            yield
        except InvalidContentError as error:
            self.add(*error.mistakes)


@contextmanager
def mistakes_reported(origin: str) -> Iterator[None]:
    """Turn the mistakes that readers raise into the ``ConfigError`` that people read; ``origin`` is the file."""
    try:
        yield
    except InvalidContentError as error:
        ordered = sorted(dict.fromkeys(error.mistakes), key=lambda mistake: mistake.line)
        worded = [(f"{origin}:{line}: {problem}", remedy) for line, problem, remedy in ordered]
        if len(worded) == 1:
            raise ConfigError(*worded[0]) from error
        at_least = "at least " if len(error.mistakes) >= _MOST_MISTAKES else ""
        problem = f"{origin} has {at_least}{len(worded)} mistakes"
        raise InvalidFileError(problem, "correct them, and try again", worded) from error
