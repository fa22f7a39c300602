from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.reports import ANY_TEXT, CASES, STYLE, finding, golden, hostile, rendered
from support.runner import commands
from winnow_ci.model import LineRange, Skipped
from winnow_ci.model.findings import Agreement
from winnow_ci.model.regions import AlignedLines
from winnow_ci.report import FORMATS, PROOF, ReportStyle, coverage, wording
from winnow_ci.report.sarif import FINGERPRINT
from winnow_ci.report.shown import NOT_SCANNED, RULES, TOO_MANY

if TYPE_CHECKING:
    from winnow_ci.model import Kind

DOCS = Path(__file__).parents[2] / "docs"
SCHEMA = DOCS / "json-v1.schema.json"
BASE = CASES["none"]
LINE_UP = "line up with the source"


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_reports_look_as_accepted(case: str, format_name: str) -> None:
    """To accept what is printed now, see ``support.reports``."""
    assert rendered(case, format_name) == golden(case, format_name).read_text(encoding="utf-8")


def test_the_documentation_has_every_format_and_rule() -> None:
    documentation = (DOCS / "reports.md").read_text(encoding="utf-8")
    assert re.findall(r"^## `([\w-]+)`", documentation, re.MULTILINE) == list(FORMATS)
    assert f"`{FINGERPRINT}`" in documentation
    rule_ids = {*(rule.id for rule in RULES.values()), NOT_SCANNED, TOO_MANY}
    assert {page.stem for page in (DOCS / "rules").iterdir()} == rule_ids
    for rule_id in rule_ids:
        assert (DOCS / "rules" / f"{rule_id}.md").read_text(encoding="utf-8").startswith(f"# {rule_id}\n")
        assert f"[`{rule_id}`](rules/{rule_id}.md)" in documentation


@pytest.mark.parametrize("format_name", ["sarif", "markdown", "html"])
@pytest.mark.parametrize(
    ("documentation", "address"),
    [
        ("https://x.example/winnow-ci", "https://x.example/winnow-ci/rules/{}.html"),
        ("https://x.example/o/winnow-ci/blob/v1/docs", "https://x.example/o/winnow-ci/blob/v1/docs/rules/{}.md"),
        ("https://x.example/o/winnow-ci/-/blob/v1/docs", "https://x.example/o/winnow-ci/-/blob/v1/docs/rules/{}.md"),
    ],
)
def test_findings_link_to_the_pages_of_their_rules(format_name: str, documentation: str, address: str) -> None:
    assert not CASES["many"].complete
    for style in (ReportStyle(documentation=documentation), ReportStyle()):
        html = FORMATS[format_name](CASES["many"], style)
        for rule_id in ("copied-verbatim", "copied-renamed", "not-scanned"):
            assert (address.format(rule_id) in html) == (style.documentation is not None)


OF_ANY_REPORT = {name: render for name, render in FORMATS.items() if name != PROOF}


@given(ANY_TEXT)
def test_nothing_hostile_reaches_a_terminal_or_a_log(text: str) -> None:
    report = hostile(text)
    for output in (*(render(report, ReportStyle()) for render in OF_ANY_REPORT.values()), coverage(report)):
        assert (
            re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]", output)
            is None
        )
        assert "##[" not in output
        assert "##vso[" not in output
        output.encode("utf-8")
    others = [render for name, render in OF_ANY_REPORT.items() if name != "github"]
    for output in (*(render(report, STYLE) for render in others), coverage(report)):
        assert commands(output) == []


@given(st.text(st.characters(min_codepoint=0), min_size=1, max_size=20))
def test_json_keeps_names_as_they_are_but_for_bytes_that_are_not_utf_8(text: str) -> None:
    expected = text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")
    expected = re.sub(r"[\udc80-\udcff]", lambda byte: f"\\x{ord(byte[0]) - 0xDC00:02x}", expected)
    expected = re.sub(r"[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", expected)
    parsed = json.loads(FORMATS["json"](hostile(text), ReportStyle()))
    assert parsed["findings"][0]["path"] == expected


@pytest.mark.parametrize("case", CASES)
def test_json_is_as_its_schema_says(case: str) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(rendered(case, "json")), schema)


def test_json_has_the_keys_of_the_contract_in_its_order() -> None:
    report = json.loads(rendered("many", "json"))
    assert list(report) == ["schema_version", "tool", "scan", "findings", "summary", "baseline"]
    assert list(report["scan"])[:6] == ["mode", "base", "head", "files_scanned", "files_skipped", "tokens"]
    assert " ".join(list(report["findings"][0])[:12]) == (
        "id path start_line end_line kind level tokens fingerprints similarity source also_in suppressed"
    )
    assert list(report["findings"][0]["source"])[:7] == [
        "name",
        "version",
        "license",
        "path",
        "start_line",
        "end_line",
        "url",
    ]
    assert report["summary"] == {"error": 2, "warning": 2, "note": 0, "suppressed": 2}


@pytest.mark.parametrize(("similarity", "shown"), [(0.9999, 0.99), (1.0, 1.0), (0.966, 0.97), (0.004, 0.0)])
def test_only_a_whole_match_is_shown_as_one(similarity: float, shown: float) -> None:
    report = BASE._replace(findings=(finding()._replace(similarity=similarity),))
    assert json.loads(FORMATS["json"](report, ReportStyle()))["findings"][0]["similarity"] == shown


