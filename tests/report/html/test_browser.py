"""The page in a real browser: with and without scripts, by keyboard, in the dark, on paper, and under attack."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from support.browser import tab
from support.pages import FORMAT_METER, PYLINT, comparison, copied, moved, report, scan_page, shown_pair, without_text
from support.reports import HOSTILE, hostile
from winnow_ci.model import Skipped
from winnow_ci.model.comparison import ComparisonOptions
from winnow_ci.report.comparison import as_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from support.browser import Tab
    from winnow_ci.model.findings import ScanReport

GAP = (*FORMAT_METER[:3], *[(None, f"more = {number}") for number in range(20)], *FORMAT_METER[3:])
PLAIN = [(line, line) for line, _ in FORMAT_METER if line]
ATTACKS = (
    HOSTILE,
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "</noscript></template></style></script><script>alert(3)</script>",
    "<!--<script>]]>--!><svg onload=alert(4)>",
    "\"'><iframe src=javascript:alert(5)></iframe> onmouseover=alert(6) style=color:red ",
    "{{ 7 * 7 }}{% raw %}{# x #}${7*7}",
    "\0\ufffe\udcff\ud800\u202etxt.exe\u2066",
    "javascript:alert(7)",
    'https://example.org/"onclick="alert(8)',
    "&lt;b&gt;&#60;script&#62;alert(9)",
)
NUMBER = 16


def several() -> ScanReport:
    """A finding of each sort: renamed, folded, allowed and moved, without text, identical, weak."""
    return report(
        copied(FORMAT_METER)._replace(denied=True),
        copied(GAP, PYLINT, "src/gap.py")._replace(level="warning"),
        moved()._replace(suppressed="inline", reason="asked Ada"),
        without_text(copied(FORMAT_METER, path="src/other.py"))._replace(tokens=700),
        copied(PLAIN, path="src/same.py", origin="same.py")._replace(identical=True, tokens=600),
        copied(PLAIN, path="src/weak.py")._replace(strength="weak", level="note", in_text=True),
    )


def many(count: int) -> ScanReport:
    """Findings in files of rising numbers."""
    numbers = range(1, count + 1)
    return report(*(copied(PLAIN, path=f"src/{number:04}.py", origin=f"{number}.py") for number in numbers))


def anchor(number: int) -> str:
    """The name of the finding with that number in ``report``."""
    return f"f-{number:0{NUMBER}x}"


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Opens the page of a report; at the end nothing may have happened that should not."""
    showing = Show(browser, tmp_path)
    yield showing
    showing.close()


class Show:
    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser, self._folder = browser, folder
        self._open: list[tuple[Tab, object]] = []

    def __call__(self, scan: ScanReport, start: str = "", **context: object) -> Tab:
        return self.html(scan_page(scan), start, **context)

    def html(self, text: str, start: str = "", **context: object) -> Tab:
        file = self._folder / f"{len(self._open)}.html"
        file.write_text(text, encoding="utf-8")
        manager = tab(self._browser, file, **context)
        opened = manager.__enter__()
        self._open.append((opened, manager))
        return opened.open(start)

    def close(self) -> None:
        for opened, manager in self._open:
            manager.__exit__(None, None, None)  # type: ignore[attr-defined]
            assert opened.events == []


# ---- what is seen


def test_the_overview_comes_first_and_findings_open_one_at_a_time(show: Show) -> None:
    seen = show(several())
    assert seen.visible("h1") == ["winnow-ci 3 errors, 1 of them denied · 1 warning · 1 note · 1 allowed"]
    assert [re.sub(r"\s+", " ", row)[:14] for row in seen.visible("#list tbody tr")] == [
        "1 denied src/p", "2 error src/ot", "3 error src/sa", "4 warning src/", "6 allowed src/"
    ]  # fmt: skip
    assert seen.visible("#shown") == ["5 of 6"]
    assert seen.visible("article") == []
    seen.page.click("text=src/gap.py:11-16")
    assert seen.heading == "warning src/gap.py:11-16"
    assert seen.visible("#overview") == []
    seen.page.click("article.open >> text=all")
    assert seen.visible("article") == []
    # Weak notes are folded until somebody asks for them.
    seen.page.check("input[value=weak]")
    assert len(seen.visible("#list tbody tr")) == 6


