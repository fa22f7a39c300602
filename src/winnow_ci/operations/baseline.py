"""Write the baseline: approvals of single copies, or everything that a scan found.

The baseline is written to the file that the configuration names, or to the usual place, which the configuration then
names. It is written first: a configuration that names a missing baseline makes a notice.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from winnow_ci.config import NEW_BASELINE
from winnow_ci.config.baseline import baseline_text, load_baseline
from winnow_ci.config.settings import with_baseline_named
from winnow_ci.errors import UsageError
from winnow_ci.model import Place
from winnow_ci.model.findings import RECORDED, BaselineEntry, Decision, Finding, ScanReport
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.trust import Rules
from winnow_ci.operations.written_files import replace_file
from winnow_ci.policy.acceptance import ScanCoverage, accept, approved, kept, updated
from winnow_ci.policy.license_policy import denied_place


class BaselinePlace(NamedTuple):
    """Where a baseline is written; the configuration gets a new text if it does not name that file yet."""

    path: Path
    configuration: Path
    edited: bytes | None = None


class BaselineUpdate(NamedTuple):
    """A baseline that was written."""

    place: BaselinePlace
    added: tuple[tuple[str, str, int], ...]  # source, licence and number of its new entries, the largest number first
    kept: int  # old entries that it has
    removed: int  # old entries that it has not
    denied: tuple[tuple[Finding, Place], ...]  # findings that were not recorded, and the place whose licence is denied


def baseline_place(named: Path | None, configuration: Path) -> BaselinePlace:
    """Find the place, below the folder of the configuration; neither file need exist."""
    path = named or configuration.parent / NEW_BASELINE
    if not path.parent.resolve().is_relative_to(configuration.parent.resolve()):
        raise UsageError(f"{path}: lies behind a symbolic link", "replace the link with a folder")
    if named:
        return BaselinePlace(path, configuration)
    if os.path.lexists(path):
        remedy = f"name it there (baseline: {NEW_BASELINE}) or remove it"
        raise UsageError(f"{path} is there, but {configuration.name} does not name it", remedy)
    if configuration.is_symlink():
        remedy = f"add this to the file that it points to: baseline: {NEW_BASELINE}"
        raise UsageError(f"{configuration}: a symbolic link, which winnow-ci does not write through", remedy)
    written = configuration.read_bytes() if configuration.exists() else b""
    return BaselinePlace(path, configuration, with_baseline_named(written, configuration))


def write_baseline(place: BaselinePlace, before: tuple[BaselineEntry, ...], after: tuple[BaselineEntry, ...]) -> None:
    """Write the baseline and the edited configuration; if that fails, there is no new baseline either."""
    if (load_baseline(place.path) if os.path.lexists(place.path) else ()) != before:
        raise UsageError(f"{place.path} has changed meanwhile", "run this again")
    replace_file(place.path, baseline_text(after).encode())
    if place.edited is None:
        return
    try:
        replace_file(place.configuration, place.edited)
    except BaseException:
        place.path.unlink()
        raise


def approve_findings(
    report: ScanReport, by: Rules, path: Path, found: Sequence[Finding], decision: Decision, *, including_denied: bool
) -> BaselinePlace:
    """Record findings in the baseline, all or none: half an approval would look like a decision.

    An entry that is there already gets the new decision. ``path`` is that of the configuration.
    """
    for finding in found:
        _refuse(finding, by, including_denied=including_denied)
    place = baseline_place(by.settings.baseline, path)
    before = by.suppressions.baseline
    write_baseline(place, before, approved(before, found, report.baseline, decision))
    return place


def _refuse(finding: Finding, by: Rules, *, including_denied: bool) -> None:
    if finding.suppressed not in {None, "inline", "baseline"}:
        problem = f"{finding.id} needs no approval: {finding.reason or 'the policy allows it'}"
        raise UsageError(problem, "leave out its id; nothing was written")
    denied = denied_place(finding, by.settings.policy)
    if denied is not None and not including_denied:
        source = denied.file.source
        problem = f"{finding.id} is from {source.name} ({source.license}), which policy.deny names"
        raise UsageError(problem, "if it may stay, add --including-denied; nothing was written")


def record_all(
    report: ScanReport, by: Rules, configuration: Path, recorded_by: str | None, *, including_denied: bool
) -> tuple[ScanReport, BaselineUpdate]:
    """Record the findings of a scan in the baseline, and judge the report by it.

    Nobody reads hundreds of copies that are recorded at once. So a copy with a source under a licence that
    ``policy.deny`` names is only recorded if ``including_denied`` is set; otherwise it stays a finding.
    """
    place = baseline_place(by.settings.baseline, configuration)
    before, use = by.suppressions.baseline, report.baseline
    denied = () if including_denied else _denied(report, by)
    withheld = {finding.id for finding, _ in denied}
    recorded = (finding for finding in report.findings if finding.id not in withheld)
    decision = Decision(RECORDED, recorded_by=recorded_by, recorded_on=by.suppressions.today)
    after = updated(before, recorded, use, decision)
    write_baseline(place, before, after)
    remaining = kept(before, use)
    findings, now = accept(report.findings, after, ScanCoverage(), by.suppressions.today)
    counts = Counter((entry.source, entry.license) for entry in set(after).difference(remaining))
    added = tuple((*key, count) for key, count in sorted(counts.items(), key=lambda one: (-one[1], one)))
    update = BaselineUpdate(place, added, len(remaining), len(use.stale), denied)
    return report._replace(findings=tuple(findings), baseline=now._replace(waiting=use.waiting)), update


def _denied(report: ScanReport, by: Rules) -> tuple[tuple[Finding, Place], ...]:
    open_ones = (finding for finding in report.findings if finding.suppressed is None)
    found = ((finding, denied_place(finding, by.settings.policy)) for finding in open_ones)
    return tuple((finding, place) for finding, place in found if place is not None)
