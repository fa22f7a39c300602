"""Several reports → one: what a push of several branches brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.model.findings import BaselineUse, ScanReport, Scope
from winnow_ci.start_up import sha256

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet


def combined(reports: Sequence[ScanReport]) -> ScanReport:
    """Merge the reports of several scans; what several of them found is in it once."""
    if len(reports) == 1:
        return reports[0]
    described = "; ".join(report.scope.description for report in reports)
    findings = dict.fromkeys(finding for report in reports for finding in report.findings)
    skipped = dict.fromkeys(skip for report in reports for skip in report.skipped)
    fallback = dict.fromkeys(file for report in reports for file in report.fallback)
    return ScanReport(
        scope=Scope("range", None, None, described),
        files_scanned=sum(report.files_scanned for report in reports),
        tokens=sum(report.tokens for report in reports),
        findings=tuple(sorted(findings, key=lambda finding: (finding.path, finding.lines, finding.id))),
        skipped=tuple(sorted(skipped, key=lambda skip: skip.path)),
        notices=tuple(dict.fromkeys(notice for report in reports for notice in report.notices)),
        lacking=tuple(dict.fromkeys(notice for report in reports for notice in report.lacking)),
        existing=sum(report.existing for report in reports),
        fallback=tuple(sorted(fallback, key=lambda file: file.path)),
        # One command line names one change: the first that there is something to say about.
        advice=next((report for report in reports if report.findings), reports[0]).advice,
        unread=tuple(sorted(set().union(*(report.unread for report in reports)))),
        uncompared=tuple(sorted(set().union(*(report.uncompared for report in reports)))),
        indexes=tuple(dict.fromkeys(index for report in reports for index in report.indexes)),
        policy_digest=_common({report.policy_digest for report in reports}),
        model_digest=_common({report.model_digest for report in reports}),
        baseline=BaselineUse(
            stale=tuple(dict.fromkeys(entry for report in reports for entry in report.baseline.stale)),
            waiting=tuple(dict.fromkeys(entry for report in reports for entry in report.baseline.waiting)),
            expired=tuple(dict.fromkeys(entry for report in reports for entry in report.baseline.expired)),
        ),
    )


def _common(digests: AbstractSet[str]) -> str:
    """The digest that all scans have, or one of several: each branch may have a base with rules of its own."""
    return next(iter(digests)) if len(digests) == 1 else sha256("".join(sorted(digests)).encode()).hexdigest()
