"""GitLab's Code Quality report: a JSON array of issues, which a merge request shows.

GitLab merges issues with equal fingerprints, wants relative paths without ``./``, shows the description but not
``check_name``, and ignores other keys. Severities follow those of common linters: an error is ``major``, a warning
``minor``, a note ``info``; a file that could not be scanned is ``critical``, like a syntax error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import xxhash

from winnow_ci.report import printable, rules, wording
from winnow_ci.report.shown import first_added, not_scanned, unsuppressed

if TYPE_CHECKING:
    from winnow_ci.model import Skipped
    from winnow_ci.model.findings import Finding, ScanReport
    from winnow_ci.report.shown import ReportStyle

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render(report: ScanReport, _style: ReportStyle) -> str:
    """An issue for each finding that nothing suppresses, and for each file that could not be scanned."""
    issues = [_of_skipped(skip) for skip in not_scanned(report)]
    issues += [_of_finding(finding) for finding in unsuppressed(report)]
    return printable.json_text(issues)


def _of_finding(finding: Finding) -> dict[str, Any]:
    check = rules.rule(finding).id
    first, last = first_added(finding)
    told = (
        *(wording.copied_lines(finding), wording.likeness(finding)),
        *(wording.reordered(finding), wording.file_licence(finding)),
    )
    return {
        "description": f"{check}: {'; '.join(part for part in told if part)}",
        "check_name": check,
        "fingerprint": finding.id,
        "severity": _SEVERITIES[finding.level],
        "location": _location(finding.path, first, last),
    }


def _of_skipped(skip: Skipped) -> dict[str, Any]:
    identity = f"{rules.NOT_SCANNED}\0{skip.path}".encode("utf-8", "surrogatepass")
    return {
        "description": f"{rules.NOT_SCANNED}: {printable.name(skip.reason)}",
        "check_name": rules.NOT_SCANNED,
        "fingerprint": xxhash.xxh3_128_hexdigest(identity),
        "severity": "critical",
        "location": _location(skip.path, 1, 1),
    }


def _location(path: str, first: int, last: int) -> dict[str, Any]:
    return {"path": printable.unicode(path), "lines": {"begin": first, "end": last}}
