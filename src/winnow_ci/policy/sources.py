"""Which sources a rule is about: patterns of their names, upper and lower case being different."""

from __future__ import annotations

from dataclasses import dataclass, field

from winnow_ci.policy.globs import Glob, compiled, refuse_unfit


@dataclass(frozen=True, slots=True)
class SourcePatterns:
    """Patterns of names of which any may match: ``curl``, ``acme-*``.

    Raises:
        ValueError: a pattern that is empty, or too long.
    """

    patterns: tuple[str, ...] = ()
    _globs: tuple[Glob, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            refuse_unfit(pattern)
        object.__setattr__(self, "_globs", tuple(map(compiled, self.patterns)))

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def matches(self, name: str) -> bool:
        """Whether any pattern matches the name of a source."""
        return any(glob(name) for glob in self._globs)
