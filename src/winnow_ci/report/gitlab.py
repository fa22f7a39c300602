"""GitLab's Code Quality report: a JSON array of issues, which a merge request shows.

GitLab merges issues with equal fingerprints, wants relative paths without ``./``, shows the description but not
``check_name``, and ignores other keys. Severities follow those of common linters.
"""

from __future__ import annotations

from typing import Any

import xxhash

from winnow_ci.model import LineRange, Skipped
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.report import printable, wording
from winnow_ci.report.shown import NOT_SCANNED, ReportStyle, first_added, not_scanned, rule_id, unsuppressed

_SEVERITIES = {"error": "major", "warning": "minor", "note": "info"}


def render(report: ScanReport, _style: ReportStyle) -> str:
    """An issue for each finding that nothing suppresses, and for each file that could not be scanned."""
    issues = [_of_skipped(skip) for skip in not_scanned(report)]
    issues += [_of_finding(finding) for finding in unsuppressed(report)]
    return printable.json_text(issues)


def _of_finding(finding: Finding) -> dict[str, Any]:
    tell = (wording.copied_lines, wording.likeness, wording.reordered, wording.file_licence)
    text, place = "; ".join(wording.facts(finding, *tell)), (finding.path, first_added(finding))
    return _issue(rule_id(finding), text, finding.id, _SEVERITIES[finding.level], *place)


def _of_skipped(skip: Skipped) -> dict[str, Any]:
    fingerprint = xxhash.xxh3_128_hexdigest(f"{NOT_SCANNED}\0{skip.path}".encode("utf-8", "surrogatepass"))
    return _issue(NOT_SCANNED, printable.name(skip.reason), fingerprint, "critical", skip.path, LineRange(1, 1))


def _issue(check: str, text: str, fingerprint: str, severity: str, path: str, lines: LineRange) -> dict[str, Any]:
    return {
        "description": f"{check}: {text}",
        "check_name": check,
        "fingerprint": fingerprint,
        "severity": severity,
        "location": {"path": printable.unicode(path), "lines": {"begin": lines.first, "end": lines.last}},
    }
