"""How a report is asked for, what it shows of a scan, and in which order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from winnow_ci.start_up import field, record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model import Level, LineRange, Skipped
    from winnow_ci.model.changes import WebRepository
    from winnow_ci.model.findings import Finding, ScanReport

# The filter of code that a program wrote (``scanner.filters``).
GENERATED = "generated code"
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
GroupBy: TypeAlias = Literal["source", "licence", "folder"]
GROUPINGS: tuple[GroupBy, ...] = get_args(GroupBy)


@record(frozen=True, slots=True, eq=False, repr=False)
class ReportStyle:
    """What the reader can see, and has asked for.

    Attributes:
        colour: whether it shows colours.
        width: in characters.
        guard: a word that the author of a change cannot foresee. It fences off text in the log of a CI runner.
        group_by: what findings are grouped by, in ``text`` and ``markdown``; None for as is best.
        repository: where a browser shows the lines of the change; None if nobody knows.
        documentation: where a browser shows the documentation; None if nobody knows.
    """

    colour: bool = False
    width: int = 100
    guard: str = field(default_factory=lambda: os.urandom(16).hex())
    group_by: GroupBy | None = None
    repository: WebRepository | None = None
    documentation: str | None = None


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Findings sorted by path and line."""
    return sorted(findings, key=lambda finding: (finding.path, finding.lines, finding.id))


def ranked(findings: Iterable[Finding]) -> list[Finding]:
    """Findings sorted by level, those under a denied licence first, then by how much they copy."""

    def rank(finding: Finding) -> tuple[int, bool, int]:
        # A stored report has no more digits.
        copied = finding.tokens * hundredths(finding.similarity)
        return LEVELS.index(finding.level), not finding.denied, -copied

    return sorted(in_order(findings), key=rank)


def unsuppressed(report: ScanReport) -> list[Finding]:
    """The findings that nobody has accepted, sorted by path and line."""
    return [finding for finding in in_order(report.findings) if finding.suppressed is None]


def listed(report: ScanReport) -> list[Finding]:
    """The unsuppressed findings that a person should read: reports only count the notes in generated code."""
    return [finding for finding in unsuppressed(report) if not _is_generated_note(finding)]


def generated(report: ScanReport) -> list[Finding]:
    """The unsuppressed notes in generated code, sorted by path and line."""
    return [finding for finding in unsuppressed(report) if _is_generated_note(finding)]


def _is_generated_note(finding: Finding) -> bool:
    return finding.level == "note" and finding.filter == GENERATED


def accepted(report: ScanReport) -> list[Finding]:
    """The findings that people have accepted, in a baseline or a comment, sorted by path and line."""
    return [finding for finding in in_order(report.findings) if finding.suppressed in {"baseline", "inline"}]


def not_scanned(report: ScanReport) -> list[Skipped]:
    """The files that make a scan incomplete."""
    return [skip for skip in report.skipped if skip.state == "not-scanned"]


def first_added(finding: Finding) -> LineRange:
    """The lines to point at: the first of the copied lines that the change itself adds.

    Tools that show a finding beside a change drop those that point outside the change, even partly.
    """
    return finding.added[0] if finding.added else finding.lines


def hundredths(share: float) -> int:
    """A share as a rounded percentage; 100 only if the share is 1."""
    return 100 if share >= 1 else min(round(share * 100), 99)


def copied_lines(findings: Iterable[Finding]) -> int:
    """How many lines of the repository are in some findings; a line of two findings counts once."""
    count, path, covered = 0, None, 0
    for finding in sorted(findings, key=lambda finding: (finding.path, finding.lines)):
        if finding.path != path:
            path, covered = finding.path, 0
        first, last = finding.lines
        count += max(last - max(first - 1, covered), 0)
        covered = max(covered, last)
    return count
