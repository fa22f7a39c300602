"""A copy beside its source, line by line: what the text report, ``explain`` and the HTML report show of a finding.

Blocks follow the order of the change, and where the lines of the source fall back a new block begins. In a row stand
lines that correspond; a side that has none is None. Lines, paths and arrays are as in ``winnow_ci.model``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from winnow_ci.model.exact_runs import ExactRuns
    from winnow_ci.model.regions import AlignedLines

Mark: TypeAlias = Literal["same", "renamed", "literal", "only-here", "only-there", "not-compared"]
"""What became of a token: it has the same text, another name, another number or string, or no counterpart on the other
side; comments, white space and lines around a copy are not compared."""

Role: TypeAlias = Literal["", "keyword", "name", "number", "string", "comment"]
"""What a piece of text is in its language, for its colour."""


class MarkedPiece(NamedTuple):
    """Text of one line with one mark; neighbours of the same mark and role are one piece.

    Attributes:
        text: as normalisation leaves it (``languages.normalise``), without its line break; otherwise not made harmless.
        mark: what became of it.
        role: what it is in its language.
        pair: for ``renamed`` the number of its names among ``SideBySide.renames``, otherwise None.
    """

    text: str
    mark: Mark = "not-compared"
    role: Role = ""
    pair: int | None = None


class SideLine(NamedTuple):
    """A line of the change or of the source.

    Attributes:
        number: of the line in its file.
        pieces: its text; empty if the text is not known.
        tokens: how many tokens begin on it, which an index knows without the text.
        is_copied: whether it lies between the first and the last line of the copy; others are there for context.
        is_added: whether it is a line of the finding that the change adds; False on the side of the source.
        bytes_before, bytes_after: of a very long line, what is left out before and after its pieces.
    """

    number: int
    pieces: tuple[MarkedPiece, ...] = ()
    tokens: int = 0
    is_copied: bool = True
    is_added: bool = False
    bytes_before: int = 0
    bytes_after: int = 0


class AlignedRow(NamedTuple):
    """Lines that correspond."""

    here: SideLine | None
    there: SideLine | None


class AlignedBlock(NamedTuple):
    """A part of a copy that has the order of its source.

    Attributes:
        lines: all of its lines, on both sides, without context.
        rows: its rows with the context around them; the first ones, if there are more than were asked for.
        left_out: number of rows that were left out.
    """

    lines: AlignedLines
    rows: tuple[AlignedRow, ...]
    left_out: int = 0


class SideBySide(NamedTuple):
    """A copy beside its source.

    Attributes:
        blocks: in the order of the change; the first ones, if there are more than were asked for.
        renames: names of the source, their names in the change, and how often; the most frequent first.
        has_source_text: whether the text of the source is known; if not, its lines have numbers and tokens only.
        blocks_left_out: number of blocks that were left out.
        exact: the longest runs that both sides of the copy share; None where the text of one is not known.
    """

    blocks: tuple[AlignedBlock, ...]
    renames: tuple[tuple[str, str, int], ...] = ()
    has_source_text: bool = True
    blocks_left_out: int = 0
    exact: ExactRuns | None = None
