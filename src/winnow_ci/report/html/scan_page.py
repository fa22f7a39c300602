"""The page of a scan, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import winnow_ci
from winnow_ci.report import addresses, rules
from winnow_ci.report.coverage import sentences
from winnow_ci.report.html import overview
from winnow_ci.report.html.finding_view import finding_view
from winnow_ci.report.html.markup import assets, rendered
from winnow_ci.report.html.room import LISTED_AT_ONCE, ROOM, fitting
from winnow_ci.report.shown import LEVELS, not_scanned
from winnow_ci.report.wording import when_approvals_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from winnow_ci.model.findings import ScanReport
    from winnow_ci.report.html.overview import ListedFinding


def page(report: ScanReport, room: int = ROOM, documentation: str | None = None) -> str:
    """The page of a scan, with ``room`` bytes for its findings: the same bytes for the same report.

    It links to the documentation, if that has an address.
    """
    findings = overview.listed(report)
    skipped = not_scanned(report)
    bodies = fitting(lambda most_rows: _bodies(report, findings, documentation, most_rows), room)
    html = rendered(
        "scan.html.j2",
        assets=assets(),
        version=winnow_ci.__version__,
        verdict=overview.verdict(report),
        compared=overview.compared(report),
        scope=report.scope,
        covered=overview.covered(report),
        not_scanned=skipped[: overview.MOST_NOT_SCANNED],
        not_scanned_count=len(skipped),
        not_scanned_page=addresses.of_rule(documentation, rules.NOT_SCANNED),
        notices=report.all_notices,
        coverage=tuple(sentences(report)),
        bar_lists=overview.bar_lists(findings),
        levels=_levels(findings),
        parts_of_list=[findings[start : start + LISTED_AT_ONCE] for start in range(0, len(findings), LISTED_AT_ONCE)],
        listed_at_once=LISTED_AT_ONCE,
        count=len(findings),
        bodies=list(zip((one.anchor for one in findings), bodies, strict=True)),
    )
    return f"{html}\n"


def _levels(findings: Sequence[ListedFinding]) -> list[str]:
    """The levels that occur, the worst first."""
    present = {one.level for one in findings}
    return [level for level in (*LEVELS, overview.ALLOWED) if level in present]


def _bodies(
    report: ScanReport, findings: list[ListedFinding], documentation: str | None, most_rows: int
) -> Iterator[Markup]:
    approvals = when_approvals_count(report)
    for number in range(len(findings)):
        view = finding_view(findings, number, report.advice, most_rows)
        rule = rules.rule(findings[number].finding).id
        told = {"rule": rule, "rule_page": addresses.of_rule(documentation, rule), "approvals": approvals}
        yield rendered("finding.html.j2", view=view, count=len(findings), **told)
