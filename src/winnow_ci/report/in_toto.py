"""An in-toto statement (v1): which commit was looked up, in which indexes, by which rules, and with which verdict.

Its subject is the commit. In the predicate, the verdict is ``failed`` if a finding fails the check, and ``incomplete``
if a file could not be read; the rest is called as in JSON v1. The same report gives the same bytes, and no other form
of the same statement is accepted.
"""

from __future__ import annotations

from winnow_ci import __version__
from winnow_ci.model.findings import ScanReport
from winnow_ci.report import printable
from winnow_ci.report.shown import ReportStyle, counts_by_level, not_scanned

STATEMENT = "https://in-toto.io/Statement/v1"
TYPE = "urn:winnow-ci:scan:v1"
"""The type of the predicate."""
PASSED = "passed"


def render(report: ScanReport, _style: ReportStyle) -> str:
    """The statement."""
    if report.proved is None:
        raise ValueError("the report is not made for a commit")
    name = report.checkout.repository if report.checkout else "repository"
    verdict = "failed" if report.failed else PASSED if report.complete else "incomplete"
    scope = report.scope
    digests = {"gitCommit": report.proved.commit, "gitTree": report.proved.tree}
    return printable.json_text(
        {
            "_type": STATEMENT,
            "subject": [{"name": name, "digest": digests}],
            "predicateType": TYPE,
            "predicate": {
                "tool": {"name": "winnow-ci", "version": __version__},
                "change": {"mode": scope.mode, "base": scope.base, "description": printable.name(scope.description)},
                "indexes": [{"name": printable.name(index.path), "root": index.digest} for index in report.indexes],
                "policy_digest": report.policy_digest,
                "evidence_model": report.model_digest,
                "verdict": verdict,
                "findings": counts_by_level(report),
                "files": {"scanned": report.files_scanned, "not_scanned": len(not_scanned(report))},
            },
        }
    )
