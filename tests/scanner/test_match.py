"""Which lines of a copy are the source's, what speaks against a copy around it, and what is read for it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from support.command import build, winnow
from support.file_hits import tokens_on
from support.indexes import entry, write_index
from support.reports import finding
from support.repository import Checkout
from winnow_ci.index import WholeIndex
from winnow_ci.languages import front_end_of, tokenize
from winnow_ci.model import LineRange, Place, Source, SourceFile, TokenMap, Tokens
from winnow_ci.model.findings import Agreement
from winnow_ci.model.regions import Region, Stretch
from winnow_ci.scanner import match
from winnow_ci.scanner.files import Match, PreparedFile, token_lines
from winnow_ci.scanner.match import ContentReading, agreement, aligned_lines, likely, with_surroundings
from winnow_ci.scanner.show import exactly
from winnow_ci.scanner.side_text import SideText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from winnow_ci.index import ContentRow, IndexReader


def region(*stretches: tuple[int, int, int], verbatim: int | None = None) -> Region:
    parts = tuple(Stretch(*stretch) for stretch in stretches)
    matched = sum(part.tokens for part in parts)
    ends = parts[-1].start + parts[-1].tokens, max(part.source_start + part.tokens for part in parts)
    starts = parts[0].start, min(part.source_start for part in parts)
    same = matched if verbatim is None else verbatim
    return Region(0, starts[0], ends[0], starts[1], ends[1], matched, same, 1, "verbatim", parts)


def known(lines: Sequence[int]) -> TokenMap:
    tokens = tokens_on(lines)
    return TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch)


def pairs(here: Sequence[int], there: Sequence[int], *stretches: tuple[int, int, int]) -> list[tuple[int, ...]]:
    """The aligned lines of stretches, as JSON has them."""
    return [(*one.here, *one.there) for one in aligned_lines(tokens_on(here), known(there), region(*stretches))]


ONE_A_LINE = range(1, 31)


def test_an_unbroken_copy_is_aligned_as_a_whole() -> None:
    assert pairs(ONE_A_LINE, ONE_A_LINE, (4, 10, 8)) == [(5, 12, 11, 18)]


@pytest.mark.parametrize(
    ("second", "aligned"),
    [
        ((4, 14, 4), [(1, 8, 11, 18)]),
        ((5, 14, 4), [(1, 4, 11, 14), (6, 9, 15, 18)]),
        ((4, 15, 4), [(1, 4, 11, 14), (5, 8, 16, 19)]),
        ((4, 0, 4), [(1, 4, 11, 14), (5, 8, 1, 4)]),
        ((4, 9, 1), [(1, 4, 11, 14), (5, 5, 10, 10)]),
    ],
)
def test_lines_between_stretches_divide_them(second: tuple[int, int, int], aligned: list[tuple[int, ...]]) -> None:
    assert pairs(ONE_A_LINE, ONE_A_LINE, (0, 10, 4), second) == aligned


def test_an_edit_within_a_line_divides_nothing() -> None:
    lines = [line for line in range(1, 5) for _ in range(3)]
    assert pairs(lines, lines, (0, 0, 4), (5, 5, 7)) == [(1, 4, 1, 4)]
    assert pairs([1] * 12, [1] * 12, (0, 6, 6), (6, 0, 6)) == [(1, 1, 1, 1)]


def test_other_tokens_on_the_lines_of_a_copy_are_counted() -> None:
    """Of ten lines with three tokens each, the copy has the last token of the second to the first of the fifth."""
    tokens = tokens_on([line for line in range(1, 11) for _ in range(3)])
    assert token_lines(tokens, 5, 13) == LineRange(2, 5)
    assert agreement(tokens, region((5, 0, 8))) == Agreement(8, 8, others=4)
    assert agreement(tokens, region((3, 0, 9))) == Agreement(9, 9)
    assert agreement(tokens, region((0, 0, 30), verbatim=21)) == Agreement(30, 21)


def test_a_string_of_several_lines_stands_on_all_of_them() -> None:
    tokens = tokens_on([1, 2, 5, 6])
    tokens.last_lines[1] = 5
    assert agreement(tokens, region((2, 0, 2))).others == 1
    assert agreement(tokens, region((0, 0, 2))) == Agreement(2, 2, others=1)


def test_tokens_that_the_copy_lacks_are_counted_but_not_between_blocks_in_another_order() -> None:
    tokens = tokens_on(ONE_A_LINE)
    assert agreement(tokens, region((0, 0, 5), (5, 8, 5), (10, 13, 2))).missing == 3
    assert agreement(tokens, region((0, 20, 5), (5, 0, 5), (10, 6, 2))).missing == 1


def test_tokens_in_another_order_are_told_also_on_one_line() -> None:
    tokens = tokens_on([1] * 12)
    assert agreement(tokens, region((0, 0, 6), (6, 9, 3))).in_order
    assert agreement(tokens, region((0, 6, 6), (6, 0, 6))) == Agreement(12, 12, in_order=False)


@pytest.mark.parametrize(("there", "missing"), [(5, 0), (6, 0), (7, 0), (8, 1), (9, 2)])
def test_tokens_that_the_copy_has_instead_are_not_missing(there: int, missing: int) -> None:
    """In the gap between its stretches the copy has two tokens."""
    assert agreement(tokens_on(ONE_A_LINE), region((0, 0, 5), (7, there, 5))).missing == missing


def test_whole_texts_tell_exactly_what_is_the_same() -> None:
    here: Tokens = tokens_on([1] * 8, verbatim=[0, 1, 2, 3, 4, 5, 6, 7])
    there: Tokens = tokens_on([1] * 10, verbatim=[9, 9, 2, 3, 8, 5, 9, 9, 6, 7])
    found = finding()._replace(agreement=Agreement(6, 6, 1, 2), stretches=region((2, 2, 4), (6, 8, 2)).stretches)
    told = exactly(found, SideText(tokens=here.part(np.arange(2, 8)), first_token=2), SideText(tokens=there))
    assert told.agreement == Agreement(6, 5, 1, 2, exact=True)


BODY = """\
def {0}(self, key):
    if key in self.seen:
        return self.seen[key]
    self.seen[key] = self.read(key)
