"""How a report is asked for, and the order of what is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from winnow_ci.model import Finding, ScanReport


@dataclass(frozen=True, slots=True)
class Style:
    """What the reader's screen can show; formats for machines pass over it."""

    colour: bool = False
    width: int = 100


Format: TypeAlias = Callable[[ScanReport, Style], str]


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by path and line, whatever order they were found in."""
    return sorted(findings, key=lambda finding: (finding.path, finding.lines, finding.id))


def hundredths(share: float) -> int:
    """A share in percent, rounded; 100 only if it is the whole."""
    return 100 if share >= 1 else min(round(share * 100), 99)