@pytest.mark.parametrize(
    ("agreement", "kind", "told"),
    [
        (Agreement(180, 180, exact=True), "verbatim", "identical, all 180 tokens"),
        (Agreement(180, 180), "verbatim", "verbatim, all 180 tokens"),
        (Agreement(180, 180, others=1, exact=True), "verbatim", "verbatim, all 180 tokens, 1 other on its lines"),
        (
            Agreement(180, 180, 0, 9_000, exact=True),
            "verbatim",
            "verbatim, all 180 tokens, 9,000 of the source's missing",
        ),
        (Agreement(180, 180, in_order=False, exact=True), "verbatim", "verbatim, all 180 tokens"),
        (Agreement(180, 179, exact=True), "verbatim", "verbatim but for 1 of 180 tokens"),
        (Agreement(175, 175, 0, 3), "verbatim", "verbatim but for 5 of 180 tokens, 3 of the source's missing"),
        (
            Agreement(179, 178, 2, 1),
            "verbatim",
            "verbatim but for 2 of 180 tokens, 2 others on its lines, 1 of the source's missing",
        ),
        (
            Agreement(180, 120, exact=True),
            "renamed",
            "names changed: all 180 tokens line up with the source, 120 of them unchanged",
        ),
        (
            Agreement(179, 179),
            "renamed",
            "names changed: 179 of 180 tokens line up with the source, 179 of them unchanged",
        ),
    ],
)
def test_what_is_said_of_a_copy_is_what_was_counted(agreement: Agreement, kind: Kind, told: str) -> None:
    assert wording.likeness(finding()._replace(kind=kind, agreement=agreement)) == told


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ([1, 11], None),
        ([1, 11, 21], None),
        ([1, 9], None),
        ([1, 8], "in another order: lines 1-9 from 1-9, 11-19 from 8-16"),
        ([11, 1], "in another order: lines 1-9 from 11-19, 11-19 from 1-9"),
        ([21, 31, 1, 11], "in another order: lines 1-19 from 21-39, 21-39 from 1-19"),
        ([61, 51, 41, 31, 21], "31-39 from 31-39, 41-49 from 21-29"),
        ([61, 51, 41, 31, 21, 11], "41-49 from 21-29 and 1 more block"),
        ([61, 51, 41, 31, 21, 11, 1], "41-49 from 21-29 and 2 more blocks"),
    ],
)
def test_where_blocks_in_another_order_come_from(there: list[int], told: str | None) -> None:
    parts = enumerate(there)
    aligned = tuple(AlignedLines(LineRange(10 * n + 1, 10 * n + 9), LineRange(first, first + 8)) for n, first in parts)
    said = wording.reordered(finding()._replace(alignment=aligned))
    assert said is None if told is None else (said or "").endswith(told)


@pytest.mark.parametrize("format_name", [name for name in OF_ANY_REPORT if name != "json"])
def test_every_format_tells_where_blocks_in_another_order_come_from(format_name: str) -> None:
    assert "lines 10-15 from 126-131, 17-20 from 100-103" in rendered("reordered", format_name)
    assert "in another order" not in rendered("one", format_name)


def test_json_has_the_lines_that_correspond() -> None:
    (one,) = json.loads(rendered("reordered", "json"))["findings"]
    assert one["alignment"] == [[10, 15, 126, 131], [17, 20, 100, 103]]


@pytest.mark.parametrize("format_name", OF_ANY_REPORT)
def test_the_order_of_findings_does_not_show(format_name: str) -> None:
    report = CASES["many"]
    turned = report._replace(findings=report.findings[::-1])
    assert FORMATS[format_name](turned, STYLE) == FORMATS[format_name](report, STYLE)


def test_an_incomplete_scan_never_reads_as_clean() -> None:
    report = BASE._replace(skipped=(Skipped("a.c", "larger than 64 MiB", "not-scanned"),))
    text = FORMATS["text"](report, ReportStyle())
    assert text.splitlines()[-1] == "incomplete: 1 file not scanned; in the others no findings"
    assert "  a.c: larger than 64 MiB" in text
    assert json.loads(FORMATS["json"](report, ReportStyle()))["scan"]["complete"] is False


@pytest.mark.parametrize("format_name", ["text", "github", "markdown", "sarif", "gitlab", "junit"])
def test_suppressed_findings_are_counted_and_not_listed(format_name: str) -> None:
    report = BASE._replace(findings=(finding()._replace(suppressed="policy", level="note"),))
    text = FORMATS[format_name](report, STYLE)
    assert "src/a.c" not in text
    assert format_name in {"sarif", "gitlab"} or "no findings, 1 suppressed" in text


@pytest.mark.parametrize("width", [10, 60, 100])
def test_code_is_cut_at_the_width(width: int) -> None:
    report = BASE._replace(findings=(finding()._replace(excerpt=("\t" + "x" * 10_000_000, "\udcff" * 500)),))
    code = [line for line in FORMATS["text"](report, ReportStyle(width=width)).splitlines() if " │ " in line]
    assert [len(line) for line in code] == [max(width, 40)] * 2
    assert all(line.endswith("…") for line in code)


def test_colour_adds_nothing_but_colour() -> None:
    coloured = FORMATS["text"](CASES["many"], ReportStyle(colour=True))
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == FORMATS["text"](CASES["many"], ReportStyle())


@pytest.mark.parametrize(
    ("ranges", "end"), [(5, "32-33"), (6, "32-33 and 1 more stretch"), (7, "32-33 and 2 more stretches")]
)
def test_five_added_stretches_are_named(ranges: int, end: str) -> None:
    added = tuple(LineRange(first, first + 1) for first in range(20, 20 + 3 * ranges, 3))
    assert wording.copied_lines(finding()._replace(added=added)).endswith(end)
