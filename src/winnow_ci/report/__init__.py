"""Reports: one module per format, each with one function. Nothing here prints.

A format's module decides on the names of values in it, and how hostile text is made harmless.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.model.findings import FIRST_LINES, ShownCode
from winnow_ci.report.coverage import coverage
from winnow_ci.report.shown import ReportStyle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from winnow_ci.model.findings import ScanReport

    ReportFormat: TypeAlias = Callable[[ScanReport, ReportStyle], str]

__all__ = ["EXTRAS", "FORMATS", "IN_A_FILE", "WITH_CODE", "ReportStyle", "coverage", "shown_code"]


def _format(module: str) -> ReportFormat:
    """A format's function. Its module is imported when it is first used, since a hook needs only one."""

    def render(report: ScanReport, style: ReportStyle) -> str:
        text: str = import_module(f"winnow_ci.report.{module}").render(report, style)
        return text

    return render


FORMATS: dict[str, ReportFormat] = {
    "text": _format("text"),
    "json": _format("json_v1"),
    "github": _format("github"),
    "markdown": _format("markdown"),
    "sarif": _format("sarif"),
    "gitlab": _format("gitlab"),
    "junit": _format("junit"),
    "html": _format("html"),
    "csv": _format("spreadsheet"),
    "cyclonedx": _format("bill_of_materials"),
}
"""Name of a format → its function."""
EXTRAS = {"cyclonedx": "cyclonedx"}
"""Name of a format → the package that it needs, which an extra of the same name installs."""
IN_A_FILE = frozenset({"html"})
"""Formats that nobody can read on a terminal."""
WITH_CODE = frozenset({"text", "github", "markdown", "sarif", "junit", "html"})
"""Formats that show code."""

_SHOWN_CODE = {"html": ShownCode(lines=200, marks=True, suppressed=True)}


def shown_code(formats: Iterable[str]) -> ShownCode:
    """How much of a finding's code a scan has to find for reports in some formats."""
    wanted = [_SHOWN_CODE.get(name, FIRST_LINES) for name in formats]
    return ShownCode(*map(max, zip(*wanted, strict=True)))
