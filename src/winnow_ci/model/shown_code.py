"""How much of the code of findings a scan finds, for the reports that are asked for."""

from __future__ import annotations

from winnow_ci.named_tuples import NamedTuple


class ShownCode(NamedTuple):
    """How much of a finding's code is shown.

    Attributes:
        lines: of each side, at most.
        marks: whether single tokens are marked, also where the text of the source is not known.
        suppressed: whether the code of suppressed findings is shown, too.
    """

    lines: int
    marks: bool = False
    suppressed: bool = False


FIRST_LINES = ShownCode(lines=6)
"""What most formats show."""
