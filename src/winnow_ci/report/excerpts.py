"""The code of a finding and, if known, of its source: side by side if the screen is wide enough, else in turn.

Side by side, corresponding lines share a row, and the lines between them fill the rows before it. In turn, the
source's code is left out if it is the same. Of a copy with blocks in another order, each block is shown so.
"""

from __future__ import annotations

from functools import partial
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from winnow_ci.report import printable, wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.model.findings import CopiedBlock, Finding

LINES = 6
LEAST_LINES = 2  # of a block
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
    if not finding.blocks:
        yield from _change(finding).rows(width, most)
        return
    blocks = [_sides(block) for block in finding.blocks[: max(most // LEAST_LINES, 1)]]
    show = _beside if width >= WIDE else partial(_in_turn, finding.source.file.path)
    yield from show(blocks, width, _share(most, blocks))
    if more := len(finding.blocks) - len(blocks):
        yield f"and {wording.counted(more, 'more block')}", ""


def of_change(finding: Finding, width: int) -> Iterator[tuple[str, str]]:
    """The first lines of a finding, or of its blocks, in the change: margin and code, cut to the width."""
    sides = [_sides(block).change for block in finding.blocks[: LINES // LEAST_LINES]] or [_change(finding)]
    each = _share(LINES, sides)
    digits = max(side.digits(each) for side in sides)
    for side in sides:
        yield from side.rows(width, each, digits, goes_on=side is not sides[-1])


def _share(most: int, blocks: Sequence[object]) -> int:
    """How many lines of each block are shown."""
    return max(most // len(blocks), min(LEAST_LINES, most))


def _change(finding: Finding) -> _Side:
    return _Side(*finding.lines, finding.excerpt)


def _sides(block: CopiedBlock) -> _Sides:
    here, there = block.lines
    return _Sides(_Side(*here, block.excerpt), _Side(*there, block.source_excerpt), block.corresponding)


class _Side:
    """Lines ``first`` to ``last``, of which the first few are known."""

    def __init__(self, first: int, last: int, excerpt: Sequence[str]) -> None:
        self.first, self.last = first, last
        self.lines = excerpt[: last - first + 1]

    def rows(self, width: int, most: int, digits: int = 0, *, goes_on: bool = False) -> Iterator[tuple[str, str]]:
        """The first lines, and a row for the rest or, if the code goes on, for what comes before the next block."""
        shown = self.lines[:most]
        digits = digits or self.digits(most)
        room = max(width, _NARROWEST) - digits - len("   │ ")
        for number in range(self.first, self.first + len(shown)):
            yield self.margin(number, digits), self.code(number, room)
        if goes_on or self.last - self.first + 1 > len(shown) > 0:
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


class _Sides(NamedTuple):
    """A block: its lines in the change, those in the source, and which of them correspond."""

    change: _Side
    source: _Side
    corresponding: tuple[tuple[int, int], ...]


def _in_turn(path: str, blocks: Sequence[_Sides], width: int, most: int) -> Iterator[_Row]:
    """Each block in the change, and in the source if that says anything else."""
    some = max(most * 2 // 3, 1) if most <= LINES else most
    digits = max(side.digits(some) for change, source, _ in blocks for side in (change, source))
    for block in blocks:
        change, source, _ = block
        goes_on = block is not blocks[-1]
        if change.says_the_same(source, most):
            yield from change.rows(width, most, digits if len(blocks) > 1 else 0, goes_on=goes_on)
            continue
        yield from change.rows(width, some, digits)
        yield f"in {printable.name(path)}:", ""
        yield from source.rows(width, some, digits, goes_on=goes_on)


def _beside(blocks: Sequence[_Sides], width: int, most: int) -> Iterator[_Row]:
    """Each block in the change beside the block in the source."""
    here_digits = max(block.change.digits(most) for block in blocks)
    there_digits = max(block.source.digits(most) for block in blocks)
    room = (width - here_digits - there_digits - len("   │    │ ")) // 2
    for block in blocks:
        change, source, _ = block
        numbers = list(islice(_aligned(*block), most))
        for here, there in numbers:
            left = change.code(here, room).ljust(room)
            yield change.margin(here, here_digits), left, source.margin(there, there_digits), source.code(there, room)
        shown = [max(filter(None, side), default=0) for side in zip(*numbers, strict=True)]
        if shown and (shown[0] < change.last or shown[1] < source.last or block is not blocks[-1]):
            yield f"{'…':>{here_digits}}{_BAR}", " " * room, f"{'…':>{there_digits}}{_BAR}", ""


def _aligned(
    change: _Side, source: _Side, corresponding: tuple[tuple[int, int], ...]
) -> Iterator[tuple[int | None, int | None]]:
    """The line numbers of each row; None where a side has no line."""
    here, there = change.first, source.first
    ends = change.last + 1, source.last + 1
    for pair in chain(corresponding, [ends]):
        yield from zip_longest(change.numbers(here, pair[0]), source.numbers(there, pair[1]))
        if pair != ends and change.numbers(pair[0], pair[0] + 1) and source.numbers(pair[1], pair[1] + 1):
            yield pair
        here, there = pair[0] + 1, pair[1] + 1
