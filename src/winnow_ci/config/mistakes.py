"""Mistakes in a file, collected: somebody who made four wants to hear of four.

A reader raises ``InvalidContentError``. One that reads parts catches what the readers of the parts raise, goes on with
the next part, and at the end raises one error with the mistakes of all. Anybody may have written the file, so the
number of mistakes is bounded: to find out what somebody may have meant takes some milliseconds each.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from winnow_ci.errors import ConfigError, InvalidFileError
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST = 100


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
    """Those of the parts that were read so far."""

    def __init__(self) -> None:
        self._found: list[Mistake] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """A block that reads one part.

        Raises:
            InvalidContentError: there are more mistakes than anybody wants to hear of.
        """
        try:
            yield
        except InvalidContentError as error:
            self._found += error.mistakes
        if len(self._found) >= _MOST:
            self.refuse()

    def refuse(self) -> None:
        """Raise what was found, if anything.

        Raises:
            InvalidContentError: there are mistakes.
        """
        if self._found:
            raise InvalidContentError(*self._found)


def config_error(origin: str, mistakes: Sequence[Mistake]) -> ConfigError:
    """The error that tells people about the mistakes in a file.

    Args:
        origin: what messages call the file.
        mistakes: one at least, in any order.
    """
    ordered = sorted(dict.fromkeys(mistakes), key=lambda mistake: mistake.line)
    if len(ordered) == 1:
        return ConfigError(*_in_words(origin, ordered[0]))
    at_least = "at least " if len(mistakes) >= _MOST else ""
    problem = f"{origin} has {at_least}{len(ordered)} mistakes"
    return InvalidFileError(problem, "correct them, and try again", [_in_words(origin, one) for one in ordered])


def _in_words(origin: str, mistake: Mistake) -> tuple[str, str]:
    return f"{origin}:{mistake.line}: {mistake.problem}", mistake.remedy
