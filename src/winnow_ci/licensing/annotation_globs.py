"""Globs of REUSE and of Debian copyright files, matched in time linear in the path.

The states that the matching of a glob can be in are the bits of one number, so nothing is tried twice. In globs of
REUSE ``*`` stops at ``/`` and ``**`` does not; in Debian's ``*`` does not stop, and ``?`` is any character. In both, a
backslash makes the next character an ordinary one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class AnnotationGlob:
    """A compiled glob."""

    def __init__(self, pattern: str, *, debian: bool) -> None:
        elements, anything, names = _parsed(pattern, debian=debian)
        self._anything, self._names = anything, names
        self._end = 1 << len(elements)
        self._any = sum(1 << at for at, element in enumerate(elements) if element is None)
        self._masks: dict[str, int] = {}
        for at, element in enumerate(elements):
            if element is not None:
                self._masks[element] = self._masks.get(element, self._any) | 1 << at
        stars = anything | names
        plain = next((at for at, one in enumerate(elements) if one is None or stars >> at & 1), len(elements))
        self.prefix = "".join(element or "" for element in elements[:plain])
        self.is_literal = plain == len(elements) and not stars

    def matches(self, path: str) -> bool:
        """Whether the whole path is matched."""
        if not path.startswith(self.prefix):
            return False
        states = 1
        for character in path:
            stay = states & self._anything
            if character != "/":
                stay |= states & self._names
            states = (states & self._masks.get(character, self._any)) << 1 | stay
            if not states:
                return False
        return bool(states & self._end)


def _parsed(pattern: str, *, debian: bool) -> tuple[list[str | None], int, int]:
    """The characters, None for any; and two masks of where anything may stand, and where anything but ``/``."""
    elements: list[str | None] = []
    anything = names = at = 0
    while at < len(pattern):
        character = pattern[at]
        if character == "\\" and at + 1 < len(pattern):
            at += 1
            elements.append(pattern[at])
        elif character == "*":
            if debian or pattern[at + 1 : at + 2] == "*":
                anything |= 1 << len(elements)
            else:
                names |= 1 << len(elements)
        else:
            elements.append(None if debian and character == "?" else character)
        at += 1
    return elements, anything, names


class _Numbered(NamedTuple):
    number: int
    glob: AnnotationGlob


class LastMatchingGlob:
    """Finds the last of many numbered globs that matches a path.

    Attributes:
        tries: how many globs are tried on every path.
    """

    def __init__(self, globs: Iterable[tuple[str, int]], *, debian: bool) -> None:
        self._literal: dict[str, int] = {}
        self._below: dict[str, list[_Numbered]] = {}
        self._anywhere: list[_Numbered] = []
        for pattern, number in globs:
            glob = AnnotationGlob(pattern, debian=debian)
            top, slash, _ = glob.prefix.partition("/")
            if glob.is_literal:
                self._literal[glob.prefix] = number
            elif slash:
                self._below.setdefault(top, []).append(_Numbered(number, glob))
            else:
                self._anywhere.append(_Numbered(number, glob))
        self.tries = len(self._anywhere)

    def __call__(self, path: str) -> int | None:
        """The number of the last glob that matches a path; None if none does."""
        found = [self._literal.get(path, -1), _last(self._anywhere, path)]
        found.append(_last(self._below.get(path.partition("/")[0], ()), path))
        return max(found) if max(found) >= 0 else None


def _last(numbered: Sequence[_Numbered], path: str) -> int:
    return next((number for number, glob in reversed(numbered) if glob.matches(path)), -1)
