"""Which lines of the change match which of the source, as bands between two bars; bands that cross are moved blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.model import LineRange
from winnow_ci.model.regions import AlignedLines
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model.findings import Finding

WIDTH = 1000.0
"""Of the drawing, in its own units: the page stretches it."""
MOST_BANDS = 300
"""More would be narrower than what a screen shows, and each costs two nodes."""


class RibbonBand(NamedTuple):
    """Where matching lines lie, in units of ``WIDTH``: left and right end above, and below."""

    left: float
    right: float
    left_there: float
    right_there: float


class Ribbon(NamedTuple):
    """The drawing.

    Attributes:
        bands: in the order of the change.
        here: the lines that the bar above stands for.
        there: the lines that the bar below stands for.
    """

    bands: tuple[RibbonBand, ...]
    here: LineRange
    there: LineRange


def ribbon(finding: Finding) -> Ribbon:
    """The ribbon of a finding; every line of an identical file matches."""
    whole = AlignedLines(finding.lines, finding.source.lines)
    return of_lines((whole,) if finding.identical or not finding.alignment else finding.alignment, [whole])


def of_lines(alignment: Sequence[AlignedLines], shown: Sequence[AlignedLines] = ()) -> Ribbon:
    """The ribbon of lines that correspond, in the order of the change; ``shown`` lines are in it, too."""
    here = _hull([lines.here for lines in (*alignment, *shown)])
    there = _hull([lines.there for lines in (*alignment, *shown)])
    return Ribbon(tuple(_band(lines, here, there) for lines in alignment[:MOST_BANDS]), here, there)


def _hull(ranges: Sequence[LineRange]) -> LineRange:
    return LineRange(min(lines.first for lines in ranges), max(lines.last for lines in ranges))


def _band(lines: AlignedLines, here: LineRange, there: LineRange) -> RibbonBand:
    return RibbonBand(*_ends(lines.here, here), *_ends(lines.there, there))


def _ends(lines: LineRange, whole: LineRange) -> tuple[float, float]:
    scale = WIDTH / (whole.last - whole.first + 1)
    return round((lines.first - whole.first) * scale, 1), round((lines.last + 1 - whole.first) * scale, 1)
