r"""JSON, schema version 1, for programs.

Its keys are its own, so that the model can change without it. ``docs/json-v1.schema.json`` says which there are and of
which types; within a schema version keys may be added, but not renamed or dropped. A byte of a path that is not UTF-8
is written as four characters, such as ``\xff``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnow_ci import __version__
from winnow_ci.report import printable
from winnow_ci.report.likelihood import likelihood
from winnow_ci.report.shown import hundredths, in_order, unsuppressed

if TYPE_CHECKING:
    from winnow_ci.model import Fallback, Place, Skipped
    from winnow_ci.model.findings import BaselineEntry, Finding, ScanReport
    from winnow_ci.report.shown import ReportStyle


def render(report: ScanReport, _style: ReportStyle) -> str:
    """The report as one JSON object and a line break."""
    content = {
        "schema_version": 1,
        "tool": {"name": "winnow-ci", "version": __version__},
        "scan": _scan(report),
        "findings": [_finding(finding) for finding in in_order(report.findings)],
        "summary": _summary(report),
        "baseline": {
            "stale": [_entry(entry) for entry in report.baseline.stale],
            "expired": [_entry(entry) for entry in report.baseline.expired],
            "waiting": [_entry(entry) for entry in report.baseline.waiting],
        },
    }
    return printable.json_text(content)


def _scan(report: ScanReport) -> dict[str, Any]:
    return {
        "mode": report.scope.mode,
        "base": report.scope.base,
        "head": report.scope.head,
        "files_scanned": report.files_scanned,
        "files_skipped": [_skipped(skip) for skip in report.skipped],
        "tokens": report.tokens,
        "complete": report.complete,
        "existing": report.existing,
        "notices": [printable.unicode(notice) for notice in report.notices],
        "advice": {
            "options": [printable.unicode(option) for option in report.advice.options],
            "comments": report.advice.comments,
            "baseline": report.advice.baseline,
            "commands": report.advice.commands,
        },
        "files_fallback": [_fallback(file) for file in report.fallback],
        "text_not_read": [{"path": printable.unicode(path), "lines": lines} for path, lines in report.unread],
        "contents_not_compared": [
            {"path": printable.unicode(path), "contents": contents} for path, contents in report.uncompared
        ],
        "description": printable.unicode(report.scope.description),
        "indexes": [{"path": printable.unicode(index.path), "digest": index.digest} for index in report.indexes],
        "policy_digest": report.policy_digest or None,
        "evidence_model": report.model_digest or None,
    }


def _skipped(skip: Skipped) -> dict[str, Any]:
    return {
        "path": printable.unicode(skip.path),
        "reason": printable.unicode(skip.reason),
        "state": skip.state,
    }


def _fallback(file: Fallback) -> dict[str, Any]:
    return {"path": printable.unicode(file.path), "reason": printable.unicode(file.reason)}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "path": printable.unicode(finding.path),
        "start_line": finding.lines.first,
        "end_line": finding.lines.last,
        "kind": finding.kind,
        "level": finding.level,
        "tokens": finding.tokens,
        "fingerprints": finding.fingerprints,
        "similarity": hundredths(finding.similarity) / 100,
        "source": _source(finding.source),
        "also_in": [_source(place) for place in finding.also_in],
        "suppressed": finding.suppressed,
        "added_lines": [[lines.first, lines.last] for lines in finding.added],
        "anchor": finding.anchor,
        "reason": _optional(finding.reason),
        "expires": finding.expires.isoformat() if finding.expires else None,
        "objection": None if finding.objection is None else _source(finding.objection),
        "alignment": [[*lines.here, *lines.there] for lines in finding.alignment],
        "identical": finding.identical,
        "strength": finding.strength,
        "evidence": _evidence(finding),
        "in_text": finding.in_text,
        "denied": finding.denied,
        "agreement": finding.agreement._asdict(),
        "comment_marks": list(finding.comment),
        "file_sha256": finding.file_sha256 or None,
        "reading": finding.reading and finding.reading._asdict(),
        "known_content": finding.known and {"key": finding.known.key, **finding.known.reading._asdict()},
        "stretches": finding.stretches,
        "renames": _renames(finding),
    }


def _evidence(finding: Finding) -> dict[str, Any]:
    return {
        **finding.evidence._asdict(),
        "likelihood": likelihood(finding),
        "log_odds": finding.log_odds,
        "reasons": [reason._asdict() for reason in finding.reasons],
        "filter": finding.filter,
    }


def _renames(finding: Finding) -> list[tuple[str, str, int]] | None:
    if finding.renames is None:
        return None
    return [(printable.unicode(old), printable.unicode(new), count) for old, new, count in finding.renames]


def _entry(entry: BaselineEntry) -> dict[str, Any]:
    return {
        "path": printable.unicode(entry.path),
        "source": printable.unicode(entry.source),
        "source_path": printable.unicode(entry.source_path),
        "license": printable.unicode(entry.license),
        "kind": entry.kind,
        "anchor": entry.anchor,
        "reason": printable.unicode(entry.reason),
        "expires": entry.expires.isoformat() if entry.expires else None,
    }


def _source(place: Place) -> dict[str, Any]:
    source = place.file.source
    return {
        "name": printable.unicode(source.name),
        "version": _optional(source.version),
        "license": printable.unicode(source.license),
        "path": printable.unicode(place.file.path),
        "start_line": place.lines.first,
        "end_line": place.lines.last,
        "url": _optional(source.url),
        "package_license": _optional(place.file.package_license),
        "purl": _optional(source.purl),
        "license_from": _optional(source.license_from),
    }


def _optional(text: str | None) -> str | None:
    return None if text is None else printable.unicode(text)


def _summary(report: ScanReport) -> dict[str, Any]:
    return {
        "error": report.count("error"),
        "warning": report.count("warning"),
        "note": report.count("note"),
        "suppressed": len(report.findings) - len(unsuppressed(report)),
    }
