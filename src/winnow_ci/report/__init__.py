"""Reports: one module per format, each with one function. Nothing here prints.

A format's module decides on the names of values in it, and how hostile text is made harmless.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.model.findings import FIRST_LINES, ScanReport, ShownCode
from winnow_ci.report.coverage import coverage
from winnow_ci.report.shown import ReportStyle

if TYPE_CHECKING:
    ReportFormat: TypeAlias = Callable[[ScanReport, ReportStyle], str]

__all__ = ["EXTRAS", "FORMATS", "IN_A_FILE", "PROOF", "WITH_CODE", "ReportStyle", "coverage", "shown_code"]


def _render(module: str, report: ScanReport, style: ReportStyle) -> str:
    """Import a format's module only when it is used, since a hook needs only one."""
    text: str = import_module(f"winnow_ci.report.{module}").render(report, style)
    return text


_MODULES = {
    "json": "json_v1",
    "csv": "spreadsheet",
    "cyclonedx": "bill_of_materials",
    "spdx": "spdx_document",
    "in-toto": "in_toto",
}
_NAMES = "text json github markdown sarif gitlab junit html csv cyclonedx spdx in-toto".split()
FORMATS: dict[str, ReportFormat] = {name: partial(_render, _MODULES.get(name, name)) for name in _NAMES}
"""Name of a format → its function."""
EXTRAS = {"cyclonedx": "cyclonedx", "spdx": "spdx_tools"}
"""Name of a format → the package that it needs, which an extra of the same name installs."""
IN_A_FILE = frozenset({"html"})
"""Formats that nobody can read on a terminal."""
WITH_CODE = frozenset({"text", "github", "markdown", "sarif", "junit", "html"})
"""Formats that show code."""
PROOF = "in-toto"
"""The format that says which commit was scanned."""
WITH_CHECKOUT = frozenset({"json", "html", "spdx", PROOF})
"""Formats that name repository, branch and commit."""


def shown_code(formats: Iterable[str]) -> ShownCode:
    """How much of a finding's code a scan has to find for reports in some formats."""
    return ShownCode(lines=200, marks=True, suppressed=True) if "html" in formats else FIRST_LINES
