"""An in-toto statement (v1): which commit was looked up, in which indexes, by which rules, and with which verdict.

Its subject is the commit, with the digests ``gitCommit`` and ``gitTree``. The predicate, of type ``TYPE``, has

- ``tool``: name and version of what made it;
- ``change``: what was compared: ``mode`` and ``base`` as in JSON v1, and both in words;
- ``indexes``: name and root of each index;
- ``policy_digest``, ``evidence_model``: digests of the rules and of the model, as in JSON v1;
- ``verdict``: ``passed``; ``failed``, if a finding fails the check; ``incomplete``, if a file could not be read;
- ``findings``: how many of each level, and how many are suppressed; ``files``: how many were scanned, and were not.

The same report gives the same bytes, and no other form of the same statement is accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from winnow_ci import __version__
from winnow_ci.report import printable
from winnow_ci.report.shown import ReportStyle, counts_by_level, not_scanned

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport

STATEMENT = "https://in-toto.io/Statement/v1"
TYPE = "urn:winnow-ci:scan:v1"
"""The type of the predicate."""
PASSED = "passed"


def render(report: ScanReport, _style: ReportStyle) -> str:
    """The statement."""
    if report.proved is None:
        raise ValueError("the report is not made for a commit")
    name = report.checkout.repository if report.checkout else "repository"
    digests = {"gitCommit": report.proved.commit, "gitTree": report.proved.tree}
    return printable.json_text(
        {
            "_type": STATEMENT,
            "subject": [{"name": name, "digest": digests}],
            "predicateType": TYPE,
            "predicate": _predicate(report),
        }
    )


def _predicate(report: ScanReport) -> dict[str, Any]:
    verdict = "failed" if report.failed else PASSED if report.complete else "incomplete"
    scope = report.scope
    return {
        "tool": {"name": "winnow-ci", "version": __version__},
        "change": {"mode": scope.mode, "base": scope.base, "description": printable.name(scope.description)},
        "indexes": [{"name": printable.name(index.path), "root": index.digest} for index in report.indexes],
        "policy_digest": report.policy_digest,
        "evidence_model": report.model_digest,
        "verdict": verdict,
        "findings": counts_by_level(report),
        "files": {"scanned": report.files_scanned, "not_scanned": len(not_scanned(report))},
    }
