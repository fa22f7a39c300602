"""The copies that people have accepted, with the reasons: what a team looks through from time to time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report import printable, wording
from winnow_ci.report.painting import paint
from winnow_ci.report.shown import accepted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from winnow_ci.model.findings import BaselineEntry, Finding, ScanReport
    from winnow_ci.report.shown import ReportStyle

_HOW = {"baseline": "baseline", "inline": "comment"}


def render(report: ScanReport, style: ReportStyle) -> str:
    """Two lines for each copy, by path and line, then for each approval whose copy is still to come; a count."""
    findings = accepted(report)
    blocks = ["\n".join(_copy(finding, style)) for finding in findings]
    blocks += ["\n".join(_awaited(entry, style)) for entry in report.baseline.waiting]
    return "\n\n".join([*blocks, _counted(len(findings), len(report.baseline.waiting))]) + "\n"


def _copy(finding: Finding, style: ReportStyle) -> Iterator[str]:
    where = paint(wording.located(finding.path, finding.lines), "path", style)
    yield f"{where}: {wording.copied(finding)}"
    until = wording.until(finding.expires)
    yield f"  {_HOW[finding.suppressed or 'baseline']}{until}: {printable.name(finding.reason or '')}"


def _awaited(entry: BaselineEntry, style: ReportStyle) -> Iterator[str]:
    known = f"{entry.source} ({entry.license}), {entry.source_path}"
    yield f"{paint(printable.name(entry.path), 'path', style)}: still to come, from {printable.name(known)}"
    yield f"  baseline{wording.until(entry.expires)}: {printable.name(entry.reason)}"


def _counted(here: int, awaited: int) -> str:
    text = wording.counted(here, "accepted copy", "accepted copies") if here else "no accepted copies"
    return f"{text}, {awaited:,} still to come" if awaited else text
