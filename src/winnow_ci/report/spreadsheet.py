"""CSV for spreadsheets: a row for each finding, suppressed ones included, and for each file not scanned.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@`` or a tab for a formula, also in full-width forms
(OWASP, CSV injection), and whoever named a file could have it run. Such a cell gets an apostrophe at its beginning.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence

from winnow_ci.model.findings import Finding, ScanReport
from winnow_ci.report import printable, wording
from winnow_ci.report.shown import NOT_SCANNED, ReportStyle, hundredths, not_scanned, ranked, rule_id

_VALUES: dict[str, Callable[[Finding], object]] = {
    "id": lambda one: one.id,
    "rule": rule_id,
    "level": lambda one: one.level,
    "denied": lambda one: "yes" if one.denied else "no",
    "suppressed": lambda one: one.suppressed,
    "reason": lambda one: one.reason,
    "recorded_by": lambda one: one.recorded_by,
    "recorded_on": lambda one: one.recorded_on,
    "expires": lambda one: one.expires,
    "path": lambda one: one.path,
    "start_line": lambda one: one.lines.first,
    "end_line": lambda one: one.lines.last,
    "added_lines": lambda one: " ".join(map(wording.range_of, one.added)),
    "kind": lambda one: one.kind,
    "strength": lambda one: one.strength,
    "tokens": lambda one: one.tokens,
    "similarity": lambda one: hundredths(one.similarity) / 100,
    "likeness": lambda one: "; ".join(wording.facts(one, wording.likeness, wording.reordered)),
    "source": lambda one: one.source.file.source.name,
    "version": lambda one: one.source.file.source.version,
    "license": lambda one: one.source.file.source.license,
    "package_license": lambda one: one.source.file.package_license or one.source.file.source.license,
    "license_from": lambda one: one.source.file.source.license_from,
    "purl": lambda one: one.source.file.source.purl,
    "url": lambda one: one.source.file.source.url,
    "source_path": lambda one: one.source.file.path,
    "source_start_line": lambda one: one.source.lines.first,
    "source_end_line": lambda one: one.source.lines.last,
    "also_in": lambda one: "; ".join(map(wording.source_place, one.also_in)),
}
CSV_COLUMNS = tuple(_VALUES)
_FORMULA = frozenset("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
# Where a comma separates decimals, a spreadsheet may take a semicolon for the end of a cell.
_INNER_FORMULA = re.compile(r"""(;[\s"']*)([=+\-@\uff1d\uff0b\uff0d\uff20])""")
_LONGEST = 32_000  # a cell of common spreadsheets holds 32,767 characters


def render(report: ScanReport, _style: ReportStyle) -> str:
    """The table, its heading first."""
    skips = (
        {"rule": NOT_SCANNED, "level": "error", "reason": one.reason, "path": one.path} for one in not_scanned(report)
    )
    rows: list[list[object]] = [[skip.get(column, "") for column in CSV_COLUMNS] for skip in skips]
    rows += [[value(finding) for value in _VALUES.values()] for finding in ranked(report.findings)]
    return csv_text(CSV_COLUMNS, rows)


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table with these columns, its heading first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    return text.getvalue()


def _cell(text: str) -> str:
    """Text that no spreadsheet computes, on one line."""
    shown = wording.shortened(printable.name(text[:_LONGEST]), _LONGEST)
    shown = _INNER_FORMULA.sub(r"\1'\2", shown)
    return f"'{shown}" if shown.lstrip()[:1] in _FORMULA else shown
