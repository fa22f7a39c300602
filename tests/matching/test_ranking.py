"""A bounded number of contents is read for a file, and each part of the file keeps the content that says most there."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on
from winnow_ci.matching.hits import FileHits, shared_contents
from winnow_ci.matching.regions import most_contents, most_doubtful, most_telling
from winnow_ci.matching.telling import is_significant
from winnow_ci.model import Hits, Phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

K = 16
BITS, LITERALS = 1.5, 0.25


class Hit(NamedTuple):
    """A k-gram of the file that stands in a content, in another text unless it is verbatim."""

    content: int
    at: int
    there: int
    verbatim: bool = False


def file_with(hits: Iterable[Hit], count: int = 2000, phrases: Iterable[Hit] = ()) -> FileHits:
    """A file of so many tokens, each of which says something, with these hits; a phrase stands at its position."""
    ordered = sorted(hits, key=lambda hit: hit.at)
    found = _hits((hit.at, hit.content, hit.there, int(not hit.verbatim)) for hit in ordered)
    file = file_hits(tokens_on(range(count)), bits=BITS, literals=LITERALS, hits=found, k=K)
    spoken = sorted(phrases, key=lambda hit: hit.at)
    at = np.array([hit.at for hit in spoken], np.int32)
    lines = Phrases(at.astype(np.uint64), np.full(len(at), 4, np.uint8), np.zeros(len(at), np.bool_), at, at)
    places = _hits((number, hit.content, hit.there, 0) for number, hit in enumerate(spoken))
    return file._replace(kgrams=file.kgrams._replace(phrases=lines), phrase_hits=places)


def _hits(rows: Iterable[tuple[int, int, int, int]]) -> Hits:
    queries, contents, positions, checks = np.array([*rows], np.int64).reshape(-1, 4).T
    return Hits(queries, contents, positions.astype(np.uint32), checks.astype(np.uint32))


def read_for(file: FileHits) -> tuple[list[int], int]:
    """The contents that are read, and how many are not."""
    shared, left = most_telling(shared_contents(file, K), file, K)
    return shared.contents.tolist(), left


def copies(content: int, start: int, end: int, step: int = 9, *, there: int = 0, verbatim: bool = False) -> list[Hit]:
    return [Hit(content, at, at + there, verbatim) for at in range(start, end - K + 1, step)]


@pytest.mark.parametrize(("tokens", "most"), [(0, 64), (1, 64), (16_384, 64), (16_385, 128), (1_000_000, 64 * 62)])
def test_the_bound_grows_with_the_file(tokens: int, most: int) -> None:
    assert most_contents(tokens) == most


@pytest.mark.parametrize(("added", "most"), [(0, 6), (1, 6), (2048, 6), (2049, 12), (20_480, 60)])
def test_the_bound_of_doubtful_contents_grows_with_what_is_added(added: int, most: int) -> None:
    assert most_doubtful(added) == most


@pytest.mark.parametrize(("contents", "left"), [(1, 0), (64, 0), (65, 1), (300, 236)])
def test_beyond_the_bound_contents_are_left_out_and_counted(contents: int, left: int) -> None:
    file = file_with(Hit(content, 100 + content, 5000, verbatim=True) for content in range(contents))
    read, uncompared = read_for(file)
    assert (len(read), uncompared) == (contents - left, left)


@pytest.mark.parametrize(("contents", "read"), [(1, 1), (6, 6), (7, 6), (300, 6)])
def test_of_doubtful_contents_few_are_read_and_the_others_are_not_counted(contents: int, read: int) -> None:
    """They have one k-gram each, which may be chance; how many they are says how large the index is."""
    of_file = read_for(file_with(Hit(content, 100 + content, 5000) for content in range(contents)))
    assert (len(of_file[0]), of_file[1]) == (read, 0)


def test_doubtful_contents_are_read_beside_significant_ones_and_within_the_bound() -> None:
    doubtful = [Hit(content, 100 + 40 * content, 5000) for content in range(9)]
    for versions, read, left in ((3, 9, 0), (58, 64, 0), (60, 64, 2), (80, 64, 22)):
        alike = [hit for number in range(versions) for hit in copies(100 + number, 600, 1100)]
        of_file = read_for(file_with([*doubtful, *alike]))
        assert (len(of_file[0]), of_file[1]) == (read, left)
        assert len({content for content in of_file[0] if content < 100}) == 6


def test_versions_of_one_file_do_not_push_another_source_out() -> None:
    """The versions have different edits, so that another one says most in each part of the file."""
    chance = random.Random(1)
    versions = [hit for number in range(200) for hit in copies(number, 0, 6000) if chance.random() < 0.5]
    for start in (600, 617, 634):
        # Where the other source stands, the versions have nothing.
        beside = [hit for hit in versions if not start - K < hit.at < start + 43]
        other = copies(900, start, start + 43, there=40_000)
        read, left = read_for(file_with([*beside, *other], count=6000))
        assert 900 in read
        assert left == 200 - 63


def test_a_verbatim_run_inside_a_renamed_copy_keeps_its_source() -> None:
    renamed = [hit for number in range(200) for hit in copies(number, 0, 2000, there=number)]
    alone = Hit(900, 777, 60_000, verbatim=True)
    assert 900 in read_for(file_with([*renamed, alone]))[0]
    assert 900 not in read_for(file_with([*renamed, alone._replace(verbatim=False)]))[0]


def test_hits_that_are_not_together_there_do_not_count_together() -> None:
    """A content of which hits are strewn over it says less than one in which they are together."""
    strewn = [Hit(number, at, 1000 * at) for number in range(64) for at in range(300, 340, 6)]
    copy = copies(900, 300, 346)
    file = file_with([*strewn, *copy])
    assert read_for(file)[0] == [0, 1, 2, 3, 4, 900]


def test_code_that_repeats_itself_says_a_thing_once() -> None:
    many = [Hit(number, 500, 500 + place) for number in range(64) for place in range(6)]
    assert 900 in read_for(file_with([*many, *copies(900, 500, 540)]))[0]
    assert 900 in read_for(file_with([*many, *copies(900, 1500, 1540)]))[0]


def test_what_a_phrase_says_counts() -> None:
    others, last = [Hit(number, 500 + number, 900) for number in range(64)], Hit(900, 563, 963)
    assert 900 not in read_for(file_with([*others, last]))[0]
    assert 900 in read_for(file_with([*others, last], phrases=[last._replace(at=560)]))[0]
    assert 900 in read_for(file_with(others, phrases=[last._replace(at=1500)]))[0]


@st.composite
def strewn(draw: st.DrawFn) -> list[Hit]:
    """Hits of some ninety contents: a few each, in places of their own or where others have theirs."""
    chance = random.Random(draw(st.integers(0, 10**6)))
    contents, places = draw(st.integers(65, 110)), draw(st.sampled_from((40, 300, 1900)))
    return [
        Hit(
            content, chance.randrange(places), chance.choice((0, 50, 900)) + chance.randrange(60), chance.random() < 0.2
        )
        for content in range(contents)
        for _ in range(chance.choice((1, 2, 5)))
    ]


@given(strewn())
def test_the_contents_are_those_of_the_definition(hits: list[Hit]) -> None:
    file = file_with(hits)
    shared = shared_contents(file, K)
    significant = {*shared.contents[is_significant(shared, file, K)].tolist()}
    ranked = by_definition(hits)
    doubtful = [content for content in ranked if content not in significant][:6]
    read = [content for content in ranked if content in significant or content in doubtful][:64]
    assert read_for(file) == (sorted(read), len(significant - {*read}))


@given(strewn(), st.randoms())
def test_the_order_of_the_hits_plays_no_part(hits: list[Hit], chance: random.Random) -> None:
    before = read_for(file_with(hits))
    chance.shuffle(hits)
    assert read_for(file_with(hits)) == before


def by_definition(hits: Iterable[Hit]) -> list[int]:
    """The contents in the order in which they are read, written out naively."""
    best: dict[tuple[int, int, int], tuple[float, bool]] = {}
    for content, at, there, verbatim in hits:
        structure = BITS * (K - 3)
        said = 2 * max(structure, K) + LITERALS * K if verbatim else structure
        key = content, (there - at) // 32, at
        best[key] = max(best.get(key, (0.0, False)), (said, verbatim))
    total: dict[int, float] = defaultdict(float)
    for (content, _, _), (said, _) in best.items():
        total[content] += said
    votes: dict[int, float] = defaultdict(float)
    for only_verbatim in (False, True):
        for shift in (0, 16):
            windows: dict[int, dict[tuple[int, int], float]] = defaultdict(lambda: defaultdict(float))
            for (content, band, at), (said, verbatim) in best.items():
                if verbatim or not only_verbatim:
                    windows[(at + shift) // 32][content, band] += said
            for said_there in windows.values():
                winner, worth = _winner(said_there, total)
                votes[winner] += worth
    return sorted(total, key=lambda content: (-round(votes[content], 6), -round(total[content], 6), content))


def _winner(said: Mapping[tuple[int, int], float], total: Mapping[int, float]) -> tuple[int, float]:
    """The content that wins a window: of those that say two thirds of the most, the one with the most bits."""
    near = {key: worth for key, worth in said.items() if worth >= 2 / 3 * max(said.values()) - 1e-9}
    content, _ = max(near, key=lambda key: (round(total[key[0]], 6), round(near[key], 6), -key[0]))
    return content, max(worth for (other, _), worth in near.items() if other == content)
