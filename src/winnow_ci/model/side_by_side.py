"""A copy beside its source, line by line, for the text report, ``explain`` and the HTML report.

Blocks follow the order of the change, and a new one begins where the lines of the source fall back. Corresponding lines
share a row; a side without one has None. Lines, paths and arrays are as in ``winnow_ci.model``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.model import LineRange
    from winnow_ci.model.regions import AlignedLines

Mark: TypeAlias = Literal["same", "renamed", "literal", "only-here", "only-there", "not-compared"]
"""What became of a token: it has the same text, another name, another number or string, or no counterpart on the other
side; comments, white space and lines around a copy are not compared."""

Role: TypeAlias = Literal["", "keyword", "name", "number", "string", "comment"]
"""What a piece of text is in its language, for its colour."""


class MarkedPiece(NamedTuple):
    """Text of one line with one mark; neighbours of the same mark and role are one piece."""

    text: str  # as ``languages.normalise`` leaves it, without its line break; not made harmless otherwise
    mark: Mark = "not-compared"
    role: Role = ""
    pair: int | None = None  # of a renamed piece: the number of its names in ``SideBySide.renames``


class SideLine(NamedTuple):
    """A line of the change or of the source."""

    number: int  # in its file
    pieces: tuple[MarkedPiece, ...] = ()  # empty if the text is not known
    tokens: int = 0  # how many begin on it, which an index knows without the text
    is_copied: bool = True  # between the first and the last line of the copy; other lines are context
    is_added: bool = False  # a line of the finding that the change adds; False on the side of the source
    bytes_before: int = 0  # of a very long line: left out before its pieces
    bytes_after: int = 0


class AlignedRow(NamedTuple):
    """Lines that correspond."""

    here: SideLine | None
    there: SideLine | None


class AlignedBlock(NamedTuple):
    """A part of a copy that has the order of its source."""

    lines: AlignedLines  # without context
    rows: tuple[AlignedRow, ...]  # with context; only the first ones, if there are more than were asked for
    left_out: int = 0  # rows


class ExactRun(NamedTuple):
    """A run of tokens that two files share, and its lines in the one and in the other."""

    tokens: int
    lines: LineRange
    lines_there: LineRange


class ExactRuns(NamedTuple):
    """The longest runs that two files share; None if they share no token."""

    equal: ExactRun | None  # of tokens with the same text
    renamed: ExactRun | None  # of the same structure, in which names, numbers and strings correspond one to one


class SideBySide(NamedTuple):
    """A copy beside its source."""

    blocks: tuple[AlignedBlock, ...]  # in the order of the change; only the first ones, if there are too many
    renames: tuple[tuple[str, str, int], ...] = ()  # name in the source, in the change, how often; most frequent first
    has_source_text: bool = True  # if False, the source's lines have only numbers and tokens
    blocks_left_out: int = 0
    exact: ExactRuns | None = None  # None if the text of one side is not known
