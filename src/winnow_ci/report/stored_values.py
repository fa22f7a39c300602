"""Values of a JSON report, read one by one: anybody may have written the file, so each is checked for its type.

A reader takes a value and the place where it stands, such as ``findings[3].source.path``, which messages name.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection

T = TypeVar("T")
Reader: TypeAlias = Callable[[Any, str], T]

# Of tokens, lines and files, nothing that can be scanned has more.
_LARGEST = 1 << 53
_SHOWN = 60
_LONE = re.compile(r"[\ud800-\udfff]")
# How ``printable.unicode`` writes a byte that is not UTF-8.
_BYTE = re.compile(r"\\x([89a-f][0-9a-f])")


class InvalidReportError(Exception):
    """A value of a report that cannot be: where it stands, and what is wrong with it."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place = place
        self.problem = problem


class Record:
    """An object of a report.

    Args:
        value: the object.
        place: where it stands.
        lacking: gets the names of the keys that an older report does not have.

    Raises:
        InvalidReportError: it is no object.
    """

    def __init__(self, value: Any, place: str, lacking: set[str]) -> None:
        if not isinstance(value, dict):
            raise InvalidReportError(place, "must be an object")
        self._values = value
        self._place = place
        self.lacking = lacking

    def need(self, key: str, read: Reader[T]) -> T:
        """The value of a key that every report has.

        Raises:
            InvalidReportError: it is missing, or invalid.
        """
        if key not in self._values:
            raise InvalidReportError(self._at(key), "is missing")
        return read(self._values[key], self._at(key))

    def later(self, key: str, read: Reader[T], otherwise: T) -> T:
        """The value of a key that older reports do not have.

        Raises:
            InvalidReportError: it is invalid.
        """
        if key not in self._values:
            self.lacking.add(key)
            return otherwise
        return self.need(key, read)

    def _at(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key


def text(value: Any, place: str) -> str:
    """Any text that can be written in UTF-8."""
    if not isinstance(value, str):
        raise InvalidReportError(place, "must be text")
    if _LONE.search(value):
        raise InvalidReportError(place, "has half of a character")
    return value


def path(value: Any, place: str) -> str:
    """A path, its bytes that are not UTF-8 as surrogates again."""
    return _BYTE.sub(lambda byte: chr(0xDC00 + int(byte[1], 16)), text(value, place))


def truth(value: Any, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InvalidReportError(place, "must be true or false")
    return value


def number(value: Any, place: str, least: int = 0) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST:
        raise InvalidReportError(place, f"must be a whole number, {least} or more")
    return value


def line(value: Any, place: str) -> int:
    """The number of a line."""
    return number(value, place, 1)


def real(value: Any, place: str, least: float = -_LARGEST, most: float = _LARGEST) -> float:
    """A number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidReportError(place, "must be a number" + ("" if most == _LARGEST else f" from {least} to {most}"))
    return float(value)


def share(value: Any, place: str) -> float:
    """A number from 0 to 1."""
    return real(value, place, 0, 1)


def matching(pattern: str, what: str) -> Reader[str]:
    """A reader of text that a pattern matches as a whole."""
    compiled = re.compile(pattern)

    def read(value: Any, place: str) -> str:
        if not isinstance(value, str) or not compiled.fullmatch(value):
            raise InvalidReportError(place, f"must be {what}")
        return value

    return read


def one_of(choices: Collection[T]) -> Reader[T]:
    """A reader of one of these values."""

    def read(value: Any, place: str) -> T:
        for choice in choices:
            if isinstance(value, str) and value == choice:
                return choice
        raise InvalidReportError(place, f"cannot be {value!r:.{_SHOWN}}: it is one of {', '.join(map(str, choices))}")

    return read


def optional(read: Reader[T]) -> Reader[T | None]:
    """A reader of a value that may be null."""
    return lambda value, place: None if value is None else read(value, place)


def each(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A reader of a list."""

    def read_all(value: Any, place: str) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise InvalidReportError(place, "must be a list")
        return tuple(read(one, f"{place}[{number}]") for number, one in enumerate(value))

    return read_all


def several(count: int, read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A reader of a list of so many values."""

    def read_all(value: Any, place: str) -> tuple[T, ...]:
        if not isinstance(value, list) or len(value) != count:
            raise InvalidReportError(place, f"must be a list of {count}")
        return each(read)(value, place)

    return read_all


SHA256 = matching("[0-9a-f]{64}", "64 hexadecimal digits")
_WRITTEN_DAY = matching("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a day such as 2027-01-31")


def day(value: Any, place: str) -> dt.date:
    """Read a day."""
    try:
        return dt.date.fromisoformat(_WRITTEN_DAY(value, place))
    except ValueError as error:
        raise InvalidReportError(place, "must be a day such as 2027-01-31") from error
