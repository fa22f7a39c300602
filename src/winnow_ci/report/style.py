"""How a report is asked for, and the order of what is in it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from winnow_ci.model import Finding, Level, LineRange, ScanReport, Skipped


def _unguessable() -> str:
    return os.urandom(16).hex()


@dataclass(frozen=True, slots=True)
class ReportStyle:
    """What the reader's screen can show; formats for machines pass over it.

    ``guard`` is a word that the author of a change cannot foresee, to fence off text in the log of a CI runner.
    """

    colour: bool = False
    width: int = 100
    guard: str = field(default_factory=_unguessable)


ReportFormat: TypeAlias = Callable[[ScanReport, ReportStyle], str]

LEVELS: tuple[Level, ...] = ("error", "warning", "note")


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by path and line, whatever order they were found in."""
    return sorted(findings, key=lambda finding: (finding.path, finding.lines, finding.id))


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by level, then by how much they copy: for formats that may have to leave some out."""
    return sorted(in_order(findings), key=lambda f: (LEVELS.index(f.level), -f.tokens * f.similarity))


def unsuppressed(report: ScanReport) -> list[Finding]:
    """The findings that a reader should see, in order."""
    return [finding for finding in in_order(report.findings) if finding.suppressed is None]


def not_scanned(report: ScanReport) -> list[Skipped]:
    """The files that make a scan incomplete."""
    return [skip for skip in report.skipped if skip.state == "not-scanned"]


def first_added(finding: Finding) -> LineRange:
    """The lines to point at: the first stretch of the copy that the change itself adds.

    Places that show a finding beside a change show only what is in the change, and drop what is partly outside.
    """
    return finding.added[0] if finding.added else finding.lines


def hundredths(share: float) -> int:
    """A share in percent, rounded; 100 only if it is the whole."""
    return 100 if share >= 1 else min(round(share * 100), 99)
