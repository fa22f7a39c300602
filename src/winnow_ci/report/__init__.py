"""Reports: one module per format, each with one function. Nothing here prints.

A format's module decides what the model's values are called in it, and how hostile text is made harmless.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.report.coverage import coverage
from winnow_ci.report.shown import ReportStyle

if TYPE_CHECKING:
    from collections.abc import Callable

    from winnow_ci.model.findings import ScanReport

    ReportFormat: TypeAlias = Callable[[ScanReport, ReportStyle], str]


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
}
"""Name of a format → its function."""

__all__ = ["FORMATS", "ReportStyle", "coverage"]
