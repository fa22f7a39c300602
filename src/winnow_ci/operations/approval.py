"""A person approves copies: the baseline gets an entry for each, with the reason.

All of them or none: an approval that is half recorded would look like a decision. What is recorded already gets the new
reason and day, since a person has decided anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.errors import UsageError
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.baseline_place import BaselinePlace, baseline_place, write
from winnow_ci.policy.acceptance import approved
from winnow_ci.policy.license_policy import denied_place

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence
    from pathlib import Path

    from winnow_ci.model.findings import Finding, ScanReport
    from winnow_ci.operations.trust import Rules


class Approval(NamedTuple):
    """What a person says of copies.

    Attributes:
        reason: why they may stay, and who may be asked.
        expires: the last day on which they may stay; None for ever.
        including_denied: whether that holds for what the policy denies, too.
    """

    reason: str
    expires: dt.date | None = None
    including_denied: bool = False


def approve(
    report: ScanReport, by: Rules, configuration: Path, findings: Sequence[Finding], approval: Approval
) -> BaselinePlace:
    """Record findings in the baseline of the work tree; tells where.

    Args:
        report: of the scan that found them.
        by: what the scan was judged by.
        configuration: file of the configuration.
        findings: what is approved.
        approval: what a person says of them.

    Raises:
        UsageError: one of them needs no approval or more than this one, or there is no place for the baseline.
        ConfigError: the configuration has a form that nothing can be added to.
    """
    for finding in findings:
        _refuse(finding, by, approval)
    place = baseline_place(by.settings.baseline, configuration)
    before = by.suppressions.baseline
    write(place, before, approved(before, findings, report.baseline, approval.reason, approval.expires))
    return place


def _refuse(finding: Finding, by: Rules, approval: Approval) -> None:
    if finding.suppressed not in {None, "inline", "baseline"}:
        problem = f"{finding.id} needs no approval: {finding.reason or 'the policy allows it'}"
        raise UsageError(problem, "leave it out; nothing was written")
    denied = denied_place(finding, by.settings.policy)
    if denied is not None and not approval.including_denied:
        source = denied.file.source
        problem = f"{finding.id} is from {source.name} ({source.license}), which policy.deny names"
        raise UsageError(problem, "if it may stay all the same, add --including-denied; nothing was written")
