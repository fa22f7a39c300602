from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile
from winnow_ci.model import Skipped
from winnow_ci.report import FORMATS, spreadsheet

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport

BASE = CASES["none"]


def _rows(report: ScanReport) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(FORMATS["csv"](report, STYLE), newline="")))


def test_a_row_has_everything_that_is_known_of_a_finding() -> None:
    one = finding("GPL-3.0-only")._replace(denied=True)
    file = one.source.file._replace(package_license="MIT")
    one = one._replace(source=one.source._replace(file=file))
    (row,) = _rows(BASE._replace(findings=(one,)))
    assert row["denied"] == "yes"
    assert (row["license"], row["package_license"]) == ("GPL-3.0-only", "MIT")
    assert (row["path"], row["start_line"], row["end_line"]) == ("src/a.c", "10", "42")
    assert (row["source_path"], row["source_start_line"]) == ("lib/url.c", "100")
    assert row["similarity"] == "0.97"
    assert tuple(row) == spreadsheet.CSV_COLUMNS


def test_suppressed_findings_and_files_that_were_not_scanned_are_rows_too() -> None:
    accepted = finding()._replace(suppressed="baseline", reason="asked Ada")
    skipped = (Skipped("big.c", "larger than 64 MiB", "not-scanned"), Skipped("b", "data", "out-of-scope"))
    first, second = _rows(BASE._replace(findings=(accepted,), skipped=skipped))
    assert (first["rule"], first["level"], first["path"]) == ("not-scanned", "error", "big.c")
    assert first["reason"] == "larger than 64 MiB"
    assert (second["suppressed"], second["reason"]) == ("baseline", "asked Ada")


@pytest.mark.parametrize("path", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", " =1+1", "\uff1d1+1"])
def test_no_cell_is_a_formula(path: str) -> None:
    (row,) = _rows(BASE._replace(findings=(finding(path=path),)))
    assert row["path"] == f"'{path}"


@pytest.mark.parametrize("path", ["a;=1+1", "a; +1", 'a;"=1+1', "a;@SUM(A1);-1"])
def test_nor_is_what_a_spreadsheet_takes_for_a_cell_where_semicolons_separate_them(path: str) -> None:
    (row,) = _rows(BASE._replace(findings=(finding(path=path),)))
    for part in row["path"].split(";"):
        assert part.strip(' "')[:1] in {"a", "'"}


@given(ANY_TEXT)
def test_whatever_names_hold_there_is_a_row_for_each_and_no_formula(text: str) -> None:
    rows = _rows(hostile(text))
    assert len(rows) == 2
    for row in rows:
        assert None not in row
        assert not [cell for cell in row.values() if cell.lstrip()[:1] in set("=+-@\t\r")]


def test_a_table_of_accepted_copies_has_no_formula_either() -> None:
    text = spreadsheet.csv_text(["by", "on"], [["=cmd()", "2026-11-28"], ["a;=b", 3]])
    assert text == "by,on\n'=cmd(),2026-11-28\na;'=b,3\n"


def test_a_cell_fits_into_a_spreadsheet() -> None:
    (row,) = _rows(BASE._replace(findings=(finding(path="\U000e0001" * 9000),)))
    assert len(row["path"]) == 32_000
