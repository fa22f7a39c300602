"""What the documentation names exists: files and headings it links to, modules, benchmarks. And it stays short."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

from support.command import environment
from support.documentation import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]
)
SOURCES = [str(file) for folder in ("src", "tests", "benchmarks", "tools") for file in (ROOT / folder).rglob("*.py")]
FOREIGN = {
    "setup.py",
    "winnow_ci.py",
    "asyncio/locks.py",
    "threading.py",
    "urls.py",
    "multiprocessing/pool.py",
    "profile.py",
    "program.py",
}
MODULE = re.compile(r"^[\w/]+\.py$")
PROGRAM = re.compile(r"(?<![\w/])(?:tests|benchmarks|experiments|tools)(?:/[a-z]\w+)+(?:\.py)?(?![\w./])")
NUMBER = re.compile(r"\d{4}")


def tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def inline(page: Path) -> Iterator[Token]:
    for token in tokens(page):
        yield from token.children or ()


def anchors(page: Path) -> set[str]:
    """Anchors of the headings, as GitHub makes them."""
    found = tokens(page)
    headings = [after.children or [] for token, after in pairwise(found) if token.type == "heading_open"]
    texts = ("".join(part.content for part in heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in texts}


def links(page: Path) -> Iterator[str]:
    for token in inline(page):
        target = token.attrs.get("href") or token.attrs.get("src")
        if target and not urlsplit(str(target)).scheme:
            yield unquote(str(target))


def linked(page: Path) -> set[Path]:
    """The files and folders that a page links to."""
    return {(page.parent / link.partition("#")[0]).resolve() for link in links(page) if not link.startswith("#")}


def is_there(path: str) -> bool:
    return (ROOT / path).exists() or any(file.endswith(f"/{path}") for file in SOURCES)


def exists(dotted: str) -> bool:
    """Whether this is a module of the package, or a name in one."""
    module, _, name = dotted.rpartition(".")
    try:
        return hasattr(importlib.import_module(module), name) or bool(importlib.import_module(dotted))
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_and_programs_exist(page: Path) -> None:
    for token in tokens(page):
        code = [part.content for part in token.children or () if part.type == "code_inline"]
        for text in [*code, *([token.content] if token.type in {"fence", "code_block"} else [])]:
            for path in {*MODULE.findall(text), *PROGRAM.findall(text)} - FOREIGN:
                assert is_there(path), path
            for dotted in set(re.findall(r"^winnow_ci(?:\.\w+)+", text)) - FOREIGN:
                assert exists(dotted), dotted


def test_packages_and_types_of_the_glossary_exist() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "winnow_ci"
    code = "".join(file.read_text(encoding="utf-8") for file in package.rglob("*.py"))
    for places in re.findall(r"\| (`[^|]*) \|$", text, re.MULTILINE):
        for place in re.findall(r"`([^`]+)`", places):
            known = re.search(rf"^(class )?{place}\b( = |[:(])", code, re.MULTILINE)
            assert known if place[0].isupper() else importlib.import_module(f"winnow_ci.{place}".replace("/", ".")), (
                place
            )


def test_a_decision_has_the_number_of_its_file() -> None:
    for page in (ROOT / "docs" / "decisions").iterdir():
        number, heading = NUMBER.match(page.name), page.read_text(encoding="utf-8").partition("\n")[0]
        assert number, page.name
        assert heading.startswith(f"# {number[0]}. "), heading


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.is_relative_to(ROOT):
            reached.add(page)
            targets = linked(page)
            waiting += [target for target in targets if target.suffix == ".md"]
            waiting += [file for target in targets if target.is_dir() for file in target.glob("*.md")]
    assert set(PAGES) <= reached, set(PAGES) - reached


def test_every_page_of_the_documentation_is_in_a_list_of_its_first_page() -> None:
    first = ROOT / "docs" / "README.md"
    listed = linked(first)
    assert set((ROOT / "docs").rglob("*.md")) - set((ROOT / "docs" / "decisions").iterdir()) - {first} <= listed


def words(page: Path) -> int:
    """How many words a page has, counted as `wc -w` counts them."""
    return len(page.read_bytes().split())


def tracked_pages() -> list[Path]:
    """Every page of Markdown that git has, or will have."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    command = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in listed if name and (ROOT / name).exists()]


