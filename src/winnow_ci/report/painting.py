"""Colours of a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from winnow_ci.report.shown import ReportStyle

_SGR = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "path": "1",
    "faint": "2",
    "renamed": "36",
    "literal": "35",
    "only-here": "32",
    "only-there": "31",
}


def paint(text: str, role: str, style: ReportStyle) -> str:
    """The text in the colour of its role, or of its mark, if that has one and the style has colours."""
    return f"\x1b[{_SGR[role]}m{text}\x1b[0m" if style.colour and role in _SGR else text