def test_nothing_of_a_finding_is_parsed_before_it_is_opened(show: Show) -> None:
    seen = show(several())
    count = "document.querySelectorAll('article *:not(noscript)').length"
    assert seen.page.evaluate(count) == 0
    seen.page.click("text=src/gap.py:11-16")
    assert seen.page.evaluate("document.querySelectorAll('article noscript').length") == 5
    assert seen.page.evaluate(count) > 100


def test_a_finding_can_be_linked(show: Show) -> None:
    assert show(several(), anchor(2)).heading == "warning src/gap.py:11-16"


@pytest.mark.parametrize("script", [True, False])
def test_all_that_matters_is_there_with_and_without_scripts(show: Show, script: bool) -> None:
    seen = show(several(), anchor(1), java_script_enabled=script)
    (article,) = [text for text in seen.visible("article") if "src/progress.py" in text]
    for said in (
        "tqdm 4.70.1, std.py:462-469",
        "MPL-2.0 AND MIT, denied",
        "renamed",
        "100%, 801 of 801 tokens",
        "total → whole",
    ):
        assert said in article
    assert "def format_meter(done, whole, seconds, width=None):" in article
    assert "def format_meter(n, total, elapsed, ncols=None):" in article
    assert f"winnow-ci approve {anchor(1)[2:]} --reason TEXT" in article
    assert len(seen.visible("article")) == (1 if script else 6)
    assert seen.visible(".sign") == []


def test_without_scripts_nothing_is_offered_that_does_not_work(show: Show) -> None:
    seen = show(several(), java_script_enabled=False)
    assert seen.visible(".controls, .pages, .copier") == []
    assert len(seen.visible("#list tbody tr")) == 6
    summary = seen.page.locator("summary", has_text="23 lines only in the source")
    assert not seen.page.get_by_text("more = 7", exact=True).is_visible()
    summary.click()
    assert seen.page.get_by_text("more = 7", exact=True).is_visible()


def test_corresponding_lines_stand_beside_each_other(show: Show) -> None:
    seen = show(several(), anchor(1))
    places = seen.page.evaluate(
        """[...document.querySelectorAll("article.open .rows tr")].map(
            row => [0, 2].map(number => row.cells[number].getBoundingClientRect()))"""
    )
    assert len(places) == len(FORMAT_METER)
    assert all(here["y"] == there["y"] for here, there in places)
    assert len({there["x"] for _, there in places}) == 1


def test_pointing_at_a_name_outlines_it_on_both_sides(show: Show) -> None:
    seen = show(several(), anchor(1))
    seen.page.hover("article.open .rows b.p0 >> nth=0")
    assert set(seen.visible("article.open .rows .lit")) == {"whole", "total"}
    assert seen.visible("article.open .chips .lit") == ["total → whole 6"]
    seen.page.hover("h1")
    assert seen.visible(".lit") == []
    seen.page.focus("article.open .chips button >> nth=1")
    assert set(seen.visible("article.open .rows .lit")) == {"done", "n"}


def test_each_of_27_pairs_has_a_look_of_its_own_and_the_rest_are_neutral(show: Show) -> None:
    names = [f"{letter}{number}" for number in range(1, 10) for letter in "abcd"]
    many_names = copied([(f"{name} = 1", f"old_{name} = 1") for name in names])
    seen = show(report(many_names), anchor(1))
    look = """[...document.querySelectorAll('article.open .rows td:nth-child(2) b')].map(one => {
        const is = getComputedStyle(one);
        return [is.color, is.backgroundColor, is.borderBottomStyle, is.borderBottomColor].join();
    })"""
    looks = seen.page.evaluate(look)
    assert len(looks) == 36
    assert len(set(looks[:27])) == 27
    assert len(set(looks[27:])) == 1
    assert looks[27] not in looks[:27]


def test_the_shape_of_the_source_is_drawn_if_its_text_is_not_known(show: Show) -> None:
    seen = show(several(), anchor(4))
    assert "The text of this source is not available." in seen.visible("article.open .notice")[0]
    labels = [one.get_attribute("aria-label") for one in seen.page.locator("article.open .rows svg").all()]
    assert labels[0] == "14 tokens"


