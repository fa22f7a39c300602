"""A file that many known contents are like is compared with some of them, read together; the report says so."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, cast

import pytest

from support.command import build, winnow
from support.indexes import entry, write_index
from support.repository import Checkout
from winnow_ci.index import WholeIndex
from winnow_ci.model import Source
from winnow_ci.scanner import match
from winnow_ci.scanner.match import ContentReading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from winnow_ci.index import ContentRow, IndexReader

SOURCES, MOST = 70, 64
LINES = 4


def code(seed: int) -> str:
    """A few lines that nobody else has."""
    chance = random.Random(seed)
    names = [f"{chance.choice('bdfgklmnprst')}{chance.choice('aeiou')}{chance.randrange(10**6)}" for _ in range(99)]
    forms = [
        "{0} = {1}[{2}] + {0}(1)",
        "if {} not in ({}, {}): {} -= 2",
        "for {} in {} or {}: {}.x()",
        "del {}, {}.y, {} * {}",
    ]
    return "".join(f"{chance.choice(forms).format(*chance.sample(names, 4))}\n" for _ in range(LINES))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of many files."""
    folder = tmp_path_factory.mktemp("many")
    (folder / "source").mkdir()
    for number in range(SOURCES):
        (folder / "source" / f"f{number}.py").write_text(code(number))
    build(folder / "source", folder / "many.db", name="many")
    return folder / "many.db"


def test_the_report_says_what_is_left_out(many: Path, tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit({"all.py": "".join(map(code, range(SOURCES))), "some.py": "".join(map(code, range(MOST)))})
    options = "scan", "--all", "--index", many, "--format", "json"
    ended = winnow(*options, cwd=checkout.root)
    # Three of the six have so little in common with the second file that it may be chance.
    left = [{"path": "all.py", "contents": SOURCES - MOST}, {"path": "some.py", "contents": SOURCES - MOST - 3}]
    assert ended.report()["scan"]["contents_not_compared"] == left
    assert "known contents only: 2 files (9 known contents with less in common left out)" in ended.errors
    found: dict[str, set[str]] = {path: set() for path in ("all.py", "some.py")}
    for one in ended.findings():
        found[one["path"]].add(one["source"]["path"])
    assert len(found["all.py"]) == MOST
    # All have lines of one shape, but these are the ones that were copied.
    assert found["some.py"] == {f"f{number}.py" for number in range(MOST)}


class Counted:
    """An index that notes which contents it is asked for, and how often; they are numbered as it has them."""

    def __init__(self, index: WholeIndex) -> None:
        self.index = index
        self.ids = index.content_ids().tolist()
        self.questions: list[list[int]] = []

    def content_rows(self, ids: Iterable[int]) -> Mapping[int, ContentRow]:
        asked = sorted(set(ids))
        self.questions.append([self.ids.index(one) for one in asked])
        return self.index.content_rows(asked)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Counted]:
    files = {f"f{number}.py": entry([number, number + 1]) for number in range(6)}
    write_index(tmp_path / "i.db", {Source("x"): files})
    with WholeIndex(tmp_path / "i.db") as index:
        yield Counted(index)


def test_contents_are_read_together_and_once(counted: Counted) -> None:
    reading, ids = ContentReading(cast("IndexReader", counted)), counted.ids
    reading.read([ids[0], ids[2], ids[4]])
    reading.read([ids[4], ids[2], ids[5], ids[5]])
    assert [reading.row(ids[number]) for number in (0, 2, 5)] == [counted.content(ids[n]) for n in (0, 2, 5)]
    assert reading.files(ids[5]) == counted.files(ids[5])
    assert reading.token_map(ids[4]).sketch.tolist() == counted.token_map(ids[4]).sketch.tolist()
    assert counted.questions == [[0, 2, 4], [5]]
    reading.row(ids[1])
    reading.read([])
    assert counted.questions[2:] == [[1]]


def test_of_contents_that_are_needed_no_more_a_bounded_number_of_bytes_is_kept(
    counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "KEPT_BYTES", 0)
    reading, ids = ContentReading(cast("IndexReader", counted)), counted.ids
    reading.read(ids[:2])
    reading.read(ids[1:3])
    assert [len(reading.row(one).files) for one in ids[1:3]] == [1, 1]
    assert counted.questions == [[0, 1], [2]]
    reading.read(ids[:1])
    assert counted.questions[2:] == [[0]]
