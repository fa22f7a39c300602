"""Draw a copy in a page: both sides in panes, and a ribbon of the lines that match.

A mark is an element of HTML, so that it is there without a style sheet too. The ribbon has bands between two bars;
bands that cross are moved blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from winnow_ci.model import LineRange
from winnow_ci.model.findings import Finding
from winnow_ci.model.regions import AlignedLines, AlignedRow, MarkedPiece, SideBySide, SideLine
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report.excerpts import gap_in_words, row_runs
from winnow_ci.report.wording import counted, range_of

MOST_DRAWN_TOKENS = 60
"""Drawn for a line without text."""
MOST_BANDS = 300
"""More would be narrower than a screen shows, and each costs two nodes."""
_TAB_SIZE = 4
_RIBBON_WIDTH = 1000.0
_ELEMENTS = {"renamed": "b", "literal": "mark", "only-here": "ins", "only-there": "del"}
_ROLES = {"keyword": "k", "number": "n", "string": "s", "comment": "c"}


class ShownPiece(NamedTuple):
    """Text, the element that marks it ("" for none), and its class."""

    text: str
    element: str = ""
    css: str = ""


class ShownLine(NamedTuple):
    """A line of a pane."""

    line: SideLine
    pieces: tuple[ShownPiece, ...]
    tokens: int  # how many to draw if there is no text
    indent: int = 0  # of drawn tokens, in columns, like the text beside them


class ShownRow(NamedTuple):
    """A row of the panes, with its class: ``a`` for an added line, ``o`` for one outside of the copy."""

    here: ShownLine | None
    there: ShownLine | None
    css: str


class RowRun(NamedTuple):
    """Rows in a row, and what they are called if they are folded."""

    rows: tuple[ShownRow, ...]
    summary: str | None = None


class ShownBlock(NamedTuple):
    """A block of a copy, with a heading if the copy has several blocks."""

    heading: str | None
    runs: tuple[RowRun, ...]


class Panes(NamedTuple):
    """Both sides of a finding."""

    blocks: tuple[ShownBlock, ...]
    has_source_text: bool
    left_out: str  # what is not shown, in words; empty if all is

    @property
    def marks(self) -> frozenset[str]:
        """The elements and classes of all rows, for the legend."""
        rows = [row for block in self.blocks for run in block.runs for row in run.rows]
        lines = (line for row in rows for line in row[:2] if line)
        pieces = frozenset(mark for line in lines for piece in line.pieces for mark in piece[1:])
        return pieces | frozenset(word for row in rows for word in row.css.split())


def panes(beside: SideBySide, most_rows: int) -> Panes:
    """The first ``most_rows`` rows of a copy beside its source."""
    blocks, room, left_out = [], most_rows, 0
    count = len(beside.blocks) + beside.blocks_left_out
    moved = any(after.lines.there.first < before.lines.there.last for before, after in pairwise(beside.blocks))
    for number, block in enumerate(beside.blocks, 1):
        rows = block.rows[:room]
        left_out += block.left_out + len(block.rows) - len(rows)
        room -= len(rows)
        if rows:
            where = f"lines {range_of(block.lines.here)} here, {range_of(block.lines.there)} there"
            heading = f"block {number} of {count}{', moved' if moved else ''}: {where}" if count > 1 else None
            blocks.append(ShownBlock(heading, tuple(_runs(rows, with_text=beside.has_source_text))))
    words = [counted(left_out, "more row")] if left_out else []
    if beside.blocks_left_out and count > len(blocks):
        words.append(counted(count - len(blocks), "more block"))
    return Panes(tuple(blocks), beside.has_source_text, " and ".join(words))


def _runs(rows: Sequence[AlignedRow], *, with_text: bool) -> Iterator[RowRun]:
    """Rows as they are shown; long gaps are folded, unless there is no text to tell a gap by."""
    for folds, run in row_runs(rows) if with_text else [(False, rows)]:
        yield RowRun(tuple(map(_row, run)), gap_in_words(run) if folds else None)


def _row(row: AlignedRow) -> ShownRow:
    is_added, is_copied = row.here and row.here.is_added, any(line and line.is_copied for line in row)
    here, there = (_line(line) if line else None for line in row)
    if here and there and not there.pieces:
        text = "".join(piece.text for piece in here.pieces)
        there = there._replace(indent=len(text) - len(text.lstrip(" ")))
    return ShownRow(here, there, " ".join(["a"] * bool(is_added) + ["o"] * (not is_copied)))


def _line(line: SideLine) -> ShownLine:
    pieces: list[ShownPiece] = []
    column = 0
    for marked in line.pieces:
        shown = shown_piece(marked, column)
        column += len(shown.text)
        for part in _without_indentation(shown):
            if pieces and not part.element and not pieces[-1].element:
                pieces[-1] = ShownPiece(pieces[-1].text + part.text)
            else:
                pieces.append(part)
    return ShownLine(line, tuple(pieces), min(line.tokens, MOST_DRAWN_TOKENS))


def shown_piece(marked: MarkedPiece, column: int) -> ShownPiece:
    """A piece of text that begins at a column, counted from 0, with spaces for its tabs."""
    text, indent = marked.text, column % _TAB_SIZE
    if "\t" in text:
        text = (" " * indent + text).expandtabs(_TAB_SIZE)[indent:]
    element = _ELEMENTS.get(marked.mark, "")
    if marked.mark == "renamed":
        return ShownPiece(text, element, "" if marked.pair is None else f"p{marked.pair}")
    role = _ROLES.get(marked.role, "")
    return ShownPiece(text, element or ("i" if role else ""), role)


def _without_indentation(shown: ShownPiece) -> Iterator[ShownPiece]:
    """The piece, marked where it has text: a string of many lines is no block of colour."""
    text = shown.text.lstrip(" ") if shown.element else shown.text
    parts = ShownPiece(shown.text[: len(shown.text) - len(text)]), shown._replace(text=text)
    return (part for part in parts if part.text)


WHOLE_BAND = (0.0, _RIBBON_WIDTH, 0.0, _RIBBON_WIDTH)
"""Everything matches: then there is nothing to draw."""


class Ribbon(NamedTuple):
    """The drawing: its bands in the order of the change, and the lines that the bars above and below stand for."""

    bands: tuple[tuple[float, ...], ...]  # in thousandths of the width: left and right end above, and below
    here: LineRange
    there: LineRange


def ribbon(finding: Finding) -> Ribbon:
    """The ribbon of a finding; every line of an identical file matches."""
    whole = AlignedLines(finding.lines, finding.source.lines)
    return ribbon_of_lines((whole,) if finding.identical or not finding.alignment else finding.alignment, [whole])


def ribbon_of_lines(alignment: Sequence[AlignedLines], shown: Sequence[AlignedLines] = ()) -> Ribbon:
    """The ribbon of lines that correspond, in the order of the change; ``shown`` lines are in it, too."""
    here, there = (
        LineRange(min(lines.first for lines in side), max(lines.last for lines in side))
        for side in zip(*alignment, *shown, strict=True)
    )
    bands = (_ends(lines.here, here) + _ends(lines.there, there) for lines in alignment[:MOST_BANDS])
    return Ribbon(tuple(bands), here, there)


def _ends(lines: LineRange, whole: LineRange) -> tuple[float, float]:
    scale = _RIBBON_WIDTH / (whole.last - whole.first + 1)
    return round((lines.first - whole.first) * scale, 1), round((lines.last + 1 - whole.first) * scale, 1)
