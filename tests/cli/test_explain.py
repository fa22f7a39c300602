"""``winnow-ci explain`` tells everything about one finding, and why files were not looked at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from support.command import build, winnow
from support.donor import MERGE_CLOSURES, PLAN, SHORTEST_ROUTE, renamed, write_known

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Ended
    from support.repository import Checkout


@pytest.fixture(scope="module")
def with_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of known code that keeps its text."""
    folder = tmp_path_factory.mktemp("known")
    index = folder / "known.db"
    build(write_known(folder / "source"), index, "--license", "GPL-3.0-only", "--with-text")
    return index


def explain(checkout: Checkout, index: Path, *arguments: str) -> Ended:
    return winnow("explain", *arguments, "--index", index, cwd=checkout.root)


def ids(checkout: Checkout, index: Path, *arguments: str) -> dict[str, str]:
    """Id of the first finding of each file."""
    ended = winnow("scan", *arguments, "--index", index, "--format", "json", cwd=checkout.root)
    return {finding["path"]: finding["id"] for finding in reversed(ended.findings())}


# ---- what a scan shows if it has the text ----------------------------------------------------------------------


def test_a_scan_shows_the_source_and_what_was_renamed(copied: Checkout, with_text: Path) -> None:
    ended = winnow("scan", "src/bookings.py", "--index", with_text, cwd=copied.root)
    lines = ended.output.splitlines()
    assert lines[2].startswith("  renamed: merged→joined, begin→opens, end→shuts, tolerance→slack, span→pair, ")
    assert lines[2].endswith(", … 11 names")
    assert "   4 │ def fuse(reservations, slack=0):" in lines
    assert "  in roads/routes.py:" in lines
    assert "  45 │ def merge_closures(closures, tolerance=0):" in lines
    assert "  to allow it, put this above line 4:  # winnow-ci: allow roads <reason>" in lines
    assert len(lines) < 20


def test_where_the_text_is_known_runs_are_compared_token_by_token(
    copied: Checkout, with_text: Path, known: Path
) -> None:
    found = ids(copied, with_text)
    renamed, verbatim = (explain(copied, with_text, found[path]).output for path in ("src/bookings.py", "src/plan.py"))
    run = "139 tokens, lines 4-17, of the source 45-58"
    assert f"the longest run with names changed one to one: {run}" in renamed
    assert "the longest run of equal tokens: 9 tokens, lines 16-17, of the source 57-58" in renamed
    assert "the longest run of equal tokens: 178 tokens, lines 13-37, of the source 18-42" in verbatim
    assert "one to one:" not in verbatim
    assert "the longest run" not in explain(copied, known, ids(copied, known)["src/plan.py"]).output


def test_a_verbatim_copy_is_shown_once_where_there_is_little_room(copied: Checkout, with_text: Path) -> None:
    ended = winnow("scan", "src/plan.py", "--index", with_text, cwd=copied.root)
    assert ended.output.count("def shortest_route") == 1
    assert "renamed" not in ended.output


def test_of_blocks_in_another_order_each_is_shown_beside_its_source(checkout: Checkout, with_text: Path) -> None:
    checkout.write("src/new.py", f"{renamed(MERGE_CLOSURES.text)}\n\n{renamed(SHORTEST_ROUTE.text)}")
    (finding,) = winnow("scan", "--index", with_text, "--format", "json", cwd=checkout.root).findings()
    assert finding["source"]["start_line"] == SHORTEST_ROUTE.first
    (one, other), excerpts = finding["alignment"], (MERGE_CLOSURES, SHORTEST_ROUTE)
    assert [lines[2] for lines in (one, other)] == [excerpt.first for excerpt in excerpts]
    order = f"in another order: lines {one[0]}-{one[1]} from {one[2]}-{one[3]}, {other[0]}-{other[1]} from "
    for shown in (
        winnow("scan", "--index", with_text, cwd=checkout.root).output,
        explain(checkout, with_text, finding["id"]).output,
    ):
        assert order in shown
        for lines, name, known in ((one, "fuse", MERGE_CLOSURES), (other, "shortest_route", SHORTEST_ROUTE)):
            assert f" {lines[0]} │ def {name}(" in shown
            assert name == "shortest_route" or f" {known.first} │ def merge_closures(" in shown


def test_text_in_the_index_changes_no_finding(copied: Checkout, known: Path, with_text: Path) -> None:
    assert ids(copied, known) == ids(copied, with_text)


def test_copies_with_edits_are_aligned_behind_them(checkout: Checkout, with_text: Path) -> None:
    lines = renamed(MERGE_CLOSURES.text).splitlines(keepends=True)
    lines[5:5] = ["        print('looking at', opens)\n", "        print('up to', shuts)\n"]
    checkout.write("src/new.py", "".join(lines))
    ended = explain(checkout, with_text, ids(checkout, with_text)["src/new.py"])
    names = re.search(r"^names\n(.*?)\n\n", ended.output, re.MULTILINE | re.DOTALL)
    assert names
    pairs = set(re.findall(r"(\w+)→(\w+)", names[1]))
    assert {("total", "amount"), ("longest", "widest"), ("previous_end", "later"), ("span", "pair")} <= pairs
    assert not any(old == new for old, new in pairs)


