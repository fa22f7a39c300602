"""What the page says, from values alone; ``test_browser`` looks at it in a browser."""

from __future__ import annotations

import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from support.pages import FORMAT_METER, copied, moved, report, scan_page, without_text
from support.reports import ANY_TEXT, CASES, finding, hostile, place
from winnow_ci.model import Skipped, Source
from winnow_ci.model.findings import Checkout, UsedIndex
from winnow_ci.report.html import bars_by_source, listed_findings, sentence, verdict
from winnow_ci.report.html.markup import MOST_ROWS, ROOM, link

if TYPE_CHECKING:
    from winnow_ci.model.findings import ScanReport


class Tags(HTMLParser):
    """The elements and the attributes of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs


def text(html: str) -> str:
    """The text of a page, without tags."""
    return unescape(re.sub(r"<(style|script)>.*?</\1>|<[^>]*>", "", html, flags=re.DOTALL))


def test_the_same_report_gives_the_same_bytes_whatever_its_order() -> None:
    scan = report(copied(FORMAT_METER), moved(), without_text(copied(FORMAT_METER, path="x.py")))
    assert scan_page(scan) == scan_page(scan._replace(findings=scan.findings[::-1]))


def test_each_of_many_findings_with_one_id_has_an_anchor_of_its_own() -> None:
    """A forged report may have them; looking for a free name each time took minutes."""
    paths = [f"{number}.c" for number in range(50_001)]
    known = finding().source
    sources = [known._replace(file=known.file._replace(path=path)) for path in paths]
    findings = tuple(finding()._replace(id="a" if number else "a-2", source=one) for number, one in enumerate(sources))
    anchors = {one.anchor for one in listed_findings(CASES["none"]._replace(findings=findings))}
    assert len(anchors) == len(findings)


def test_the_policy_names_the_one_style_and_the_one_script() -> None:
    html = scan_page(report(copied(FORMAT_METER)))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', html)
    for tag in ("style", "script"):
        (inner,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        assert f"{tag}-src 'sha256-{b64encode(sha256(inner.encode()).digest()).decode()}'" in unescape(policy)
    assert unescape(policy).startswith("default-src 'none'; ")
    assert unescape(policy).endswith("base-uri 'none'; form-action 'none'")


@given(ANY_TEXT)
def test_no_text_of_others_becomes_an_element_or_an_attribute(hostile_text: str) -> None:
    plain, attacked = (Tags(scan_page(_attacked(part))) for part in ("x", hostile_text))
    assert attacked.names <= plain.names | {"small", "i", "path"}
    assert {name for name, _ in attacked.attributes} <= {"d", *(name for name, _ in plain.attributes)}
    assert not [name for name, _ in attacked.attributes if name == "style" or name.startswith("on")]
    links = [value or "" for name, value in attacked.attributes if name == "href"]
    assert all(one.startswith(("#", "https://", "http://")) for one in links)


def _attacked(part: str) -> ScanReport:
    code = copied([(f"x {part}", f"y {part}"), (None, part), (part, None)])
    (bad,) = hostile(part).findings
    both = (bad._replace(beside=code.beside), without_text(bad._replace(id=part, beside=code.beside)))
    return hostile(part)._replace(findings=both, notices=(part,))


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "ftp://x", "", None])
def test_only_the_web_is_linked(url: str | None) -> None:
    assert link(url) is None


@pytest.mark.parametrize("url", ["https://example.org/a?b=c", "http://example.org", "HTTPS://example.org"])
def test_the_web_is_linked(url: str) -> None:
    assert link(url) == url


def test_a_url_with_characters_that_deceive_is_not_linked() -> None:
    assert link("https://example.org/\u202egpj.exe") is None


def test_an_incomplete_scan_never_looks_clean() -> None:
    scan = CASES["none"]._replace(skipped=(Skipped("a.c", "larger than 64 MiB", "not-scanned"),))
    assert verdict(scan) == ("INCOMPLETE · no copies found", "error")
    told = text(scan_page(scan))
    assert "this is not a clean result" in told
    assert "a.c: larger than 64 MiB" in told
    assert "No copies of known code were found" not in told


def test_a_scan_of_nothing_is_not_a_clean_one() -> None:
    nothing = CASES["none"]._replace(files_scanned=0)
    assert verdict(nothing) == ("nothing to look at", "empty")
    assert verdict(nothing._replace(files_scanned=1)) == ("no copies found", "clean")
    assert "No file of the change was looked at." in text(scan_page(nothing))


def test_the_page_begins_with_what_was_copied_and_what_to_do() -> None:
    one = copied(FORMAT_METER)
    denied, error = one._replace(denied=True, level="error"), one._replace(denied=False, level="error")
    note = error._replace(level="note")
    place = "1 place was copied from tqdm 4.70.1 (MPL-2.0 AND MIT)"
    assert sentence(report(note, denied, error)) == (
        f"{place}, which the policy denies; {place}, which nobody has allowed. "
        "Do not merge until each is removed, allowed or approved."
    )
    assert sentence(report(note, denied)) == (
        f"{place}, which the policy denies. Do not merge until this is removed or approved."
    )
    assert sentence(report(note, error)) == (
        f"{place}, which nobody has allowed. Do not merge until this is removed, allowed or approved."
    )
    assert sentence(report(note)) == f"{place}. None of this fails the check."
    assert sentence(report()) == ""
    restated = note._replace(kind="translated")
    assert sentence(report(restated)).startswith("1 place may restate ")
    assert "<dt>may restate<dd>" in scan_page(report(restated))
    assert "places were copied from" in sentence(report(restated, note))
    sources = [
        error._replace(source=one.source._replace(file=one.source.file._replace(source=Source(name, license="MIT"))))
        for name in "abcde"
    ]
    assert sentence(report(*sources)).startswith("5 places were copied from a (MIT), b (MIT), c (MIT) and 2 more,")


def test_what_is_allowed_is_shown_with_its_reason() -> None:
    one = copied(FORMAT_METER)._replace(suppressed="inline", reason="asked Ada")
    told = text(scan_page(report(one)))
    assert "no copies found · 1 allowed" in told
    assert "Allowed: a comment in the file allows it: asked Ada" in told


def test_what_is_denied_comes_first_then_the_level_then_what_is_allowed() -> None:
    found = [
        finding(path="a")._replace(suppressed="policy", level="note"),
        finding(path="b")._replace(level="warning"),
        finding(path="c"),
        finding(path="d")._replace(denied=True, tokens=90),
    ]
    assert [one.finding.path for one in listed_findings(report(*found))] == ["d", "c", "b", "a"]


def test_findings_of_one_id_can_each_be_opened() -> None:
    same = CASES["none"]._replace(
        findings=(finding(path="a"), finding("MIT", path="b"), finding("ISC", path="c")._replace(id="<>"))
    )
    anchors = [one.anchor for one in listed_findings(same)]
    assert anchors == ["f-5f0c2d9a1b3e4f60", "f-5f0c2d9a1b3e4f60-2", "f-"]
    html = scan_page(same)
    assert all(html.count(f'<article id="{anchor}">') == 1 for anchor in anchors)


def test_lines_that_several_findings_have_are_counted_once() -> None:
    other = finding(path="b")
    other = other._replace(source=place(Source("z", license="MIT"), "z.c", 1, 33))
    found = [finding(first=1, last=10), finding(first=6, last=15)._replace(level="warning"), finding(first=14, last=20)]
    bars = bars_by_source(listed_findings(report(*found, other)))
    assert [(bar.name, bar.lines, bar.level) for bar in bars] == [("z", 33, "error"), ("curl 8.1.0", 20, "error")]
    assert bars_by_source(listed_findings(report(*found))) == []


def test_sources_without_a_bar_are_counted() -> None:
    found = [
        finding()._replace(source=place(Source(f"s{number}", license="MIT"), "a.c", 1, 33)) for number in range(11)
    ]
    told = text(scan_page(report(*found)))
    assert "and 3 more" in told
    assert "and 3 more" not in text(scan_page(report(*found[:8])))


def test_a_snippet_in_several_files_is_one_entry_that_names_them_all() -> None:
    found = [copied(FORMAT_METER, path=f"dist/{number}.js", first=number) for number in range(1, 8)]
    scan = report(*found, copied(FORMAT_METER, path="own.js", origin="other.js"))
    entries = listed_findings(scan)
    assert [(one.finding.path, len(one.others)) for one in entries] == [("dist/1.js", 6), ("own.js", 0)]
    told = text(scan_page(scan))
    assert "8 errors" in told
    assert "dist/1.js:1-6 and 6 more: dist/2.js, dist/3.js, dist/4.js …" in told
    assert "The same in 6 more places: dist/2.js:2-7 (0000000000000002), " in told
    assert "dist/7.js:7-12 (0000000000000007)" in told


def test_a_denied_copy_is_to_be_removed_and_no_comment_is_offered() -> None:
    one = copied(FORMAT_METER)
    free, denied = (text(scan_page(report(one._replace(denied=denied)))) for denied in (False, True))
    assert "The policy denies this licence: Remove the lines" in denied
    assert "Keep to the licence" not in denied
    assert "to allow it in the file" not in denied
    assert "Keep to the licence" in free
    assert "1 error, denied" in denied
    assert verdict(report(one, one._replace(denied=True)))[0] == "2 errors, 1 of them denied"
    assert verdict(report(one._replace(denied=True, level="note", strength="weak")))[0] == "1 note"


def test_the_page_says_what_was_looked_at_in_what_and_by_which_rules() -> None:
    scan = CASES["none"]._replace(
        checkout=Checkout("harbour", "quay", "1db8bc266e3f" + "0" * 28, "2026-11-28"),
        indexes=(UsedIndex(".winnow/index.db", "ab" * 16),),
        policy_digest="cd" * 32,
    )
    told = text(scan_page(scan))
    assert "harbour, branch quay, commit 1db8bc266e3f of 2026-11-28" in told
    assert ".winnow/index.db (abababababab)" in told
    assert "cdcdcdcdcdcd" in told


def test_without_the_source_s_text_the_page_says_what_agrees_and_how_to_see_more() -> None:
    one = without_text(copied(FORMAT_METER))
    named = one.source.file.source._replace(name="a b")
    one = one._replace(source=one.source._replace(file=one.source.file._replace(source=named)))
    told = text(scan_page(report(one)))
    assert "the hashes of 801 tokens here are those of lines 462-469 of std.py" in told
    assert "winnow-ci report REPORT.json --source 'a b'=DIR --format html:FILE" in told
    assert "proven" not in told


def test_identical_files_copies_in_text_and_weak_evidence_are_said_in_words() -> None:
    one = copied(FORMAT_METER)
    found = (one._replace(identical=True), one._replace(in_text=True), one._replace(strength="weak"))
    told = text(scan_page(report(*found)))
    assert "identical file" in told
    assert "copied as text" in told
    assert "possibly a copy" in told


def test_more_findings_have_fewer_rows_so_that_the_page_stays_small() -> None:
    code = [(f"x = {row}", f"x = {row}") for row in range(250)]
    scan = report(*(copied(code, origin=origin) for origin in ("a.py", "b.py")))
    assert text(scan_page(scan)).count("50 more rows not shown here") == 2
    small = scan_page(scan, 25_000)
    assert re.findall(r">\d+ more rows not", small) == [">150 more rows not"] * 2
    assert scan_page(scan, 100).count("250 more rows not shown") == 2
    assert ROOM < 12_000_000
    assert max(MOST_ROWS) == 200


def test_only_who_asks_for_a_page_pays_for_it() -> None:
    code = "import sys, winnow_ci.cli, winnow_ci.report, winnow_ci.report.text; sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
