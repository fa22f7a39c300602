"""The report to look at: one HTML file, which loads nothing, works without its script, and prints.

``scan_page`` puts the parts together, ``comparison_page`` those of ``winnow-ci compare``. What a page says is decided
in ``overview``, ``finding_view``, ``panes`` and ``ribbon``, as plain values; ``templates`` turn them into HTML, and
``page.css`` and ``page.js`` stand beside them. Jinja2 is imported here and nowhere else, so that only who asks for a
page pays for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.report.html.comparison_page import comparison_page
from winnow_ci.report.html.scan_page import page

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport
    from winnow_ci.report.shown import ReportStyle

__all__ = ["comparison_page", "page", "render"]


def render(report: ScanReport, style: ReportStyle) -> str:
    """The page; a browser knows best what its screen can show."""
    return page(report, documentation=style.documentation)
