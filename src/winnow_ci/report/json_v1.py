r"""JSON, schema version 1, for programs.

Its keys are its own, so that the model can change without it. ``docs/json-v1.schema.json`` lists them with their types;
within a schema version keys may be added, but not renamed or dropped. A byte of a path that is not UTF-8 is written as
four characters, such as ``\xff``.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from winnow_ci import __version__
from winnow_ci.model import Place
from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.report.printable import encodable_json
from winnow_ci.report.shown import ReportStyle, by_place, counts_by_level, hundredths
from winnow_ci.report.wording import likelihood

_RECORDED = ("expires", "recorded_by", "recorded_on")
_ENTRY = ("path", "source", "source_path", "license", "kind", "anchor", "reason", *_RECORDED)


def render(report: ScanReport, _style: ReportStyle) -> str:
    """The report as one JSON object and a line break."""
    baseline = {key: getattr(report.baseline, key) for key in ("stale", "expired", "waiting")}
    content = {
        "schema_version": 1,
        "tool": {"name": "winnow-ci", "version": __version__},
        "scan": _scan(report),
        "findings": [_finding(finding) for finding in by_place(report.findings)],
        "summary": counts_by_level(report),
        "baseline": {key: [_values(entry, *_ENTRY) for entry in entries] for key, entries in baseline.items()},
    }
    return encodable_json(content)


def _scan(report: ScanReport) -> dict[str, Any]:
    return {
        **_values(report.scope, "mode", "base", "head"),
        "files_scanned": report.files_scanned,
        "files_skipped": [skip._asdict() for skip in report.skipped],
        **_values(report, "tokens", "complete", "existing", "notices"),
        "advice": report.advice._asdict(),
        "files_fallback": [file._asdict() for file in report.fallback],
        "text_not_read": [{"path": path, "lines": lines} for path, lines in report.unread],
        "contents_not_compared": [{"path": path, "contents": contents} for path, contents in report.uncompared],
        "description": report.scope.description,
        "indexes": [index._asdict() for index in report.indexes],
        "policy_digest": report.policy_digest or None,
        "evidence_model": report.model_digest or None,
        "assisted": report.assisted and report.assisted._asdict(),
        "checkout": report.checkout and report.checkout._asdict(),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        **_values(finding, "id", "path"),
        "start_line": finding.lines.first,
        "end_line": finding.lines.last,
        **_values(finding, "kind", "level", "tokens", "fingerprints"),
        "similarity": hundredths(finding.similarity) / 100,
        "source": _source(finding.source),
        "also_in": [_source(place) for place in finding.also_in],
        "suppressed": finding.suppressed,
        "added_lines": finding.added,
        "anchor": finding.anchor,
        "reason": finding.reason,
        **_values(finding, *_RECORDED),
        "objection": finding.objection and _source(finding.objection),
        "alignment": [[*lines.here, *lines.there] for lines in finding.alignment],
        **_values(finding, "identical", "strength"),
        "evidence": {
            **finding.evidence._asdict(),
            "likelihood": likelihood(finding),
            "log_odds": finding.log_odds,
            "reasons": [reason._asdict() for reason in finding.reasons],
            "filter": finding.filter,
        },
        **_values(finding, "in_text", "assisted", "denied"),
        "agreement": finding.agreement._asdict(),
        "comment_marks": finding.comment,
        "file_sha256": finding.file_sha256 or None,
        **_values(finding, "file_sha1", "byte_range"),
        "reading": finding.reading and finding.reading._asdict(),
        "known_content": finding.known and {"key": finding.known.key, **finding.known.reading._asdict()},
        **_values(finding, "stretches", "renames", "words"),
    }


def _values(of: object, *keys: str) -> dict[str, Any]:
    """The values that JSON calls as the model does."""
    values = ((key, getattr(of, key)) for key in keys)
    return {key: value.isoformat() if isinstance(value, dt.date) else value for key, value in values}


def _source(place: Place) -> dict[str, Any]:
    source = place.file.source
    return {
        **_values(source, "name", "version", "license"),
        "path": place.file.path,
        "start_line": place.lines.first,
        "end_line": place.lines.last,
        "url": source.url,
        "package_license": place.file.package_license,
        **_values(source, "purl", "license_from"),
    }
