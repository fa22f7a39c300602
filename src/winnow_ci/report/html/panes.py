"""The two panes of a finding: which rows are shown, which are folded, and how each piece of text is marked.

A mark is an element of HTML, so that it is there without a style sheet too: ``ins`` and ``del`` for what stands on one
side only, ``mark`` for another literal, ``b`` for a name that has become another.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.report import gaps, wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from winnow_ci.model.regions import AlignedLines
    from winnow_ci.model.side_by_side import AlignedRow, MarkedPiece, SideBySide, SideLine

MOST_TOKENS = 60
"""Blocks that are drawn for the tokens of a line without text."""
TAB_SIZE = 4
_ELEMENTS = {"renamed": "b", "literal": "mark", "only-here": "ins", "only-there": "del"}
_ROLES = {"keyword": "k", "number": "n", "string": "s", "comment": "c"}


class ShownPiece(NamedTuple):
    """Text, the element that marks it ("" for none), and its class."""

    text: str
    element: str = ""
    css: str = ""


class ShownLine(NamedTuple):
    """A line of a pane.

    Attributes:
        number: of the line in its file.
        pieces: its text.
        tokens: how many blocks to draw if there is no text.
        indent: by how many columns these are indented, as the text beside them is.
        before, after: how many bytes of a very long line are left out before and after its text.
    """

    number: int
    pieces: tuple[ShownPiece, ...]
    tokens: int
    before: int
    after: int
    indent: int = 0


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
    """A block of a copy.

    Attributes:
        heading: where it comes from, if the copy has several blocks.
        runs: its rows.
    """

    heading: str | None
    runs: tuple[RowRun, ...]


class Panes(NamedTuple):
    """Both sides of a finding.

    Attributes:
        blocks: those that are shown.
        has_source_text: whether the side of the source has text.
        left_out: what is not shown, in words; empty if all is.
    """

    blocks: tuple[ShownBlock, ...]
    has_source_text: bool
    left_out: str


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
            heading = _heading(block.lines, number, count, is_moved=moved) if count > 1 else None
            blocks.append(ShownBlock(heading, tuple(_runs(rows, with_text=beside.has_source_text))))
    hidden = count - len(blocks)
    return Panes(tuple(blocks), beside.has_source_text, _left_out(left_out, hidden if beside.blocks_left_out else 0))


def piece(marked: MarkedPiece, column: int) -> ShownPiece:
    """A piece of text that begins at a column, counted from 0, with spaces for its tabs."""
    text = _expanded(marked.text, column)
    element = _ELEMENTS.get(marked.mark, "")
    if marked.mark == "renamed":
        return ShownPiece(text, element, "" if marked.pair is None else f"p{marked.pair}")
    role = _ROLES.get(marked.role, "")
    return ShownPiece(text, element or ("i" if role else ""), role)


def _heading(lines: AlignedLines, number: int, count: int, *, is_moved: bool) -> str:
    where = f"lines {wording.lines(lines.here)} here, {wording.lines(lines.there)} there"
    return f"block {number} of {count}{', moved' if is_moved else ''}: {where}"


def _left_out(rows: int, blocks: int) -> str:
    told = [wording.counted(rows, "more row")] if rows else []
    told += [wording.counted(blocks, "more block")] if blocks else []
    return " and ".join(told)


def _runs(rows: Sequence[AlignedRow], *, with_text: bool) -> Iterator[RowRun]:
    """Rows as they are shown; long gaps are folded, unless there is no text to tell a gap by."""
    kept: list[ShownRow] = []
    for is_gap, group in groupby(rows, gaps.is_gap):
        some = list(group)
        shown = [_row(row) for row in some]
        if with_text and is_gap and len(some) > gaps.LONGEST_GAP:
            if kept:
                yield RowRun(tuple(kept))
            yield RowRun(tuple(shown), gaps.in_words(some))
            kept = []
        else:
            kept += shown
    if kept:
        yield RowRun(tuple(kept))


def _row(row: AlignedRow) -> ShownRow:
    lines = [line for line in row if line is not None]
    css = "a" if row.here and row.here.is_added else ""
    css += "" if any(line.is_copied for line in lines) else " o"
    here, there = _line(row.here), _line(row.there)
    if here and there and not there.pieces:
        there = there._replace(indent=_indentation(here))
    return ShownRow(here, there, css.strip())


def _line(line: SideLine | None) -> ShownLine | None:
    if line is None:
        return None
    pieces: list[ShownPiece] = []
    column = 0
    for marked in line.pieces:
        shown = piece(marked, column)
        column += len(shown.text)
        for part in _without_indentation(shown):
            _append(part, pieces)
    tokens = min(line.tokens, MOST_TOKENS)
    return ShownLine(line.number, tuple(pieces), tokens, line.bytes_before, line.bytes_after)


def _indentation(line: ShownLine) -> int:
    """How many spaces are at the front of a line."""
    text = "".join(piece.text for piece in line.pieces)
    return len(text) - len(text.lstrip(" "))


def _without_indentation(shown: ShownPiece) -> Iterator[ShownPiece]:
    """The piece, marked where it has text: a string of many lines is no block of colour."""
    text = shown.text.lstrip(" ")
    if shown.element and text != shown.text:
        yield ShownPiece(shown.text[: len(shown.text) - len(text)])
        shown = shown._replace(text=text)
    if shown.text:
        yield shown


def _append(shown: ShownPiece, pieces: list[ShownPiece]) -> None:
    """Add a piece; text without an element joins such text before it."""
    if pieces and not shown.element and not pieces[-1].element:
        pieces[-1] = ShownPiece(pieces[-1].text + shown.text)
    else:
        pieces.append(shown)


def _expanded(text: str, column: int) -> str:
    """The text with spaces for its tabs, as it looks at its column."""
    return (" " * (column % TAB_SIZE) + text).expandtabs(TAB_SIZE)[column % TAB_SIZE :] if "\t" in text else text
