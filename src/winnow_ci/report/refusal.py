"""What a coding assistant reads whose code is refused: which lines come from where, and what to do instead.

It shows no code of the source, which the assistant would then have before its eyes, and does not say how to allow a
copy: that is for people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import wording
from winnow_ci.report.shown import unsuppressed

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport

_MOST = 10
_ADVICE = """\
This is known code of others, and the rules of this project do not let it in. Do not write it, neither with other names
or another layout nor in another file. Write code of your own for the task from its requirements, call a library that
may be used, or ask the user: only people can allow a copy."""


def render(report: ScanReport) -> str:
    """Why something is not to be written, and what to do instead."""
    errors = [finding for finding in unsuppressed(report) if finding.level == "error"]
    lines = [
        f"{wording.located(one.path, one.lines)}: {wording.copied(one)}, {wording.likeness(one)}" for one in errors
    ]
    more = [f"and {len(lines) - _MOST:,} more"] if lines[_MOST:] else []
    return "\n".join((*lines[:_MOST], *more, _ADVICE, ""))
