"""What ``compare`` prints, from values alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given

from support.pages import FORMAT_METER, block, comparison, renamed_pairs, shown_pair
from support.reports import ANY_TEXT
from support.runner import commands
from winnow_ci.model import Fallback, LineRange, Skipped
from winnow_ci.model.comparison import (
    BodySimilarity,
    ComparedBody,
    Comparison,
    ComparisonOptions,
    FilePair,
    PairedFile,
    SharedStretch,
    ShareEstimate,
)
from winnow_ci.report.comparison import as_json, as_page, as_text
from winnow_ci.report.html import markup

DOCS = Path(__file__).parents[2] / "docs"
COUNTED = " of files with at least 4 fingerprints in common"
LEFT_OUT = "1 fingerprint in more than 10 files left out (--most-files)"
OPTIONS = ComparisonOptions(sketch=50)


def bodies(text: str = "") -> Comparison:
    stretches = (
        SharedStretch(LineRange(3, 9), LineRange(40, 46), 4, 2),
        SharedStretch(LineRange(20, 30), LineRange(60, 71), 8, 7),
    )
    pair = FilePair(PairedFile(f"a{text}.py", 24, 0.5), PairedFile(f"b{text}.py", 1200, 0.01), 12, 10.5, stretches)
    lost = FilePair(PairedFile("c.py", 8, 1.0), PairedFile("d.py", 9, 8 / 9), 8, 4.25, ())
    a = ComparedBody(f"A{text}", 1, 24, (Skipped(text, text, "not-scanned"),), (Fallback(text, text),))
    b = ComparedBody(f"B{text}", 2, 1209, (), (), "3f2a1c9e0b12" + "0" * 28)
    similarity = BodySimilarity(ShareEstimate(0.0125, 0.01), ShareEstimate(1.0), ShareEstimate(1 / 3, 0.5))
    return Comparison((a, b), (pair, lost), 3, 20, 1, similarity)


def one_body() -> Comparison:
    both = bodies()
    return both._replace(bodies=both.bodies[1:], pairs=(), found=0, left_out=0, similarity=None)


def test_two_bodies_for_people() -> None:
    assert as_text(bodies(), OPTIONS).splitlines() == [
        "A  A                 1 file   24 fingerprints",
        "B  B (3f2a1c9e0b12)  2 files  1,209 fingerprints",
        "",
        "resemblance       0.013 ± 0.010  share of all fingerprints that A and B have in common",
        "containment of A  1.000          share of A's fingerprints that B has too",
        "containment of B  0.333 ± 0.500  share of B's fingerprints that A has too",
        "estimated from the 50 smallest, k = 16, w = 12, robust selection",
        "",
        "WEIGHT  SHARED  VERBATIM  OF A  OF B  LONGEST IN A  IN B   EQUAL  RENAMED  WORDS  A     B",
        "10.5    12      75%       50%   1%    20-30         60-71  -      -        -      a.py  b.py",
        "4.2     8       -         100%  89%   -             -      -      -        -      c.py  d.py",
        f"3 pairs{COUNTED}; the first 2 are shown (--top); {LEFT_OUT}",
    ]


def test_one_body_without_pairs_for_people() -> None:
    assert as_text(one_body(), ComparisonOptions()).splitlines() == [
        "B (3f2a1c9e0b12): 2 files, k = 16, w = 12, robust selection",
        "",
        f"0 pairs{COUNTED}",
    ]


@pytest.mark.parametrize(("found", "absent"), [(bodies(), {"set"}), (one_body(), {"a", "b", "sketch", "resemblance"})])
def test_json_has_the_documented_keys(found: Comparison, absent: set[str]) -> None:
    table = (DOCS / "compare.md").read_text(encoding="utf-8").partition("## JSON")[2]
    documented = {
        key for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)
    }
    report = json.loads(as_json(found, OPTIONS))
    absent |= {"containment_of_a", "containment_of_b"} if found.similarity is None else set()
    assert set(report) == documented - absent


@given(ANY_TEXT)
def test_nothing_hostile_is_printed(text: str) -> None:
    for output in (as_text(bodies(text), OPTIONS), as_json(bodies(text), OPTIONS)):
        assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069]", output) is None
        assert commands(output) == []
        output.encode("utf-8")


def test_the_page_says_what_the_text_says() -> None:
    html = as_page(comparison(), ComparisonOptions(), [shown_pair()])
    for said in ("0.013 ± 0.010", "from all fingerprints", "k = 16, w = 12", "1,209 fingerprints", "75%", "20-30"):
        assert said in html
    assert "3 pairs of files have at least 4 fingerprints in common; the first 1 are here (--top)" in html
    assert "<bdi>x</bdi>: y" in html


def test_names_of_the_one_come_first() -> None:
    html = as_page(comparison(), ComparisonOptions(), [shown_pair()])
    assert "<bdi>whole</bdi> | <bdi>total</bdi>" in html


def test_a_pair_without_lines_says_so() -> None:
    html = as_page(comparison(), ComparisonOptions(), [shown_pair()._replace(alignment=(), beside=None)])
    assert "The lines are not here" in html


def test_without_pairs_there_is_no_list() -> None:
    html = as_page(comparison()._replace(found=0, pairs=()), ComparisonOptions(), [])
    assert "No pair of files has 4 fingerprints or more in common." in html
    assert "<table" not in html


def test_more_pairs_have_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markup, "ROOM", 100)
    html = as_page(comparison(), ComparisonOptions(), [shown_pair()] * 2)
    assert re.findall(r">(\d+) more rows not shown", html) == [str(len(FORMAT_METER))] * 2


def test_blocks_that_rise_are_not_called_moved() -> None:
    pair = shown_pair()
    assert pair.beside is not None
    names = [names[:2] for names in renamed_pairs(FORMAT_METER)]
    rising = pair.beside._replace(blocks=(*pair.beside.blocks, block(FORMAT_METER, 90, 900, names)))
    html = as_page(comparison(), ComparisonOptions(), [pair._replace(beside=rising)])
    assert "block 1 of 2: lines 11-16 here, 462-469 there" in html
