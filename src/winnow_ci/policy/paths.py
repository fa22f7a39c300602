"""Which paths a rule is about: patterns in the manner of ``.gitignore``, in time linear in the path.

- A pattern is relative to the root of the repository. One that has no slash but a last one matches a name at any
  depth: ``*.min.js``, ``vendor``, ``vendor/``. Any other starts at the root: ``src/gen``. A leading ``/`` or ``./``
  ties a pattern to the root and means nothing else.
- A pattern that matches a folder matches everything inside. One that ends in ``/`` or in ``/**`` matches nothing but
  what is inside.
- ``**`` as a whole segment spans any number of folders, none included. ``*``, ``?``, ``[abc]`` and ``[!abc]`` stay
  within one name. There is no escape character: ``[*]`` stands for a star.
- Upper and lower case differ. There is no negation: ``include`` and ``exclude`` say it more plainly.

A pattern is a small automaton over segments: a state is the number of segments matched so far, and all the states
that a path can be in are followed at once. ``**`` therefore costs no backtracking, whatever stands between two of
them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.policy.globs import Glob, compiled, refuse_unfit

if TYPE_CHECKING:
    from collections.abc import Sequence

# None stands for a ``**``.
_Steps: TypeAlias = tuple[Glob | None, ...]


@dataclass(frozen=True, slots=True)
class PathPatterns:
    """Patterns of which any may match.

    Raises:
        ValueError: a pattern that is empty, too long, negated, or that leaves the root.
    """

    patterns: tuple[str, ...] = ()
    _steps: tuple[_Steps, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_steps", tuple(map(_steps_of, self.patterns)))

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def first_match(self, path: str) -> str | None:
        """The first pattern that matches a file, if one does."""
        names = path.split("/")
        for pattern, steps in zip(self.patterns, self._steps, strict=True):
            if _matches(steps, names):
                return pattern
        return None

    def matches(self, path: str) -> bool:
        """Whether any pattern matches a file."""
        return self.first_match(path) is not None


def _steps_of(pattern: str) -> _Steps:
    refuse_unfit(pattern)
    if pattern.startswith("!"):
        raise ValueError("there is no negation (!) in a path pattern; use paths.include and paths.exclude")
    segments = [segment for segment in pattern.split("/") if segment not in {"", "."}]
    if not segments or ".." in segments:
        raise ValueError("a path pattern names files below the root of the repository")
    if "/" not in pattern.rstrip("/"):
        segments.insert(0, "**")
    # What is inside a folder is anything one level down, and with it all that is inside that.
    if pattern.endswith("/"):
        segments.append("*")
    elif segments[-1] == "**":
        segments[-1] = "*"
    return tuple(None if segment == "**" else compiled(segment) for segment in segments)


def _matches(steps: _Steps, names: Sequence[str]) -> bool:
    states = _past_stars(steps, {0})
    for name in names:
        reached = set()
        for state in states:
            step = steps[state]
            if step is None:
                reached.add(state)
            elif step(name):
                reached.add(state + 1)
        states = _past_stars(steps, reached)
        # Having matched a folder is enough, whatever is inside.
        if len(steps) in states or not states:
            break
    return len(steps) in states


def _past_stars(steps: _Steps, states: set[int]) -> set[int]:
    """The states, and those reached from them by letting a ``**`` stand for no folder."""
    closed = set(states)
    for state in states:
        following = state
        while following < len(steps) and steps[following] is None:
            following += 1
            closed.add(following)
    return closed