"""


def prepared(text: str, language: str = "python") -> PreparedFile:
    tokens = tokenize(language, text.encode())
    assert isinstance(tokens, Tokens)
    lines = (LineRange(1, text.count("\n")),)
    return PreparedFile("own.py", text.encode(), front_end_of(language), tokens, lines, tokens.first_lines >= 0)


def match_of(start: int, end: int, *paths: str, content: int = 0) -> Match:
    tokens = end - start
    region = Region(content, start, end, 0, tokens, tokens, tokens, 5, "renamed", (Stretch(start, 0, tokens),))
    places = tuple(Place(SourceFile(Source("known"), path), LineRange(1, 9)) for path in paths)
    return Match("own.py", region._replace(least_odds=9.0), LineRange(1, 9), (), b"", places)


@pytest.mark.parametrize(("copies", "share"), [(1, 0.0), (2, 1.0)])
def test_shapes_that_the_file_has_elsewhere_are_counted(copies: int, share: float) -> None:
    file = prepared("".join(BODY.format(f"name{number}") for number in range(copies)))
    (found,) = with_surroundings([match_of(0, len(file.tokens) // copies, "a.py")], file.tokens)
    assert found.region.signs.again == pytest.approx(share, abs=0.1)


def test_known_files_of_other_names_are_counted_once_each() -> None:
    file = prepared(BODY.format("one"))
    whole = len(file.tokens)
    matches = [
        match_of(0, whole, "a.py"),
        match_of(0, whole, "old/a.py", "b.py", content=1),
        match_of(0, whole, "c.py", content=2),
        match_of(whole - 5, whole, "far.py", content=3),
    ]
    found = with_surroundings(matches, file.tokens)
    assert [one.region.signs.places for one in found[:3]] == [2, 2, 2]


def test_an_identical_file_is_left_as_it_is() -> None:
    file = prepared(BODY.format("one") * 2)
    one = match_of(0, len(file.tokens) // 2, "a.py")
    one = one._replace(region=one.region._replace(identical=True))
    assert with_surroundings([one], file.tokens) == [one]


@pytest.mark.parametrize(("language", "unlearnt"), [("python", False), ("lua", True)])
def test_a_language_without_tables_is_unlearnt(language: str, *, unlearnt: bool) -> None:
    file = prepared("x = y(z)\n", language)
    (region,) = likely([match_of(0, 5, "a.py").region], file)
    assert region.signs.unlearnt == unlearnt


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
    assert (
        "compared only with the known files that share most: 2 files (9 known contents with less in common left out)"
        in ended.errors
    )
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
