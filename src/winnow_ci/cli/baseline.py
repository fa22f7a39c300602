"""``scan --update-baseline``: what a scan found goes into the file of the copies that may stay."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from winnow_ci.cli import text_files
from winnow_ci.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.model import ScanReport
    from winnow_ci.scanner import Suppressions


def require_place(path: Path | None, folder: Path) -> Path:
    """Return where the baseline is to be written.

    Args:
        path: what the configuration names.
        folder: of the configuration, below which it must lie.

    Raises:
        UsageError: there is no place for it, or a link leads somewhere else.
    """
    if path is None:
        remedy = "name one in .winnow.yml, such as baseline: .winnow/baseline.json"
        raise UsageError("--update-baseline: the configuration names no baseline", remedy)
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{path}: lies behind a symbolic link", "put a folder in the place of the link")
    return path


def update(path: Path, suppressions: Suppressions, report: ScanReport) -> ScanReport:
    """Record what a scan found, say so, and return the report as the new baseline makes it.

    Args:
        path: the baseline.
        suppressions: what the scan was judged by.
        report: of the scan.
    """
    from winnow_ci.config import baseline_text
    from winnow_ci.policy import ScanCoverage, accept, updated
    from winnow_ci.report.printable import name

    before, use = suppressions.baseline, report.baseline
    after = updated(before, report.findings, use)
    text_files.replace(path, baseline_text(after).encode())
    kept = len(before) - len(use.stale)
    counts = f"{len(after) - kept:,} added, {kept:,} kept, {len(use.stale):,} removed"
    print(f"winnow-ci: {name(str(path))}: {counts}", file=sys.stderr)
    findings, now = accept(report.findings, after, ScanCoverage(), suppressions.today)
    return report._replace(findings=tuple(findings), baseline=now)
