"""The site: built without a warning from the pages that GitHub shows, and every link in it leads somewhere."""

from __future__ import annotations

import re
import shutil
from argparse import SUPPRESS
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from support.documentation import ROOT, command_of, made

if TYPE_CHECKING:
    from pathlib import Path


class Html(HTMLParser):
    """What a page links to, asks for, and can be linked to by."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.asked: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given["id"]} if "id" in given else set()
        self.links += [given["href"]] if tag == "a" and "href" in given else []
        self.asked += [given[name] for name in ("src", "href") if tag != "a" and name in given]


def pages(site: Path) -> dict[Path, Html]:
    return {page: Html(page) for page in sorted(site.rglob("*.html"))}


def inner(link: str) -> bool:
    return not urlsplit(link).scheme


def test_every_page_of_the_documentation_is_a_page_of_the_site(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        place = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / ("index.html" if str(place) == "README.html" else place)).exists(), page


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    known = pages(site)
    assert len(known) > 50
    for page, html in known.items():
        for link in filter(inner, html.links):
            path, anchor = urldefrag(unquote(link))
            target = (page.parent / path).resolve() if path else page
            assert target.is_file(), (page.name, link)
            assert target not in known or anchor in known[target].anchors, (page.name, link)


def test_links_out_of_the_site_are_of_the_web(site: Path) -> None:
    outer = [link for html in pages(site).values() for link in html.links if not inner(link)]
    assert len(outer) > 10
    for link in outer:
        parts = urlsplit(link)
        assert parts.scheme == "https", link
        assert "." in parts.netloc, link
        assert "<" not in link, link


def test_a_page_asks_for_nothing_outside_of_the_site(site: Path) -> None:
    for page, html in pages(site).items():
        for asked in html.asked:
            assert inner(asked), (page.name, asked)
            assert (page.parent / unquote(urlsplit(asked).path)).exists(), (page.name, asked)


def told(page: Path) -> str:
    """What a page says, without markup and with single spaces."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", page.read_text(encoding="utf-8"))).split())


def test_the_reference_has_every_command_with_its_options(site: Path) -> None:
    page = told(site / "reference" / "commands.html")
    for command in (("scan",), ("index", "add"), ("approve",), ("compare",)):
        parser, _ = command_of(["winnow-ci", *command])
        assert f"winnow-ci {' '.join(command)} " in page
        shown = {name for one in parser._actions if one.help != SUPPRESS for name in one.option_strings}
        assert shown - {"--help"} <= set(re.findall(r"--?[\w-]+", page))
    assert "Look up a change in indexes of known code." in page
    assert "with --update-baseline: " in page


@pytest.mark.parametrize(
    ("place", "wanted"),
    [
        ("winnow-yml", "report.min_tokens integer, 1 to 100,000 "),
        ("winnow-yml", "suppressions.inline never , base , always "),
        ("sources-yml", "sources[].all-tags "),
        ("json", "schema_version 1 "),
        ("json", "findings list of finding "),
        ("json", "also_in list of source "),
        ("json", "expires text or null, not always there "),
    ],
)
def test_the_reference_has_the_keys_of_files_and_what_they_hold(site: Path, place: str, wanted: str) -> None:
    assert wanted in told(site / "reference" / f"{place}.html")


def test_the_first_page_shows_a_finding_and_the_sidebar_is_short(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert ": error: copied and edited from " in told(site / "index.html")
    sidebar = text.partition('class="sidebar-tree"')[2].partition("</aside>")[0]
    assert 10 < len(re.findall(r'<li class="toctree-l1\b', sidebar)) <= 20


MISTAKES = """\
# A small site

[nowhere](nowhere.md), [no heading](#nowhere)

### Too deep

## Pages

- [Decisions](decisions)
- [What has changed](../CHANGELOG.md)
- [Contributing](../CONTRIBUTING.md)
- [Licence](../LICENSE)
"""


def test_a_mistake_in_a_page_fails_the_build(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tools" / "site", tmp_path / "tools" / "site")
    for path in ("docs", "benchmarks/assistants", "benchmarks/quality", "benchmarks/hostile"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "README.md").write_text(MISTAKES if path == "docs" else "# In no list\n")
    (tmp_path / "docs" / "decisions").mkdir()
    for path in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "docs/decisions/0001.md"):
        (tmp_path / path).write_text(f"# {path}\n")
    for schema in (ROOT / "docs").glob("*.json"):
        shutil.copy(schema, tmp_path / "docs")
    done = made(tmp_path / "tools" / "site", tmp_path / "site")
    assert done.returncode == 1
    for said in (
        "index.md:3: WARNING: 'myst' cross-reference target not found: 'nowhere.md'",
        "index.md:3: WARNING: 'myst' cross-reference target not found: 'nowhere'",
        "index.md:5: WARNING: Non-consecutive header level increase",
        "quality.md: WARNING: document isn't included in any toctree",
    ):
        assert said in done.stderr
