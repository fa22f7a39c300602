from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest
import xmlschema
from hypothesis import given

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile
from winnow_ci.model import Level, Skipped
from winnow_ci.report import FORMATS

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport

SCHEMA = xmlschema.XMLSchema(Path(__file__).parents[1] / "schemas" / "junit-10.xsd")
BASE = CASES["none"]


def _suite(report: ScanReport) -> ET.Element:
    suites = ET.fromstring(FORMATS["junit"](report, STYLE).encode())
    (suite,) = suites
    return suite


def _case(report: ScanReport, number: int) -> ET.Element:
    return _suite(report).findall("testcase")[number]


@pytest.mark.parametrize("case", CASES)
def test_it_is_as_its_schema_says(case: str) -> None:
    SCHEMA.validate(FORMATS["junit"](CASES[case], STYLE))


@given(ANY_TEXT)
def test_it_stays_xml_whatever_names_hold(text: str) -> None:
    xml = FORMATS["junit"](hostile(text), STYLE)
    SCHEMA.validate(xml)
    assert len(ET.fromstring(xml.encode())[0].findall("testcase")) == 2


@pytest.mark.parametrize("case", CASES)
def test_its_counts_are_those_of_its_cases(case: str) -> None:
    suite = _suite(CASES[case])
    outcomes = Counter(outcome.tag for test in suite.findall("testcase") for outcome in test)
    assert suite.attrib == {
        "name": "winnow-ci",
        "tests": str(len(suite.findall("testcase"))),
        "failures": str(outcomes["failure"]),
        "errors": str(outcomes["error"]),
        "skipped": str(outcomes["skipped"]),
    }


@pytest.mark.parametrize(("level", "outcome"), [("error", "failure"), ("warning", "skipped"), ("note", "system-out")])
def test_only_errors_fail(level: Level, outcome: str) -> None:
    case = _case(BASE._replace(findings=(finding()._replace(level=level),)), 1)
    assert [part.tag for part in case] == [outcome]
    assert case[0].text is not None
    assert case[0].text.startswith(
        "src/a.c:10-42: copied from curl 8.1.0 (curl), lib/url.c:100-131\nverbatim but for 6 "
    )


def test_a_case_keeps_its_name_when_code_moves_and_shares_it_with_no_other() -> None:
    report = BASE._replace(findings=(finding(), finding(first=50, last=82)._replace(id="other")))
    first, second = (case.attrib for case in _suite(report).findall("testcase")[1:])
    assert first == {
        "classname": "src/a.c",
        "name": "copied from curl 8.1.0 (curl), lib/url.c:100-131 [5f0c2d9a1b3e4f60]",
    }
    assert second["name"] != first["name"]
    moved = BASE._replace(findings=(finding(first=500, last=532),))
    assert _case(moved, 1).attrib == first


def test_the_scan_itself_is_a_case_that_passes_only_if_it_is_complete() -> None:
    passed = _case(BASE, 0)
    assert [part.tag for part in passed] == ["system-out"]
    assert passed[0].text is not None
    assert passed[0].text.endswith("1 file scanned, 0 skipped\nno findings")
    failed = _case(BASE._replace(skipped=(Skipped("a.c", "larger than 64 MiB", "not-scanned"),)), 0)
    assert failed[0].attrib == {"type": "not-scanned", "message": "1 file not scanned"}
    assert failed[0].text == "a.c: larger than 64 MiB"


def test_suppressed_findings_are_counted_and_left_out() -> None:
    suite = _suite(BASE._replace(findings=(finding()._replace(suppressed="policy"),)))
    assert len(suite.findall("testcase")) == 1
    assert {each.attrib["name"]: each.attrib["value"] for each in suite.iter("property")}["suppressed"] == "1"
