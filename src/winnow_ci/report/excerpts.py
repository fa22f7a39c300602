"""The code of a finding and, if known, of its source: side by side if the screen is wide enough, else in turn.

Side by side, corresponding lines share a row, and the lines between them fill the rows before it. In turn, the
source's code is left out if it is the same.
"""

from __future__ import annotations

from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.report import printable, wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.model import Finding

LINES = 6
WIDE = 120
_NARROWEST = 40
_BAR = " │"
_Row: TypeAlias = "tuple[str, ...]"


def rows(finding: Finding, width: int, most: int) -> Iterator[_Row]:
    """Rows of margin and code, or side by side, of margin, code, margin and code.

    Args:
        finding: what to show.
        width: of the screen, in characters; each row fits into it with a margin of two.
        most: how many lines to show of each side.
    """
    change = _change(finding)
    source = _Side(finding.source_line or finding.source.lines.first, finding.source.lines.last, finding.source_excerpt)
    if not finding.source_excerpt:
        yield from change.rows(width, most)
    elif width >= WIDE:
        yield from _beside(finding, change, source, width, most)
    elif change.says_the_same(source, most):
        yield from change.rows(width, most)
    else:
        some = most * 2 // 3 if most == LINES else most
        digits = max(change.digits(some), source.digits(some))
        yield from change.rows(width, some, digits)
        yield f"in {printable.name(finding.source.file.path)}:", ""
        yield from source.rows(width, some, digits)


def of_change(finding: Finding, width: int) -> Iterator[tuple[str, str]]:
    """The first lines of a finding in the change: margin and code, cut to the width."""
    return _change(finding).rows(width, LINES)


def _change(finding: Finding) -> _Side:
    return _Side(finding.lines.first, finding.lines.last, finding.excerpt)


class _Side:
    """Lines ``first`` to ``last``, of which the first few are known."""

    def __init__(self, first: int, last: int, excerpt: Sequence[str]) -> None:
        self.first, self.last = first, last
        self.lines = excerpt[: last - first + 1]

    def rows(self, width: int, most: int, digits: int = 0) -> Iterator[tuple[str, str]]:
        """The first lines, and a row for the rest."""
        shown = self.lines[:most]
        digits = digits or self.digits(most)
        room = max(width, _NARROWEST) - digits - len("   │ ")
        for number in range(self.first, self.first + len(shown)):
            yield self.margin(number, digits), self.code(number, room)
        if self.last - self.first + 1 > len(shown) > 0:
            yield f"{'…':>{digits}}{_BAR}", ""

    def digits(self, most: int) -> int:
        """The width of the numbers of lines."""
        return len(str(self.first + min(most, len(self.lines))))

    def margin(self, number: int | None, digits: int) -> str:
        """The margin of a line: its number and a bar."""
        return f"{'' if number is None else number:>{digits}}{_BAR}"

    def code(self, number: int | None, room: int) -> str:
        """A line, cut so that it fits."""
        if number is None:
            return ""
        # Cut before escaping as well as after: a line may be megabytes long.
        return wording.cut(printable.code(self.lines[number - self.first][: room + 1]), room)

    def numbers(self, start: int, end: int) -> range:
        """The numbers of the known lines from ``start`` to ``end``, which is excluded."""
        return range(max(start, self.first), min(end, self.first + len(self.lines)))

    def says_the_same(self, other: _Side, most: int) -> bool:
        """Whether the first lines of both have the same words."""
        mine, theirs = ([line.split() for line in side.lines[:most]] for side in (self, other))
        return mine == theirs


def _beside(finding: Finding, change: _Side, source: _Side, width: int, most: int) -> Iterator[_Row]:
    here_digits, there_digits = change.digits(most), source.digits(most)
    room = (width - here_digits - there_digits - len("   │    │ ")) // 2
    numbers = list(islice(_aligned(finding, change, source), most))
    for here, there in numbers:
        left = change.code(here, room).ljust(room)
        yield change.margin(here, here_digits), left, source.margin(there, there_digits), source.code(there, room)
    shown = [max(filter(None, side), default=0) for side in zip(*numbers, strict=True)]
    if shown and (shown[0] < change.last or shown[1] < source.last):
        yield f"{'…':>{here_digits}}{_BAR}", " " * room, f"{'…':>{there_digits}}{_BAR}", ""


def _aligned(finding: Finding, change: _Side, source: _Side) -> Iterator[tuple[int | None, int | None]]:
    """The line numbers of each row; None where a side has no line."""
    here, there = change.first, source.first
    ends = change.last + 1, source.last + 1
    for pair in chain(finding.corresponding, [ends]):
        yield from zip_longest(change.numbers(here, pair[0]), source.numbers(there, pair[1]))
        if pair != ends and change.numbers(pair[0], pair[0] + 1) and source.numbers(pair[1], pair[1] + 1):
            yield pair
        here, there = pair[0] + 1, pair[1] + 1
