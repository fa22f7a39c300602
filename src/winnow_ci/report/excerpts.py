"""The code of a finding and, if known, of its source: side by side if the screen is wide enough, else in turn.

Side by side, long gaps on one side are folded. In turn, the source's code is left out if it is the same. A copy with
blocks in another order is shown block by block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import TypeAlias

from winnow_ci.model.findings import FIRST_LINES, Finding
from winnow_ci.model.regions import AlignedBlock, AlignedRow, MarkedPiece, SideLine
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import printable
from winnow_ci.report.shown import ReportStyle, paint
from winnow_ci.report.wording import counted, shortened

_LONGEST_UNFOLDED_GAP = 6
_LEAST_LINES = 2  # of a block
_WIDE = 120
_NARROWEST = 40
_BAR = " │"
_Row: TypeAlias = "tuple[str, ...]"


def code_of(finding: Finding, style: ReportStyle, most: int = FIRST_LINES.lines) -> Iterator[str]:
    """The code of a finding and, if known, of its source, in colours; at most ``most`` lines of each."""
    for first, *cells in excerpt_rows(finding, style, most):
        margins = (paint(margin, "faint", style) for margin in (f"  {first}", *cells[1::2]))
        yield " ".join(f"{margin} {line}" for margin, line in zip(margins, cells[::2], strict=True)).rstrip()


def excerpt_rows(finding: Finding, style: ReportStyle, most: int) -> Iterator[_Row]:
    """Rows of margin and code, or of both for both sides, at most ``most``; they fit the screen after two spaces."""
    known = _blocks(finding)
    if not known:
        yield from _change(finding).rows(style, most)
        return
    blocks = known[: max(most // _LEAST_LINES, 1)]
    show = _beside if style.width >= _WIDE else partial(_in_turn, finding.source.file.path)
    yield from show(blocks, style, _share(most, blocks))
    if more := len(known) - len(blocks) + (finding.beside.blocks_left_out if finding.beside else 0):
        yield f"and {counted(more, 'more block')}", ""


def excerpt_of_change(finding: Finding, style: ReportStyle) -> list[str]:
    """The first lines of a finding, or of its blocks, in the change, cut to the width."""
    blocks = _blocks(finding)[: FIRST_LINES.lines // _LEAST_LINES]
    sides = [_side(block, 0) for block in blocks] if len(blocks) > 1 else [_change(finding)]
    each = _share(FIRST_LINES.lines, sides)
    digits = max(side.digits(each) for side in sides)
    rows = (row for side in sides for row in side.rows(style, each, digits, goes_on=side is not sides[-1]))
    return [f"{margin} {code}".rstrip() for margin, code in rows]


def row_runs(rows: Iterable[AlignedRow]) -> Iterator[tuple[bool, list[AlignedRow]]]:
    """Rows in runs, each with whether it is a gap that is folded: many lines on one side only."""
    runs = (list(run) for _, run in groupby(rows, _is_gap))
    for folds, group in groupby(runs, lambda run: len(run) > _LONGEST_UNFOLDED_GAP and _is_gap(run[0])):
        yield folds, [row for run in group for row in run]


def _is_gap(row: AlignedRow) -> bool:
    """Whether a row within the copy has a line on one side only."""
    line = row.here or row.there
    return None in row and line is not None and line.is_copied


def gap_in_words(rows: Sequence[AlignedRow]) -> str:
    """What is folded: ``2 lines only in the change and 40 lines only in the source``."""
    here = sum(row.here is not None for row in rows)
    sides = [(here, "only in the change"), (len(rows) - here, "only in the source")]
    return " and ".join(f"{counted(count, 'line')} {where}" for count, where in sides if count)


def _share(most: int, blocks: Sequence[object]) -> int:
    return max(most // len(blocks), min(_LEAST_LINES, most))


class _Side(NamedTuple):
    """The lines of a block on one side, and the number of its last one."""

    lines: Sequence[SideLine]
    last: int

    def rows(
        self, style: ReportStyle, most: int, digits: int = 0, *, goes_on: bool = False
    ) -> Iterator[tuple[str, str]]:
        """The first lines, and a row for the rest or, if the code goes on, for the gap before the next block."""
        shown = self.lines[:most]
        digits = digits or self.digits(most)
        room = max(style.width, _NARROWEST) - digits - len("   │ ")
        for line in shown:
            yield _margin(line, digits), line_of_code(line, room, style)
        if shown and (goes_on or shown[-1].number < self.last):
            yield f"{'…':>{digits}}{_BAR}", ""

    def digits(self, most: int) -> int:
        return max((len(str(line.number + 1)) for line in self.lines[:most]), default=1)

    def words(self, most: int) -> list[list[str]]:
        return [_text(line.pieces).split() for line in self.lines[:most]]


def _side(block: AlignedBlock, number: int) -> _Side:
    return _Side([line for row in block.rows if (line := row[number])], block.lines[number].last)


def _change(finding: Finding) -> _Side:
    first, last = finding.lines
    lines = [SideLine(number, (MarkedPiece(text),)) for number, text in enumerate(finding.excerpt, first)]
    return _Side(lines[: last - first + 1], last)


def _blocks(finding: Finding) -> list[AlignedBlock]:
    """The blocks of a finding beside the text of its source, if that is known and differs."""
    known = finding.beside
    blocks = known.blocks if known and known.has_source_text and not finding.identical else ()
    return [
        block._replace(rows=tuple(row for row in block.rows if any(line and line.is_copied for line in row)))
        for block in blocks
    ]


def _in_turn(path: str, blocks: Sequence[AlignedBlock], style: ReportStyle, most: int) -> Iterator[_Row]:
    """Each block in the change, and in the source if that has other words."""
    some = max(most * 2 // 3, 1) if most <= FIRST_LINES.lines else most
    sides = [(_side(block, 0), _side(block, 1)) for block in blocks]
    digits = max(side.digits(some) for both in sides for side in both)
    for block, (change, source) in zip(blocks, sides, strict=True):
        goes_on = block is not blocks[-1]
        if change.words(most) == source.words(most):
            yield from change.rows(style, most, digits if len(blocks) > 1 else 0, goes_on=goes_on)
            continue
        yield from change.rows(style, some, digits)
        yield f"in {printable.name(path)}:", ""
        yield from source.rows(style, some, digits, goes_on=goes_on)


def _beside(blocks: Sequence[AlignedBlock], style: ReportStyle, most: int) -> Iterator[_Row]:
    """Each block in the change beside the block in the source."""
    here_digits, there_digits = (max(_side(block, side).digits(most) for block in blocks) for side in (0, 1))
    room = (style.width - here_digits - there_digits - len("   │    │ ")) // 2
    for block in blocks:
        shown = block.rows[:most]
        for folds, run in row_runs(shown):
            if folds:
                yield f"{'…':>{here_digits}}{_BAR}", shortened(f"({gap_in_words(run)})", room)
                continue
            for here, there in run:
                left = line_of_code(here, room, style, is_padded=True)
                yield _margin(here, here_digits), left, _margin(there, there_digits), line_of_code(there, room, style)
        ends = [max((line.number for row in shown if (line := row[side])), default=0) for side in (0, 1)]
        cut = any(end < lines.last for end, lines in zip(ends, block.lines, strict=True))
        if shown and (cut or block is not blocks[-1]):
            yield f"{'…':>{here_digits}}{_BAR}", " " * room, f"{'…':>{there_digits}}{_BAR}", ""


def _margin(line: SideLine | None, digits: int) -> str:
    return f"{'' if line is None else line.number:>{digits}}{_BAR}"


def _text(pieces: Iterable[MarkedPiece]) -> str:
    return "".join(piece.text for piece in pieces)


def line_of_code(line: SideLine | None, room: int, style: ReportStyle, *, is_padded: bool = False) -> str:
    """A line in colours, cut so that it fits into ``room`` characters; without a line, nothing."""
    runs = [] if line is None else list(_marked_runs(line, room, is_coloured=style.colour))
    width = sum(len(text) for text, _ in runs)
    if width > room:
        runs, width = [*_cut(runs, room - 1), ("…", "")], room
    return "".join(paint(text, mark, style) for text, mark in runs) + " " * (room - width if is_padded else 0)


def _marked_runs(line: SideLine, room: int, *, is_coloured: bool) -> Iterator[tuple[str, str]]:
    """The beginning of a line, made harmless, with the mark of each part; with one part if there are no colours."""
    column, left = 0, room + 1
    pieces = (*([MarkedPiece("…")] if line.bytes_before else []), *line.pieces)
    for mark, run in groupby(pieces, key=lambda piece: piece.mark if is_coloured else ""):
        # Cut before escaping, too: escapes are longer. Tabs depend on the columns before them.
        text = printable.code(" " * column + _text(run)[: max(left, 0)])[column:]
        column, left = column + len(text), left - len(text)
        if text:
            yield text, mark


def _cut(runs: Iterable[tuple[str, str]], room: int) -> Iterator[tuple[str, str]]:
    for text, mark in runs:
        if room > 0:
            yield text[:room], mark
        room -= len(text)
