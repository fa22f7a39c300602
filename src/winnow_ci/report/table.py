"""A table for people: columns of names and numbers, every cell made harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report.printable import name

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of one length as lines, without a line break at the end."""
    safe = [[name(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in safe)
    return "\n".join(line.rstrip() for line in lines)
