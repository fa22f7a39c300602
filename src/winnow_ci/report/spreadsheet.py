"""CSV for spreadsheets: a row for each finding, suppressed ones included, and for each file not scanned.

Also the table of accepted copies that ``explain`` prints.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@`` or a tab for a formula, also in full-width forms
(OWASP, CSV injection), and whoever named a file could have it run. Such a cell gets an apostrophe at its beginning.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from winnow_ci.report import printable, wording
from winnow_ci.report.shown import NOT_SCANNED, hundredths, not_scanned, ranked, rule_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.model.findings import Finding, ScanReport
    from winnow_ci.report.shown import ReportStyle

CSV_COLUMNS = (
    *("id", "rule", "level", "denied", "suppressed", "reason", "recorded_by", "recorded_on", "expires"),
    *("path", "start_line", "end_line", "added_lines"),
    *("kind", "strength", "tokens", "similarity", "likeness"),
    *("source", "version", "license", "package_license", "license_from", "purl", "url"),
    *("source_path", "source_start_line", "source_end_line", "also_in"),
)
_FORMULA = frozenset("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
# Where a comma separates decimals, a spreadsheet may take a semicolon for the end of a cell.
_INNER_FORMULA = re.compile(r"""(;[\s"']*)([=+\-@\uff1d\uff0b\uff0d\uff20])""")
_LONGEST = 32_000  # a cell of common spreadsheets holds 32,767 characters


def render(report: ScanReport, _style: ReportStyle) -> str:
    """The table, its heading first."""
    rows: list[dict[str, object]] = [
        {"rule": NOT_SCANNED, "level": "error", "reason": skip.reason, "path": skip.path}
        for skip in not_scanned(report)
    ]
    rows += [_of_finding(finding) for finding in ranked(report.findings)]
    return csv_text(CSV_COLUMNS, ([row.get(column, "") for column in CSV_COLUMNS] for row in rows))


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A table with these columns, its heading first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    return text.getvalue()


def _of_finding(finding: Finding) -> dict[str, object]:
    file = finding.source.file
    return {
        "id": finding.id,
        "rule": rule_id(finding),
        "level": finding.level,
        "denied": "yes" if finding.denied else "no",
        "suppressed": finding.suppressed,
        "reason": finding.reason,
        "recorded_by": finding.recorded_by,
        "recorded_on": finding.recorded_on,
        "expires": finding.expires,
        "path": finding.path,
        "start_line": finding.lines.first,
        "end_line": finding.lines.last,
        "added_lines": " ".join(map(wording.range_of, finding.added)),
        "kind": finding.kind,
        "strength": finding.strength,
        "tokens": finding.tokens,
        "similarity": hundredths(finding.similarity) / 100,
        "likeness": "; ".join(wording.facts(finding, wording.likeness, wording.reordered)),
        "source": file.source.name,
        "version": file.source.version,
        "license": file.source.license,
        "package_license": file.package_license or file.source.license,
        "license_from": file.source.license_from,
        "purl": file.source.purl,
        "url": file.source.url,
        "source_path": file.path,
        "source_start_line": finding.source.lines.first,
        "source_end_line": finding.source.lines.last,
        "also_in": "; ".join(map(wording.source_place, finding.also_in)),
    }


def _cell(text: str) -> str:
    """Text that no spreadsheet computes, on one line."""
    shown = wording.shortened(printable.name(text[:_LONGEST]), _LONGEST)
    shown = _INNER_FORMULA.sub(r"\1'\2", shown)
    return f"'{shown}" if shown.lstrip()[:1] in _FORMULA else shown
