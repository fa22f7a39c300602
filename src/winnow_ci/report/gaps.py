"""Rows of a copy beside its source that have a line on one side only; reports fold them if there are many in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.model.side_by_side import AlignedRow

LONGEST_GAP = 6
"""Rows; more are folded."""


def is_gap(row: AlignedRow) -> bool:
    """Whether a row within the copy has a line on one side only."""
    line = row.here or row.there
    return (row.here is None or row.there is None) and line is not None and line.is_copied


def in_words(rows: Sequence[AlignedRow]) -> str:
    """What is folded: ``2 lines only in the change and 40 lines only in the source``."""
    here = sum(row.here is not None for row in rows)
    sides = [(here, "only in the change"), (len(rows) - here, "only in the source")]
    return " and ".join(f"{wording.counted(count, 'line')} {where}" for count, where in sides if count)
