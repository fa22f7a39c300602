"""Values on spans of a file, found by what they overlap.

A file with thousands of matches would take a time that grows with the square of their number if each was compared with
all others. Here a value is noted in each block that its span touches, and a search looks at a few blocks.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

Value = TypeVar("Value")

BLOCK = 256
"""Tokens or lines."""


class Overlaps(Generic[Value]):
    """Values, each on a half-open span of tokens or lines."""

    def __init__(self) -> None:
        self._values: list[tuple[int, int, Value]] = []
        self._blocks: dict[int, list[int]] = {}

    def add(self, start: int, end: int, value: Value) -> None:
        """Add a value on the span ``[start, end)``."""
        for block in _blocks(start, end):
            self._blocks.setdefault(block, []).append(len(self._values))
        self._values.append((start, end, value))

    def over(self, start: int, end: int) -> Iterator[Value]:
        """Find the values whose span overlaps another one, in the order in which they were added."""
        near = [self._blocks[block] for block in _blocks(start, end) if block in self._blocks]
        for number in near[0] if len(near) == 1 else sorted(set(chain.from_iterable(near))):
            other_start, other_end, value = self._values[number]
            if other_start < end and start < other_end:
                yield value


def _blocks(start: int, end: int) -> range:
    return range(start // BLOCK, -(-end // BLOCK))
