from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from support.reports import ANY_TEXT, CASES, STYLE, finding, hostile
from winnow_ci.model import Skipped
from winnow_ci.model.changes import WebRepository
from winnow_ci.report import FORMATS, ReportStyle, markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

    from winnow_ci.model.findings import Finding, ScanReport

BASE = CASES["none"]
LIMIT = 1024 * 1024


def _rendered(report: ScanReport) -> str:
    return FORMATS["markdown"](report, STYLE)


def _tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
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
    assert re.fullmatch(r"[\w :;,.()/%'-]*", own), own
    # One row of cells, the code and the coverage in a fence each: none broken open, none swallowed.
    assert sum(token.type == "td_open" for token in tokens) == 6
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
    assert cells[1:3] == [r"a\x7cb\x3cc\x60d\.c:10-42", "GPL-2.0-only OR MIT"]


@pytest.mark.parametrize(
    "url", ["https://x.example/)", "javascript:alert(1)", "https://x.example/ [a](b)", "https://a_b"]
)
def test_only_plain_addresses_are_links(url: str) -> None:
    one = finding()
    source = one.source.file.source._replace(url=url)
    place = one.source._replace(file=one.source.file._replace(source=source))
    rendered = _rendered(BASE._replace(findings=(one._replace(source=place),)))
    assert not [token for token in _tokens(rendered) if token.type == "link_open"]
    links = [token.attrs["href"] for token in _tokens(_rendered(CASES["one"])) if token.type == "link_open"]
    assert links == ["https://curl.se"] * 2


@pytest.mark.parametrize("name", ["a.c", "\U000e0001" * 2000, "\U0001f600" * 200])
def test_it_stays_below_the_limit_and_says_what_it_left_out(name: str) -> None:
    findings = tuple(
        finding(path=f"{number}{name}")._replace(id=str(number), excerpt=(name * 50,) * 6) for number in range(5000)
    )
    worst = finding(path="z.c")._replace(id="worst", tokens=10**6)
    skipped = tuple(Skipped(f"{number}{name}", name, "not-scanned") for number in range(500))
    rendered = _rendered(BASE._replace(findings=(*findings, worst), skipped=skipped))
    assert 300_000 < len(rendered.encode()) < LIMIT
    assert "`z.c:10-42`" in rendered
    listed = sum(line.startswith("| error | `") and line.count("|") == 7 for line in rendered.splitlines()) - 1
    assert listed < 5001
    assert f"These tables are full. Not shown: {5001 - listed:,} of 5,001 findings." in rendered
    assert sum(line.startswith("### `") for line in rendered.splitlines()) == 1 + 20
    assert "\nCode not shown: 4,981 more findings.\n" in rendered


def test_an_incomplete_scan_never_looks_clean() -> None:
    skipped = (Skipped("a.c", "larger than 64 MiB", "not-scanned"), Skipped("b", "symbolic link", "out-of-scope"))
    rendered = _rendered(BASE._replace(skipped=skipped))
    assert rendered.startswith("## winnow-ci: incomplete: 1 file not scanned; in the others no findings\n")
    assert "**This is not a clean result:** 1 file could not be scanned." in rendered
    assert "1 skipped (1 symbolic link), 1 NOT scanned\nwinnow-ci: not scanned: a.c: larger than 64 MiB\n" in rendered


HEAD = "5" * 40
WEB = WebRepository("https://github.com/octo/widget", "github")


def _linked(report: ScanReport, web: WebRepository = WEB) -> list[str]:
    report = report._replace(scope=report.scope._replace(head=HEAD))
    tokens = _tokens(FORMATS["markdown"](report, ReportStyle(repository=web)))
    return [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]