def test_the_documentation_is_a_guide_and_no_library() -> None:
    counted = {str(page.relative_to(ROOT)): words(page) for page in tracked_pages()}
    assert len(counted) > 30
    assert sum(counted.values()) <= 38_000
    assert {name: count for name, count in counted.items() if count > 3_500} == {}
    assert counted["README.md"] <= 700


def test_few_decisions_are_left_and_each_is_short() -> None:
    decisions = list((ROOT / "docs" / "decisions").iterdir())
    assert 0 < len(decisions) <= 15
    assert {page.name: words(page) for page in decisions if words(page) > 250} == {}


def test_no_page_for_users_leads_into_a_decision() -> None:
    decisions = ROOT / "docs" / "decisions"
    may = {ROOT / "CONTRIBUTING.md", ROOT / "docs" / "architecture.md", *decisions.iterdir()}
    for page in {*PAGES, ROOT / "CHANGELOG.md"} - may:
        # The first page lists all parts of the site, and so the folder, but no decision.
        allowed = {decisions} if page == ROOT / "docs" / "README.md" else set()
        assert {target for target in linked(page) if target.is_relative_to(decisions)} <= allowed, page


def test_the_readme_shows_what_the_demo_prints() -> None:
    demo = ROOT / "demo" / "demo.py"
    if not demo.exists():
        pytest.skip("a source distribution has no demo")
    (shown,) = blocks(ROOT / "README.md", "")
    if f"tqdm {version('tqdm')} " not in shown:
        pytest.skip("the README shows a copy from another version of tqdm")
    done = subprocess.run(
        [sys.executable, demo], env=environment(), capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    # Standard error stands apart here, and ids depend on the day.
    printed = [re.sub(r"\b[0-9a-f]{12,16}\b", "ID", line) for line in (done.stderr + done.stdout).splitlines()]
    for line in shown.splitlines():
        assert re.sub(r"\b[0-9a-f]{12,16}\b", "ID", line) in printed, line


def rows(page: str) -> dict[str, list[str]]:
    """The rows of all tables of a page, by their first cell."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").replace("*", "")
    found = (re.split(r" *\| *", line)[1:-1] for line in re.findall(r"^\|.*\|$", text, re.MULTILINE))
    return {first: others for first, *others in found}


def test_no_cell_about_other_tools_is_empty_and_every_note_is_there() -> None:
    page = rows("beside-other-tools.md")
    copies, any_tool = ({name: cells for name, cells in page.items() if len(cells) == columns} for columns in (8, 7))
    assert len(copies) > 20
    assert len(any_tool) > 20
    table = copies | any_tool
    assert [name for name, cells in table.items() if not all(cells)] == []
    text = (ROOT / "docs" / "beside-other-tools.md").read_text(encoding="utf-8")
    notes = {number for cells in table.values() for number in re.findall(r"\((\d)\)", " ".join(cells))}
    assert notes == set(re.findall(r"^(\d)\. ", text, re.MULTILINE))
    for name, (ours, *_) in table.items():
        assert not ours.startswith(("no", "–")) or re.search(r"\(\d\)$", ours) or ours.startswith("["), name


def walk() -> list[tuple[str, str]]:
    """Module and function of each step of the walk through the house."""
    rows = re.findall(r"^\| \d+ \|.*\| ([^|]+) \|$", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    return [step for row in rows for step in re.findall(r"`([\w/]+)\.py`: `(\w+)`", row)]


def test_the_walk_of_a_changed_file_has_at_most_ten_steps_and_each_is_where_it_says() -> None:
    rows = re.findall(r"^\| \d+ \|", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    assert 5 <= len(rows) <= 10
    assert len(walk()) >= len(rows)
    for module, name in walk():
        found = getattr(importlib.import_module(f"winnow_ci.{module.replace('/', '.')}"), name)
        assert found.__module__ == f"winnow_ci.{module.replace('/', '.')}"
