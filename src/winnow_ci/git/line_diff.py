"""Which lines of a new text are not in the old one.

Lines are compared without their white space, so that re-indented code is not new code, and a changed line ending is no
change at all. The result errs in one direction only: the lines that it leaves out stand in the old text, in the same
order; a line that it names may, in a hopeless case, stand there too.

1. Equal lines at both ends are set aside.
2. Patience: lines that occur once in each of the two texts are hardly paired by accident. The longest series of such
   pairs that rises in both texts (by patience sorting) is kept, and each gap between two of them is treated the same
   way again: Bram Cohen's patience diff, https://bramcohen.livejournal.com/73318.html.
3. In a gap without such lines the longest common subsequence is kept. It is computed a row at a time, all columns at
   once, as the bits of one integer: H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004. A bit of row
   j is 0 where the subsequence grows with that line of the old text.

Both steps draw on one allowance, which bounds the work. Where it is used up, the gap counts as added.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from winnow_ci.model import LineRange
from winnow_ci.named_tuples import NamedTuple

# In cells of the table of step 3: 100 million take at most 0.1 s and 15 MB. A line in step 2 takes as long as some 64.
_CELLS = 2**28
_CELLS_PER_TABLE = 2**27
_CELLS_PER_LINE = 64
_PASSES = 8

_WHITE_SPACE = b" \t\r\v\f"
_ADDED = re.compile(rb"\x00+")


class _Gap(NamedTuple):
    """Lines ``old_start`` to ``old_end`` against lines ``new_start`` to ``new_end``, half-open, from 0."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int

    @property
    def lines(self) -> int:
        return self.old_end - self.old_start + self.new_end - self.new_start

    @property
    def cells(self) -> int:
        return (self.old_end - self.old_start) * (self.new_end - self.new_start)


def added_lines(old: bytes, new: bytes) -> tuple[LineRange, ...]:
    """Return the lines of ``new`` that do not stand in ``old``, as ranges with at least one line between two of them.

    A line ends with LF or, in a text without any LF, with CR.
    """
    before, after = _lines(old), _lines(new)
    kept = _kept(before, after)
    return tuple(LineRange(run.start() + 1, run.end()) for run in _ADDED.finditer(kept))


def _lines(text: bytes) -> list[bytes]:
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    lines = text.translate(None, _WHITE_SPACE).split(b"\n")
    if not text or text.endswith(b"\n"):
        lines.pop()
    return lines


def _kept(before: Sequence[bytes], after: Sequence[bytes]) -> bytearray:
    """Return a byte for each line of ``after``: 1 if it stands in ``before``."""
    kept = bytearray(len(after))
    allowance = _CELLS + _CELLS_PER_LINE * _PASSES * (len(before) + len(after))
    gaps = [_Gap(0, len(before), 0, len(after))]
    while gaps:
        gap = _without_equal_ends(before, after, gaps.pop(), kept)
        if not gap.cells:
            continue
        allowance -= _CELLS_PER_LINE * gap.lines
        if allowance < 0:
            break
        if anchors := _anchors(before, after, gap):
            gaps.extend(_between(anchors, gap, kept))
        elif gap.cells <= min(allowance, _CELLS_PER_TABLE):
            allowance -= gap.cells
            for number in _common(before, after, gap):
                kept[number] = 1
    return kept


def _without_equal_ends(before: Sequence[bytes], after: Sequence[bytes], gap: _Gap, kept: bytearray) -> _Gap:
    old_start, old_end, new_start, new_end = gap
    while old_start < old_end and new_start < new_end and before[old_start] == after[new_start]:
        kept[new_start] = 1
        old_start, new_start = old_start + 1, new_start + 1
    while old_start < old_end and new_start < new_end and before[old_end - 1] == after[new_end - 1]:
        old_end, new_end = old_end - 1, new_end - 1
        kept[new_end] = 1
    return _Gap(old_start, old_end, new_start, new_end)


def _anchors(before: Sequence[bytes], after: Sequence[bytes], gap: _Gap) -> list[tuple[int, int]]:
    """Return the longest rising series of (old, new) numbers of lines that occur once on both sides."""
    old_numbers = _unique(before, gap.old_start, gap.old_end)
    new_numbers = _unique(after, gap.new_start, gap.new_end)
    return _rising([(old_numbers[line], new) for line, new in new_numbers.items() if line in old_numbers])


def _unique(lines: Sequence[bytes], start: int, end: int) -> dict[bytes, int]:
    part = lines[start:end]
    count = Counter(part)
    return {line: number for number, line in enumerate(part, start) if count[line] == 1}


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest series whose old numbers rise too, by patience sorting; new numbers rise in ``pairs``."""
    tops: list[int] = []  # by pile: the old number on top of it
    piles: list[int] = []  # by pile: the index of the pair on top of it
    below: list[int] = []  # by pair: the index of the pair on top of the pile to its left, when it was laid down
    for index, (old, _) in enumerate(pairs):
        pile = bisect_left(tops, old)
        tops[pile : pile + 1] = [old]
        piles[pile : pile + 1] = [index]
        below.append(piles[pile - 1] if pile else -1)
    series = []
    index = piles[-1] if piles else -1
    while index >= 0:
        series.append(pairs[index])
        index = below[index]
    return series[::-1]


def _between(anchors: Sequence[tuple[int, int]], gap: _Gap, kept: bytearray) -> Iterator[_Gap]:
    """Keep the anchors; yield the gaps between them that have lines on both sides."""
    old_start, new_start = gap.old_start, gap.new_start
    for old, new in anchors:
        kept[new] = 1
        if old > old_start and new > new_start:
            yield _Gap(old_start, old, new_start, new)
        old_start, new_start = old + 1, new + 1
    yield _Gap(old_start, gap.old_end, new_start, gap.new_end)


def _common(before: Sequence[bytes], after: Sequence[bytes], gap: _Gap) -> Iterator[int]:
    """Yield the numbers of the new lines of a longest common subsequence, the last one first."""
    width = gap.old_end - gap.old_start
    new_lines = after[gap.new_start : gap.new_end]
    places = _places(before[gap.old_start : gap.old_end], new_lines)
    rows = [(1 << width) - 1]
    for line in new_lines:
        row = rows[-1]
        matches = row & places.get(line, 0)
        rows.append(((row + matches) | (row - matches)) & rows[0])
    column = width
    for number in range(len(rows) - 1, 0, -1):
        # The last old line, left of where we are, with which the subsequence grows: it is this new line if the row
        # before did not have it yet.
        column = (~rows[number] & ((1 << column) - 1)).bit_length()
        if column and rows[number - 1] >> (column - 1) & 1:
            column -= 1
            yield gap.new_start + number - 1


def _places(old_lines: Sequence[bytes], new_lines: Sequence[bytes]) -> dict[bytes, int]:
    """Return, for each new line, an integer in which the bits of its places among the old lines are 1."""
    wanted, length = set(new_lines), len(old_lines) // 8 + 1
    bits = defaultdict[bytes, bytearray](lambda: bytearray(length))
    for place, line in enumerate(old_lines):
        if line in wanted:
            bits[line][place >> 3] |= 1 << (place & 7)
    return {line: int.from_bytes(places, "little") for line, places in bits.items()}