def test_an_incomplete_scan_says_so_first(show: Show) -> None:
    scan = several()._replace(skipped=(Skipped("big.c", "larger than 64 MiB", "not-scanned"),))
    seen = show(scan)
    assert seen.visible("h1")[0].startswith("winnow-ci INCOMPLETE")
    assert "big.c: larger than 64 MiB" in seen.visible(".incomplete")[0]


def test_the_dark_is_dark(show: Show) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    colours = [show(several(), color_scheme=scheme).page.evaluate(background) for scheme in ("light", "dark")]
    assert colours == ["rgb(255, 255, 255)", "rgb(20, 24, 29)"]


# ---- the list


def test_words_and_levels_filter_the_list(show: Show) -> None:
    seen = show(several())
    rows = "#list tbody tr"
    seen.page.fill("#words", "PYLINT gap")
    assert len(seen.visible(rows)) == 1
    assert seen.visible("#shown") == ["1 of 6"]
    seen.page.fill("#words", anchor(5))
    assert "src/same.py" in seen.visible(rows)[0]
    seen.page.fill("#words", "")
    seen.page.check("input[value=weak]")
    seen.page.uncheck("input[value=error]")
    seen.page.uncheck("input[value=denied]")
    assert [row.split()[1] for row in seen.visible(rows)] == ["warning", "weak", "allowed"]
    seen.page.click("text=src/weak.py:11-16")
    assert seen.visible("article.open .place") == ["entry 2 of 3"]
    seen.press("j")
    assert seen.heading == "allowed src/files.py:7-30"
    seen.press("j")
    assert seen.heading == "allowed src/files.py:7-30"


def test_a_name_beside_a_bar_filters_by_it(show: Show) -> None:
    seen = show(several())
    seen.page.click(".chart button >> text=pylint 4.1.4")
    assert len(seen.visible("#list tbody tr")) == 2
    assert seen.page.input_value("#words") == "pylint 4.1.4"


def test_findings_can_be_grouped_by_source(show: Show) -> None:
    seen = show(several())
    seen.page.check("input[value=weak]")
    seen.page.check("#grouped")
    assert seen.visible("#list tr.group") == ["tqdm 4.70.1: 4 findings", "pylint 4.1.4: 2 findings"]
    seen.press("j", "j", "j", "j", "Enter")
    assert seen.heading == "warning src/gap.py:11-16"


def test_a_long_list_has_pages(show: Show) -> None:
    seen = show(many(450))
    rows = seen.page.locator("#list tbody tr")
    assert rows.count() == 200
    assert "1–200 of 450" in seen.visible(".pages")[0]
    seen.page.click(".pages >> text=next")
    seen.page.click(".pages >> text=next")
    assert rows.count() == 50
    assert "src/0401.py" in rows.first.inner_text()
    seen.press("k")
    assert rows.count() == 200
    seen.press("Enter")
    assert seen.heading == "error src/0400.py:11-16"
    seen.press("j", "u")
    assert rows.count() == 50
    seen.page.fill("#words", "0449")
    assert rows.count() == 1
    assert seen.visible(".pages") == []


def test_without_scripts_a_long_list_is_whole(show: Show) -> None:
    assert show(many(201), java_script_enabled=False).page.locator(".list tbody tr").count() == 201


# ---- the keyboard


def test_the_keys_do_what_the_page_says(show: Show) -> None:
    seen = show(several())
    seen.press("j", "j", "k", "Enter")
    assert seen.heading == "error src/other.py:11-16"
    seen.press("j")
    assert seen.heading == "error src/same.py:11-16"
    seen.press("k", "k")
    assert seen.heading == "denied src/progress.py:11-16"
    assert seen.page.evaluate("document.activeElement.tagName") == "H2"
    seen.press("u")
    assert seen.heading == ""
    assert seen.page.evaluate("document.activeElement.textContent") == "src/progress.py:11-16"
    seen.press("Enter", "Escape", "Enter", "/")
    assert seen.page.evaluate("document.activeElement.id") == "words"
    seen.page.keyboard.type("njk")
    assert seen.visible("#shown") == ["0 of 6"]
    seen.press("Escape")
    assert seen.page.evaluate("document.activeElement.id") == ""


