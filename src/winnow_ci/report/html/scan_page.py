"""The page of a scan, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import winnow_ci
from winnow_ci.report.coverage import sentences
from winnow_ci.report.html import overview
from winnow_ci.report.html.finding_view import finding_view
from winnow_ci.report.html.markup import assets, rendered
from winnow_ci.report.shown import LEVELS, not_scanned
from winnow_ci.report.wording import when_approvals_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from winnow_ci.model.findings import ScanReport
    from winnow_ci.report.html.overview import ListedFinding

ROWS = (200, 100, 50, 25, 10)
"""How many rows of a finding are shown at most: the first number with which all findings fit into ``ROOM``."""
ROOM = 11_000_000
"""Bytes for all findings, so that a page stays below 12 MB, which a browser opens at once and a mail server takes."""
LISTED_AT_ONCE = 200
"""Findings in one page of the list; ``page.js`` has the same number."""


def page(report: ScanReport, room: int = ROOM) -> str:
    """The page of a scan, with ``room`` bytes for its findings: the same bytes for the same report."""
    findings = overview.listed(report)
    skipped = not_scanned(report)
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
        notices=report.notices,
        coverage=tuple(sentences(report)),
        bar_lists=overview.bar_lists(findings),
        levels=_levels(findings),
        parts_of_list=[findings[start : start + LISTED_AT_ONCE] for start in range(0, len(findings), LISTED_AT_ONCE)],
        listed_at_once=LISTED_AT_ONCE,
        count=len(findings),
        bodies=_bodies(report, findings, room),
    )
    return f"{html}\n"


def _levels(findings: Sequence[ListedFinding]) -> list[str]:
    """The levels that occur, the worst first."""
    present = {one.level for one in findings}
    return [level for level in (*LEVELS, overview.ALLOWED) if level in present]


def _bodies(report: ScanReport, findings: list[ListedFinding], room: int) -> list[tuple[str, Markup]]:
    """Anchor and body of each finding, with as many rows as there is room for."""
    for most_rows in ROWS:
        bodies = _fitting(_rendered(report, findings, most_rows), room)
        if bodies is not None:
            break
    else:
        bodies = list(_rendered(report, findings, 0))
    return list(zip((one.anchor for one in findings), bodies, strict=True))


def _fitting(rendered_bodies: Iterator[Markup], room: int) -> list[Markup] | None:
    """The bodies; None as soon as there is no room for them."""
    bodies = []
    for body in rendered_bodies:
        room -= len(body.encode())
        if room < 0:
            return None
        bodies.append(body)
    return bodies


def _rendered(report: ScanReport, findings: list[ListedFinding], most_rows: int) -> Iterator[Markup]:
    approvals = when_approvals_count(report)
    for number in range(len(findings)):
        view = finding_view(findings, number, report.advice, most_rows)
        yield rendered("finding.html.j2", view=view, count=len(findings), approvals=approvals)
