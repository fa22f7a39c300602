"""Patterns of paths and of sources that a rule is about (docs/configuration.md).

Globs have the syntax of fnmatch, which translates each ``*`` into an atomic group, so that a hostile pattern such as
``*a*a*a*a*b`` cannot make the matcher backtrack, as it can with pathspec
(https://github.com/cpburnz/python-pathspec/issues/131).

Patterns of paths are like those of ``.gitignore``, without negation. If its only slash is a final one, or it has none,
a pattern matches a name at any depth; any other starts at the root. ``**`` spans any number of folders. A pattern is a
small automaton over segments: a state is the number of segments matched so far, and all states of a path are followed
at once. So ``**`` costs no backtracking, and matching takes time linear in the path.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from winnow_ci.start_up import field, record

MAX_LENGTH = 1024

Glob: TypeAlias = Callable[[str], object]

# None is a ``**``.
_Steps: TypeAlias = tuple[Glob | None, ...]


def compiled_glob(pattern: str) -> Glob:
    """Return a function that is true of the texts that the whole pattern matches."""
    if any(character in pattern for character in "*?["):
        return re.compile(fnmatch.translate(pattern)).match
    return pattern.__eq__


def check_pattern(pattern: str) -> None:
    """Raise ValueError for a pattern that is empty, or too long for a person to have written it."""
    if not pattern:
        raise ValueError("a pattern must not be empty")
    if len(pattern) > MAX_LENGTH:
        raise ValueError(f"a pattern of {len(pattern):,} characters is longer than {MAX_LENGTH:,}")


@record(frozen=True, slots=True)
class SourcePatterns:
    """Patterns of the names of sources: ``curl``, ``acme-*``; ValueError if one is empty or too long."""

    patterns: tuple[str, ...] = ()
    _globs: tuple[Glob, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            check_pattern(pattern)
        object.__setattr__(self, "_globs", tuple(map(compiled_glob, self.patterns)))

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def matches(self, name: str) -> bool:
        """Return whether any pattern matches the name of a source."""
        return any(glob(name) for glob in self._globs)


@record(frozen=True, slots=True)
class PathPatterns:
    """Patterns of paths; ValueError if one is empty, too long or negated, or leaves the root."""

    patterns: tuple[str, ...] = ()
    _steps: tuple[_Steps, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_steps", tuple(map(_steps_of, self.patterns)))

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def below(self, folder: str) -> PathPatterns:
        """Return patterns that mean the same relative to the root, if these are relative to a folder of it."""
        literal = re.sub(r"([*?[])", r"[\1]", folder)
        below = (f"{literal}/{'' if '/' in pattern.rstrip('/') else '**/'}{pattern}" for pattern in self.patterns)
        return PathPatterns(tuple(below)) if folder else self

    def first_match(self, path: str) -> str | None:
        """Return the first pattern that matches a file, if one does."""
        names = path.split("/")
        pairs = zip(self.patterns, self._steps, strict=True)
        return next((pattern for pattern, steps in pairs if _matches(steps, names)), None)

    def matches(self, path: str) -> bool:
        """Return whether any pattern matches a file."""
        return self.first_match(path) is not None


def _steps_of(pattern: str) -> _Steps:
    check_pattern(pattern)
    if pattern.startswith("!"):
        raise ValueError("there is no negation (!) in a path pattern; use paths.include and paths.exclude")
    segments = [segment for segment in pattern.split("/") if segment not in {"", "."}]
    if not segments or ".." in segments:
        raise ValueError("a path pattern must stay below the root of the repository")
    if "/" not in pattern.rstrip("/"):
        segments.insert(0, "**")
    # Matching any name one level down is enough: what is below it follows.
    if pattern.endswith("/"):
        segments.append("*")
    elif segments[-1] == "**":
        segments[-1] = "*"
    return tuple(None if segment == "**" else compiled_glob(segment) for segment in segments)


def _matches(steps: _Steps, names: Sequence[str]) -> bool:
    states = _past_stars(steps, {0})
    for name in names:
        stars = {state for state in states if steps[state] is None}
        passed = {state + 1 for state in states - stars if (step := steps[state]) and step(name)}
        states = _past_stars(steps, stars | passed)
        # Matching a folder is enough, whatever is inside.
        if len(steps) in states or not states:
            break
    return len(steps) in states


def _past_stars(steps: _Steps, states: set[int]) -> set[int]:
    """Add the states that are reached by letting a ``**`` match no folder."""
    closed = set(states)
    for state in states:
        following = state
        while following < len(steps) and steps[following] is None:
            following += 1
            closed.add(following)
    return closed
