"""What a scan found becomes the baseline, except what the policy denies.

A team records hundreds of copies at once, and nobody reads them all. So a copy under a licence that ``deny`` names, at
its first source or at another, goes into the baseline only if somebody asks for that; else it stays a finding.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.baseline_place import BaselinePlace, baseline_place, write
from winnow_ci.policy.acceptance import ScanCoverage, accept, kept, updated
from winnow_ci.policy.license_policy import denied_place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from winnow_ci.model import Place
    from winnow_ci.model.findings import BaselineEntry, Finding, ScanReport
    from winnow_ci.operations.trust import Rules


class RecordedCopies(NamedTuple):
    """How many entries of a baseline copies from one source made."""

    source: str
    license: str
    entries: int


class BaselineUpdate(NamedTuple):
    """A baseline that was written.

    Attributes:
        place: where it is.
        added: its new entries, the most first.
        kept, removed: how many of the entries before it has and has not.
        denied: findings that were not recorded, each with the place whose licence is denied.
    """

    place: BaselinePlace
    added: tuple[RecordedCopies, ...]
    kept: int
    removed: int
    denied: tuple[tuple[Finding, Place], ...]


def recorded(
    report: ScanReport, by: Rules, configuration: Path, *, including_denied: bool
) -> tuple[ScanReport, BaselineUpdate]:
    """Record the findings in the baseline; the report is as the new baseline makes it.

    Args:
        report: of the scan.
        by: what the scan was judged by.
        configuration: file of the configuration.
        including_denied: whether to record what the policy denies, too.

    Raises:
        UsageError: there is no place for the baseline.
        ConfigError: the configuration has a form that nothing can be added to.
    """
    place = baseline_place(by.settings.baseline, configuration)
    before, use = by.suppressions.baseline, report.baseline
    denied = () if including_denied else _denied(report, by)
    withheld = {finding.id for finding, _ in denied}
    after = updated(before, (finding for finding in report.findings if finding.id not in withheld), use)
    write(place, before, after)
    remaining = kept(before, use)
    findings, now = accept(report.findings, after, ScanCoverage(), by.suppressions.today)
    added = _by_source(set(after).difference(remaining))
    update = BaselineUpdate(place, added, len(remaining), len(use.stale), denied)
    return report._replace(findings=tuple(findings), baseline=now._replace(waiting=use.waiting)), update


def _denied(report: ScanReport, by: Rules) -> tuple[tuple[Finding, Place], ...]:
    """The findings that would be recorded although the policy denies them, each with the place that it denies."""
    open_ones = (finding for finding in report.findings if finding.suppressed is None)
    found = ((finding, denied_place(finding, by.settings.policy)) for finding in open_ones)
    return tuple((finding, place) for finding, place in found if place is not None)


def _by_source(entries: Iterable[BaselineEntry]) -> tuple[RecordedCopies, ...]:
    counts = Counter((entry.source, entry.license) for entry in entries)
    return tuple(RecordedCopies(*key, count) for key, count in sorted(counts.items(), key=lambda one: (-one[1], one)))