def test_names_are_told_of_languages_that_pygments_reads(tmp_path: Path, checkout: Checkout) -> None:
    known = (
        "def merge(closures, tolerance)\n  merged = []\n  closures.sort.each do |first, last|\n"
        "    first, last = last, first if last < first\n"
        "    if !merged.empty? && first - merged[-1][1] <= tolerance\n"
        "      before, after = merged.pop\n      merged.push([before, [after, last].max])\n"
        "    elsif last - first > tolerance\n      merged.push([first, last])\n    end\n  end\n"
        "  @total = merged.map { |first, last| last - first }.sum\n  merged\nend\n"
    )
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "a.rb").write_text(known)
    build(tmp_path / "known", tmp_path / "i.db", "--with-text")
    copy = known.replace("merged", "joined").replace("tolerance", "slack").replace("@total", "@amount")
    checkout.write("b.rb", copy)
    ended = winnow("scan", "--index", tmp_path / "i.db", cwd=checkout.root)
    assert "  renamed: merged→joined, tolerance→slack, @total→@amount\n" in ended.output


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("", "", "identical, all 178 tokens;"),
        ("heapq.heappop(waiting)", "heapq.heappop( waiting )  # the nearest", "identical, all 178 tokens;"),
        ("def shortest_route(", "def nearest(", "verbatim, all 176 tokens, 2 others on its lines;"),
        ("negative road: ", "no such road: ", "verbatim but for 1 of 178 tokens;"),
        ("        if place == goal:\n            break\n", "", "verbatim, all 172 tokens, 6 of the source's missing;"),
    ],
)
def test_only_a_copy_without_any_change_is_identical(
    checkout: Checkout, with_text: Path, before: str, after: str, told: str
) -> None:
    checkout.write("src/new.py", SHORTEST_ROUTE.text.replace(before, after))
    ended = winnow("scan", "--index", with_text, cwd=checkout.root)
    assert ended.output.splitlines()[1].startswith(f"  {told}")


# ---- one finding -----------------------------------------------------------------------------------------------


def test_everything_about_a_finding(copied: Checkout, known: Path, tmp_path: Path) -> None:
    twice = copied.root / "src" / "plan.py"
    twice.write_text(f"{PLAN}\n\n{SHORTEST_ROUTE.text}\n\nBETWEEN = today(5)\n\n\n{SHORTEST_ROUTE.text}")
    copied.write(".winnow.yml", "policy: {warn: ['GPL-*'], allow: [MIT]}\n")
    build(write_known(tmp_path / "fork"), tmp_path / "fork.db", "--license", "MIT", name="fork")
    options = ("--index", str(tmp_path / "fork.db"))
    first = ids(copied, known, *options)["src/plan.py"]
    ended = explain(copied, known, first, *options)
    assert ended.status == 0
    text = ended.output
    assert text.startswith("src/plan.py:13-37: ")
    assert f"\nid {first}\n" in text
    assert "the change adds all of its 25 lines" in text
    assert "at least\n  16 tokens (report.min_tokens) and a run of 24 of them, or enough evidence" in text
    for number, line in enumerate(SHORTEST_ROUTE.text.splitlines(), 13):
        assert f"  {number} │ {line}".rstrip() in text
    assert "fork (MIT), roads/routes.py:18-42\n" in text
    assert "roads 2.1 (GPL-3.0-only), roads/routes.py:18-42, https://example.org/roads\n" in text
    assert "lines 43-67: " in text
    assert f", id {first}-2\n" in text
    assert "# winnow-ci: allow " in text
    assert 'boilerplate: ["src/plan.py"]' in text


def test_the_beginning_of_an_id_is_enough_if_no_other_begins_so(copied: Checkout, known: Path) -> None:
    found = ids(copied, known)
    for path, wanted in found.items():
        others = [other for other in found.values() if other != wanted]
        beginnings = (wanted[:length] for length in range(1, len(wanted)))
        shortest = next(each for each in beginnings if not any(other.startswith(each) for other in others))
        assert explain(copied, known, shortest).output.startswith(f"{path}:")


def test_ids_that_name_no_finding(copied: Checkout, known: Path) -> None:
    found = ids(copied, known)["src/plan.py"]
    wrong = found[:-1] + ("0" if found[-1] != "0" else "1")
    problem, remedy = explain(copied, known, wrong).complaint(2)
    assert (problem, found in remedy) == (f"no finding of this scan has the id '{wrong}'", True)
    problem, remedy = explain(copied, known, "\x1b[2J").complaint(2)
    assert "\x1b" not in problem
    assert found in remedy
    copy = SHORTEST_ROUTE.text
    copied.write("src/plan.py", f"{PLAN}\n\n{copy}\n\nBETWEEN = today(5)\n\n\n{copy}")
    problem, remedy = explain(copied, known, found[:8]).complaint(2)
    assert problem == f"2 findings have ids that begin with {found[:8]}"
    assert remedy == f"give one of {found}, {found}-2"
    assert explain(copied, known, found).output.startswith("src/plan.py:13-37: ")


# ---- what was not looked at ------------------------------------------------------------------------------------


def test_thousands_of_files_are_counted(checkout: Checkout, known: Path) -> None:
    for number in range(300):
        checkout.write(f"data/{number:03}.json", "{}")
    checkout.write("noname", "")
    ended = explain(checkout, known, "--skipped")
    assert "data: 300 files\n" in ended.output
    assert "    … and 280 more; to list them, " in ended.output
    assert "    noname\n" in ended.output
    assert len(ended.output.splitlines()) < 40