@pytest.mark.parametrize(
    "path", ["src/a.c", "a b/(x)[y].c", "ü`|<>.c", "é/\udcff.c", "a#b?c%20&d.c", "_a_*b*~c~.c", "\n::x"]
)
def test_lines_are_links_to_their_commit(path: str) -> None:
    at, source, again, _ = _linked(BASE._replace(findings=(finding(path=path),)))
    assert source == "https://curl.se"
    assert at == again
    prefix, suffix = f"https://github.com/octo/widget/blob/{HEAD}/", "#L10-L42"
    assert at.startswith(prefix)
    assert at.endswith(suffix)
    assert unquote_to_bytes(at[len(prefix) : -len(suffix)]) == path.encode("utf-8", "surrogateescape")


def test_links_have_the_form_of_the_service() -> None:
    gitlab = WebRepository("https://lab.example:8080/a/b/c", "gitlab")
    report = BASE._replace(findings=(finding(), finding(first=7, last=7)))
    assert {link.rpartition("/")[2] for link in _linked(report, gitlab) if HEAD in link} == {"a.c#L10-42", "a.c#L7"}
    assert _linked(report, gitlab)[0].startswith(f"https://lab.example:8080/a/b/c/-/blob/{HEAD}/src/")


def test_what_is_not_committed_has_no_link() -> None:
    rendered = FORMATS["markdown"](BASE._replace(findings=(finding(),)), ReportStyle(repository=WEB))
    assert "octo" not in rendered


def test_what_is_denied_comes_first() -> None:
    findings = (finding(path="big.c")._replace(tokens=9000), finding("GPL-3.0-only", path="z.c")._replace(denied=True))
    rows = [line for line in _rendered(BASE._replace(findings=findings)).splitlines() if line.startswith("| error")]
    assert [row.split(" | ")[:2] for row in rows] == [["| error, denied", "`z.c:10-42`"], ["| error", "`big.c:10-42`"]]


def _sixty() -> tuple[Finding, ...]:
    licences = ("MIT", "ISC", "GPL-3.0-only")
    return tuple(
        finding(licences[number % 3], path=f"vendored{number % 5}/{number:02}.c")._replace(
            id=f"{number:016x}", level="error" if number % 3 == 2 else "warning", denied=number % 3 == 2
        )
        for number in range(60)
    )


def test_of_many_findings_a_table_of_sources_comes_first() -> None:
    lines = _rendered(BASE._replace(findings=_sixty())).splitlines()
    at = lines.index("| Level | Source | Findings | Lines | Files | Licences |")
    assert lines[at + 2] == "| error, denied | `curl 8.1.0` | 60 | 1,980 | 60 | `GPL-3.0-only, MIT, ISC` |"
    assert sum(line.endswith("` |") and line.count("|") == 7 for line in lines) == 60 + 1
    assert "Code not shown: 40 more findings." in lines


def test_findings_are_grouped_as_asked_for() -> None:
    report = BASE._replace(findings=_sixty())
    lines = FORMATS["markdown"](report, ReportStyle(group_by="licence")).splitlines()
    at = lines.index("| Level | Licence | Findings | Lines | Files | Sources |")
    assert [line.split(" | ")[:3] for line in lines[at + 2 : at + 5]] == [
        ["| error, denied", "`GPL-3.0-only`", "20"],
        ["| warning", "`MIT`", "20"],
        ["| warning", "`ISC`", "20"],
    ]
    assert [line for line in lines if line.startswith("###")] == ["### `GPL-3.0-only`", "### `MIT`", "### `ISC`"]
    assert sum(line.startswith("```") for line in lines) == 2


@given(ANY_TEXT)
def test_why_there_was_no_scan_is_said_and_is_no_markup(text: str) -> None:
    rendered = markdown.render_failure([f"problem {text}", f"remedy {text}"])
    tokens = list(_tokens(rendered))
    assert rendered.startswith("## winnow-ci: could not scan\n")
    assert sum(token.type == "fence" for token in tokens) == 1
    assert sum(token.type == "heading_open" for token in tokens) == 1
    (said,) = (token.content.splitlines() for token in tokens if token.type == "fence")
    assert [line.partition(" ")[0] for line in said] == ["problem", "remedy"]
