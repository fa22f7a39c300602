"""A file that its lexer does not get through is compared with the index all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from identify.vendor.licenses import LICENSES

from support.building import build as build_index
from support.donor import DISTRICTS, LOGS, ROUTES, SHORTEST_ROUTE
from support.repository import Checkout
from support.slow import QUADRATIC, shorten
from winnow_ci import git
from winnow_ci.config.settings import Settings, parse_settings
from winnow_ci.index import WholeIndex, verify
from winnow_ci.indexer import engine
from winnow_ci.model import Fallback, Parameters, Source
from winnow_ci.scanner import scan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from winnow_ci.indexer import AddedFiles
    from winnow_ci.model.findings import ScanReport

PUMP = "\n" + QUADRATIC.decode()
REASON = "not lexed within 0.5 s"


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch, 0.5)


def build(folder: Path, files: dict[str, str], *, with_text: bool = False) -> AddedFiles:
    for path, text in files.items():
        (folder / "source" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "source" / path).write_text(text)
    return build_index([folder / "source"], folder / "known.db", Source("roads"), with_text=with_text).added


@pytest.fixture
def index(tmp_path: Path) -> Iterator[WholeIndex]:
    """Known code in a language that Pygments reads."""
    build(tmp_path, {"routes.boo": ROUTES, "logs.boo": LOGS})
    with WholeIndex(tmp_path / "known.db") as reader:
        yield reader


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"README": "nothing\n"})
    return checkout


def look(checkout: Checkout, index: WholeIndex, settings: Settings | None = None) -> ScanReport:
    repository = git.Repository.find(checkout.root)
    return scan(repository, git.between(repository, "HEAD~1..HEAD"), [index], settings or Settings())


def places(report: ScanReport) -> list[tuple[str, str, int, int]]:
    return [(finding.source.file.path, finding.kind, *finding.lines) for finding in report.findings]


def test_a_copy_is_found_with_its_lines(checkout: Checkout, index: WholeIndex) -> None:
    checkout.commit({"copy.boo": SHORTEST_ROUTE.text + PUMP, "other.boo": SHORTEST_ROUTE.text})
    report = look(checkout, index)
    assert places(report) == [("routes.boo", "verbatim", 1, 25)] * 2
    assert report.findings[0].source.lines == report.findings[1].source.lines
    assert report.fallback == (Fallback("copy.boo", REASON),)
    assert (report.files_scanned, report.complete, report.skipped) == (2, True, ())


def test_a_licence_is_no_copy_and_hides_none(tmp_path: Path, checkout: Checkout) -> None:
    terms = dict(LICENSES)["MIT"].partition("[fullname]")[2].strip()
    licence = "".join(f"# {line}\n" for line in terms.splitlines())
    build(tmp_path, {"routes.boo": licence + ROUTES})
    checkout.commit({"own.boo": licence + PUMP, "copy.boo": licence + SHORTEST_ROUTE.text + licence + PUMP})
    with WholeIndex(tmp_path / "known.db") as index:
        report = look(checkout, index)
    first = licence.count("\n") + 1
    assert places(report) == [("routes.boo", "verbatim", first, first + 24)]
    assert {fallen.path for fallen in report.fallback} == {"own.boo", "copy.boo"}


def test_nothing_is_found_in_what_is_no_copy(checkout: Checkout, index: WholeIndex) -> None:
    checkout.commit({"own.boo": "a = 1\nb = a\n" * 40 + PUMP})
    report = look(checkout, index)
    assert (report.findings, len(report.fallback)) == ((), 1)


def test_what_the_base_had_is_not_new(checkout: Checkout, index: WholeIndex) -> None:
    checkout.commit({"copy.boo": SHORTEST_ROUTE.text})
    checkout.commit({"copy.boo": "", "moved.boo": SHORTEST_ROUTE.text + PUMP})
    report = look(checkout, index)
    assert (report.findings, report.existing, len(report.fallback)) == ((), 1, 1)


def test_boilerplate_is_none_in_it(tmp_path: Path, checkout: Checkout, index: WholeIndex) -> None:
    checkout.commit({"copy.boo": SHORTEST_ROUTE.text + PUMP})
    text = "".join(f"    {line}\n" for line in SHORTEST_ROUTE.text.splitlines())
    settings = parse_settings(f"boilerplate:\n- language: boo\n  text: |\n{text}".encode(), ".winnow.yml", tmp_path)
    assert look(checkout, index, settings).findings == ()


def test_a_comment_in_it_allows_nothing(checkout: Checkout, index: WholeIndex) -> None:
    allowed = f"# winnow-ci: allow roads as we agreed\n{SHORTEST_ROUTE.text}"
    checkout.commit({"copy.boo": allowed + PUMP, "read.boo": allowed})
    suppressed = {finding.path: finding.suppressed for finding in look(checkout, index).findings}
    assert suppressed == {"copy.boo": None, "read.boo": "inline"}


# ---- the index -------------------------------------------------------------------------------------------------


def test_a_file_counts_once(tmp_path: Path, index: WholeIndex) -> None:
    (summary,) = index.summaries()
    assert (summary.files, index.contents) == (2, 4)
    assert summary.fingerprints == index.postings
    verify(index)


def test_known_code_that_no_lexer_gets_through_is_compared_with_such_code(tmp_path: Path, checkout: Checkout) -> None:
    report = build(tmp_path, {"slow.boo": ROUTES + PUMP, "logs.boo": LOGS})
    assert (report.files, report.skipped, report.fallback) == (2, (), (Fallback("slow.boo", REASON),))
    checkout.commit({"copy.boo": DISTRICTS.text + PUMP})
    with WholeIndex(tmp_path / "known.db") as index:
        verify(index)
        assert [place[0] for place in places(look(checkout, index))] == ["slow.boo"]


def test_in_the_worker_processes_of_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine, hundreds of short files need more than the slow one alone.
    shorten(monkeypatch, 5)
    files = {f"f{number}.boo": f"a = {number}\n{ROUTES}{LOGS}" for number in range(300)}
    report = build(tmp_path, {**files, "f100.boo": ROUTES + PUMP})
    assert sum(map(len, files.values())) > engine.WORTH_WORKERS
    assert (report.files, [file.path for file in report.fallback]) == (300, ["f100.boo"])
    with WholeIndex(tmp_path / "known.db") as index:
        assert index.contents == 599


def test_a_build_from_an_older_one(tmp_path: Path) -> None:
    first = build(tmp_path, {"routes.boo": ROUTES, "slow.boo": LOGS + PUMP}, with_text=True)
    with WholeIndex(tmp_path / "known.db") as index:
        digest = index.digest
    again = build(tmp_path, {}, with_text=True)
    assert (again.known, again.fallback) == (2, first.fallback)
    with WholeIndex(tmp_path / "known.db") as index:
        verify(index)
        assert index.digest == digest
        assert index.texts == index.contents == 3


def test_an_index_without_what_the_fallback_would_find_is_refused(tmp_path: Path, index: WholeIndex) -> None:
    """So that a file that falls back is never clean for want of something to compare it with."""
    assert index.front_ends.keys() == {"generic", "pygments"}
    assert index.front_ends["pygments"].startswith("2.4.pygments-")


def test_what_has_no_tokens_but_comments_is_left_out_as_before(tmp_path: Path) -> None:
    report = build(tmp_path, {"routes.boo": ROUTES, "comment.boo": "# some words that say nothing at all " * 20})
    assert [(skip.path, skip.reason) for skip in report.skipped] == [
        ("comment.boo", f"fewer than {Parameters().k} tokens")
    ]


def test_the_same_bytes_in_two_languages(tmp_path: Path) -> None:
    report = build(tmp_path, {"a.boo": ROUTES, "b.monkey": ROUTES})
    assert report.files == 2
    with WholeIndex(tmp_path / "known.db") as index:
        assert index.contents == 3
        assert index.summaries()[0].files == 2
        languages = {
            index.content(number).language: len(index.files_of_row(index.content(number)))
            for number in index.content_ids().tolist()
        }
        assert languages == {"boo": 1, "monkey": 1, "generic": 2}
