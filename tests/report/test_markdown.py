from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile
from winnow_ci.model import Skipped
from winnow_ci.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

    from winnow_ci.model.findings import ScanReport

BASE = CASES["none"]
LIMIT = 1024 * 1024


def _rendered(report: ScanReport) -> str:
    return FORMATS["markdown"](report, STYLE)


def _tokens(markdown: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        yield token
        yield from token.children or ()


@given(ANY_TEXT)
@example("` `` ``` ~~~")
@example("\\")
@example("a | b")
@example("<!-- <script>alert(1)</script> &amp; http://x.example @someone #1 **b** ![i](u) [l](u)")
def test_names_and_code_are_never_markup(text: str) -> None:
    tokens = list(_tokens(_rendered(hostile(text))))
    kinds = {token.type for token in tokens}
    assert kinds.isdisjoint({"html_block", "html_inline", "image", "em_open", "strong", "hr", "code_block", "s_open"})
    assert {token.attrs["href"] for token in tokens if token.type == "link_open"} <= {text}
    own = " ".join(token.content for token in tokens if token.type == "text")
    assert re.fullmatch(r"[\w :;,.()%-]*", own), own
    # One row of cells, the code and the coverage in a fence each: none broken open, none swallowed.
    assert sum(token.type == "td_open" for token in tokens) == 5
    assert sum(token.type == "fence" for token in tokens) == 2
    assert sum(token.type == "heading_open" for token in tokens) == 2


@given(st.lists(st.text("`~ \\x", max_size=12), min_size=1, max_size=6))
def test_code_stays_in_its_fence(code: list[str]) -> None:
    report = BASE._replace(findings=(finding()._replace(excerpt=tuple(code)),))
    frame, covered = (token for token in _tokens(_rendered(report)) if token.type == "fence")
    assert [line.partition(" │")[2].strip() for line in frame.content.splitlines()[: len(code)]] == [
        line.strip() for line in code
    ]
    assert covered.content.startswith("winnow-ci: compared ")
    assert frame.markup not in frame.content


def test_a_cell_keeps_what_it_can_of_a_name() -> None:
    report = BASE._replace(findings=(finding(path="a|b<c`d\\.c", license="GPL-2.0-only OR MIT"),))
    cells = [token.content for token in _tokens(_rendered(report)) if token.type == "code_inline"]
    assert cells[:2] == [r"a\x7cb\x3cc\x60d\.c:10-42", "GPL-2.0-only OR MIT"]


@pytest.mark.parametrize(
    "url", ["https://x.example/)", "javascript:alert(1)", "https://x.example/ [a](b)", "https://a_b"]
)
def test_only_plain_addresses_are_links(url: str) -> None:
    one = finding()
    source = one.source.file.source._replace(url=url)
    place = one.source._replace(file=one.source.file._replace(source=source))
    markdown = _rendered(BASE._replace(findings=(one._replace(source=place),)))
    assert not [token for token in _tokens(markdown) if token.type == "link_open"]
    assert [token.attrs["href"] for token in _tokens(_rendered(CASES["one"])) if token.type == "link_open"] == [
        "https://curl.se"
    ]


@pytest.mark.parametrize("name", ["a.c", "\U000e0001" * 2000, "\U0001f600" * 200])
def test_it_stays_below_the_limit_and_says_what_it_left_out(name: str) -> None:
    findings = tuple(
        finding(path=f"{number}{name}")._replace(id=str(number), excerpt=(name * 50,) * 6) for number in range(5000)
    )
    worst = finding(path="z.c")._replace(id="worst", tokens=10**6)
    skipped = tuple(Skipped(f"{number}{name}", name, "not-scanned") for number in range(500))
    markdown = _rendered(BASE._replace(findings=(*findings, worst), skipped=skipped))
    assert 300_000 < len(markdown.encode()) < LIMIT
    assert "`z.c:10-42`" in markdown
    listed = sum(line.startswith("| error |") for line in markdown.splitlines())
    assert f"Not in this table, for want of room: {5001 - listed:,} findings of 5,001." in markdown
    shown = sum(line.startswith("### ") for line in markdown.splitlines())
    assert f"Code not shown, for want of room: {5001 - shown:,} findings of 5,001." in markdown


def test_an_incomplete_scan_never_looks_clean() -> None:
    skipped = (Skipped("a.c", "larger than 64 MiB", "not-scanned"), Skipped("b", "symbolic link", "out-of-scope"))
    markdown = _rendered(BASE._replace(skipped=skipped))
    assert markdown.startswith("## winnow-ci: incomplete: 1 file not scanned; in the others no findings\n")
    assert "**This is not a clean result:** 1 file could not be scanned." in markdown
    assert "1 skipped (1 symbolic link), 1 NOT scanned\nwinnow-ci: not scanned: a.c: larger than 64 MiB\n" in markdown


def test_suppressed_findings_are_counted_and_not_listed() -> None:
    markdown = _rendered(BASE._replace(findings=(finding()._replace(suppressed="policy"),)))
    assert markdown.startswith("## winnow-ci: no findings, 1 suppressed\n")
    assert "src/a.c" not in markdown