def test_n_goes_from_difference_to_difference(show: Show) -> None:
    seen = show(several(), anchor(1))
    stop = "article.open .rows .stop td:nth-child(2)"
    stops = []
    for _ in range(5):
        seen.press("n")
        stops.append(seen.visible(stop)[0].strip())
    assert stops == [
        "def format_meter(done, whole, seconds, width=None):",
        "",
        "if whole and done >= whole + 0.5:",
        "left = seconds * whole",
        "def format_meter(done, whole, seconds, width=None):",
    ]


def test_n_opens_a_fold(show: Show) -> None:
    seen = show(several(), anchor(2))
    seen.press("n", "n")
    assert seen.page.locator("article.open details[open]").count() == 1


def test_p_prints(show: Show) -> None:
    seen = show(several())
    seen.page.evaluate("window.print = () => { window.printed = true; }")
    seen.press("p")
    assert seen.page.evaluate("window.printed")


def test_keys_of_the_browser_are_left_alone(show: Show) -> None:
    seen = show(several())
    seen.press("Control+j", "Alt+Enter", "Meta+u")
    assert seen.heading == ""


# ---- paper


def sheets(pdf: bytes) -> int:
    """How many pages a PDF has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.mark.parametrize("script", [True, False])
def test_on_paper_each_finding_begins_a_page(show: Show, script: bool) -> None:
    seen = show(many(3), java_script_enabled=script)
    pdf = seen.page.pdf(prefer_css_page_size=True, print_background=True)
    assert sheets(pdf) == 4
    assert re.findall(rb"/MediaBox \[0 0 (\d+)", pdf)[0] in {b"841", b"842"}
    seen.page.emulate_media(media="print")
    assert seen.visible("nav, .controls, .copier") == []


def test_from_a_finding_only_that_is_printed(show: Show) -> None:
    seen = show(several(), anchor(1))
    assert sheets(seen.page.pdf(prefer_css_page_size=True)) == 1
    seen.page.emulate_media(media="print")
    assert seen.visible("article.open nav, .top, .controls, .copier, footer") == []
    assert seen.visible(".sign") == ["Decision\nName, date\nSignature"]
    assert seen.visible("article.open .rows tr")
    assert seen.page.evaluate("getComputedStyle(document.querySelector('.open .heads')).fontWeight") == "600"


def test_what_the_filter_hides_is_not_printed(show: Show) -> None:
    seen = show(many(3))
    seen.page.fill("#words", "0002")
    assert sheets(seen.page.pdf(prefer_css_page_size=True)) == 2
    seen.page.fill("#words", "")
    assert sheets(seen.page.pdf(prefer_css_page_size=True)) == 4


def test_on_a_phone_nothing_is_wider_than_the_screen(show: Show) -> None:
    long = report(*several().findings, copied(FORMAT_METER, path=f"src/{'deep/' * 30}{'n' * 90}.py", origin="b.py"))
    for start in ("", anchor(1), anchor(2), anchor(4), anchor(7)):
        seen = show(long, start, viewport={"width": 420, "height": 800})
        assert seen.page.evaluate("document.documentElement.scrollWidth") == 420
    assert show(long, viewport={"width": 420, "height": 800}).visible("#list thead") == []


def test_what_to_do_stands_above_the_code(show: Show) -> None:
    for number in (1, 2):
        seen = show(several(), anchor(number))
        advice, code = (seen.page.locator(f"article.open {one}").bounding_box() for one in (".advice", ".panes"))
        assert advice is not None
        assert code is not None
        assert advice["y"] < code["y"]


def test_the_legend_has_what_the_code_has(show: Show) -> None:
    (legend,) = show(report(copied(PLAIN))).open(anchor(1)).visible("article.open .legend")
    assert "changed name" not in legend
    (legend,) = show(several(), anchor(1)).visible("article.open .legend")
    assert "changed name" in legend


def test_in_the_dark_paper_stays_as_in_the_light(show: Show) -> None:
    looks = []
    for scheme in ("light", "dark"):
        seen = show(several(), anchor(1), color_scheme=scheme)
        seen.page.emulate_media(media="print", color_scheme=scheme)
        looks.append(seen.page.screenshot())
    assert looks[0] == looks[1]


# ---- for everybody


@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 1400), ("light", 420)])
def test_axe_finds_nothing_to_complain_of(show: Show, scheme: str, width: int) -> None:
    scan = several()._replace(skipped=(Skipped("a.c", "larger than 64 MiB", "not-scanned"),), notices=("a notice",))
    seen = show(scan, color_scheme=scheme, viewport={"width": width, "height": 900})
    axe = Axe()
    for place in ("overview", anchor(1), anchor(3), anchor(4)):
        seen.page.evaluate(f"location.hash = '{place}'")
        seen.page.wait_for_function(f"location.hash === '#{place}'")
        found = axe.run(seen.page).response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found] == [], place


# ---- under attack


def attacked() -> ScanReport:
    """Each attack wherever a text of others can stand, in a finding with both sides and in one without."""
    scans = []
    for text in ATTACKS:
        code = copied([(f"x {text}", f"y {text}"), (None, text), (text, None)])
        (bad,) = hostile(text).findings
        both = bad._replace(beside=code.beside), bad._replace(beside=without_text(code).beside, level="warning")
        scans.append(hostile(text)._replace(findings=(*both, both[0]), notices=(text,)))
    findings = tuple(one for scan in scans for one in scan.findings)
    skipped = tuple(skip for scan in scans for skip in scan.skipped)
    return scans[0]._replace(findings=report(*findings).findings, skipped=skipped, notices=ATTACKS)


@pytest.mark.parametrize("script", [True, False])
def test_names_and_code_of_others_stay_text(show: Show, script: bool) -> None:
    seen = show(attacked(), java_script_enabled=script)
    if script:
        seen.page.check("#grouped")
        seen.page.hover("#list a >> nth=0")
        seen.press("j", "k", "Enter", *["n", "j"] * (2 * len(ATTACKS)))
        assert seen.page.locator("article noscript").count() == 0
    # Whatever was asked for in between has had its time.
    seen.page.wait_for_timeout(100)
    assert seen.page.locator("article h2").count() == 2 * len(ATTACKS)
    assert seen.page.locator("script").count() == 1
    assert seen.page.locator("img, iframe, object, embed, link, base, form:not(.controls), [style]").count() == 0
    hrefs = {one.get_attribute("href") or "" for one in seen.page.locator("a").all()}
    assert all(href.startswith(("#", "https://")) for href in hrefs)
    assert not re.search("[\u202e\u2066\0]", seen.page.content())


# ---- the page of a comparison


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_comparison_is_made_of_the_same_parts(show: Show, scheme: str) -> None:
    pairs = [shown_pair(), shown_pair(PLAIN)]
    seen = show.html(as_page(comparison(), ComparisonOptions(), pairs), color_scheme=scheme)
    assert len(seen.visible("#list tbody tr")) == 2
    axe = Axe()
    assert [one["id"] for one in axe.run(seen.page).response["violations"]] == []
    seen.press("j", "Enter")
    assert seen.heading == "a.py | b.py"
    assert seen.visible("article.open .place") == ["entry 2 of 2"]
    seen.press("k")
    assert "def format_meter(n, total, elapsed, ncols=None):" in seen.visible("article.open .rows")[0]
    assert [one["id"] for one in axe.run(seen.page).response["violations"]] == []
    seen.press("u", "/")
    seen.page.keyboard.type("nothing")
    assert seen.visible("#list tbody tr") == []


@pytest.mark.parametrize("script", [True, False])
def test_compared_names_and_code_stay_text(show: Show, script: bool) -> None:
    pairs = [shown_pair([(f"x {text}", f"y {text}"), (None, text)], text) for text in ATTACKS]
    html = as_page(comparison("".join(ATTACKS)), ComparisonOptions(), pairs)
    seen = show.html(html, java_script_enabled=script)
    if script:
        seen.press("Enter", *["j"] * len(ATTACKS))
    seen.page.wait_for_timeout(100)
    assert seen.page.locator("article h2").count() == len(ATTACKS)
    assert seen.page.locator("script").count() == 1
    assert seen.page.locator("img, iframe, svg[onload], form:not(.controls), [style]").count() == 0
