"""A content is significant if its hits say much together, near each other on about one diagonal."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on
from winnow_ci.matching.hits import shared_contents
from winnow_ci.matching.telling import is_significant, said_together
from winnow_ci.model import Hits, Phrases
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.matching.hits import FileHits

K, COUNT = 16, 1200
# What a token says by its structure, and by its text.
BITS, TEXT = 1.5, 0.3125


class Hit(NamedTuple):
    """A k-gram or phrase of the file that stands in a content."""

    content: int
    at: int
    there: int
    verbatim: bool = False


def file_with(
    hits: Sequence[Hit], phrases: Sequence[Hit] = (), *, period: int = COUNT, telling: bool = True
) -> FileHits:
    """A file of so many tokens with these hits, whose k-grams recur after a period; a phrase says 20 bits."""
    found = _hits((hit.at, hit.content, hit.there, int(not hit.verbatim)) for hit in sorted(hits, key=lambda h: h.at))
    file = file_hits(tokens_on(range(COUNT)), bits=BITS, new_literals=TEXT, hits=found, telling=telling, k=K)
    spoken = sorted(phrases, key=lambda hit: hit.at)
    at = np.array([hit.at for hit in spoken], np.int32)
    said = Phrases(
        at.astype(np.uint64) + np.uint64(COUNT), np.full(len(at), 4, np.uint8), np.zeros(len(at), np.bool_), at, at
    )
    places = _hits((number, hit.content, hit.there, 0) for number, hit in enumerate(spoken))
    hashes = (np.arange(len(file.kgrams.kgrams)) % period).astype(np.uint64)
    kgrams = file.kgrams._replace(phrases=said, kgrams=replace(file.kgrams.kgrams, hashes=hashes))
    return file._replace(kgrams=kgrams, phrase_hits=places)


def _hits(rows: Iterable[tuple[int, int, int, int]]) -> Hits:
    queries, contents, positions, checks = np.array([*rows], np.int64).reshape(-1, 4).T
    return Hits(queries, contents, positions.astype(np.uint32), checks.astype(np.uint32))


def said(*hits: Hit, phrases: Sequence[Hit] = (), period: int = COUNT) -> float:
    """What the hits of one content say together."""
    file = file_with(hits, phrases, period=period)
    (bits,) = said_together(shared_contents(file, K), file, K).tolist()
    return float(bits)


def at(position: int, diagonal: int = 0, *, verbatim: bool = False) -> Hit:
    return Hit(5, position, position + 3000 + diagonal, verbatim)


ONE = 13 * BITS


def test_hits_say_what_their_tokens_say_each_once() -> None:
    assert said(at(100)) == ONE
    assert said(at(100), at(106)) == ONE + 6 * BITS
    assert said(at(100), at(116)) == 2 * ONE
    assert said(at(100), at(106), at(112), at(122)) == (13 + 22) * BITS


@pytest.mark.parametrize(("apart", "together"), [(120, True), (121, False)])
def test_they_are_near_each_other_in_the_file(apart: int, together: bool) -> None:
    assert said(at(100), at(100 + apart)) == (2 if together else 1) * ONE


@pytest.mark.parametrize(("apart", "together"), [(0, True), (40, True), (80, False), (-40, True), (-80, False)])
def test_they_are_on_about_one_diagonal(apart: int, together: bool) -> None:
    assert said(at(100), at(150, apart)) == (2 if together else 1) * ONE


def test_equal_text_says_more() -> None:
    text = 1.2 * TEXT
    assert said(at(100, verbatim=True)) == pytest.approx(ONE + 16 * text)
    assert said(at(100, verbatim=True), at(110, verbatim=True)) == pytest.approx(ONE + 10 * BITS + 26 * text)
    assert said(at(100), at(110, verbatim=True)) == pytest.approx(ONE + 10 * BITS + 16 * text)


def test_equal_text_of_structure_that_says_nothing_says_a_bit_a_token() -> None:
    file = file_with([at(100, verbatim=True)])
    bare = file._replace(token_bits=file.token_bits * 0, cumulative=file.cumulative * 0)
    (bits,) = said_together(shared_contents(bare, K), bare, K).tolist()
    assert bits == pytest.approx(16 * (1 + 1.2 * TEXT))


def test_one_kgram_says_thirty_bits_at_most_by_its_structure() -> None:
    """Of a language that the tables have not learnt everything looks rare."""
    file = file_with([at(100), at(116), at(122)])
    strange = file._replace(token_bits=4 * file.token_bits, cumulative=4 * file.cumulative)
    assert said_together(shared_contents(strange, K), strange, K).tolist() == [30 + 30 + 30]
    strange = file._replace(token_bits=2 * file.token_bits, cumulative=2 * file.cumulative)
    assert said_together(shared_contents(strange, K), strange, K).tolist() == [30 + 30 + 6 * 2 * BITS]


def test_a_kgram_that_recurs_says_a_thing_once() -> None:
    rows = [at(100 + 20 * number) for number in range(9)]
    assert said(*rows) == 9 * ONE
    assert said(*rows, period=20) == ONE


def test_phrases_say_more_each_once_and_fifty_bits_at_most() -> None:
    assert said(at(100), phrases=[at(90)]) == ONE + 20
    assert said(at(100), phrases=[at(90), at(95)]) == ONE + 40
    assert said(at(100), phrases=[at(90), at(95), at(120), at(125)]) == ONE + 50
    assert said(at(100), phrases=[at(300)]) == 20
    assert said(phrases=[at(300)]) == 20


@pytest.mark.parametrize(("phrases", "enough"), [(1, False), (2, True)])
def test_eighty_bits_are_significant(phrases: int, enough: bool) -> None:
    """Two k-grams apart say 39 bits, each phrase 20, and one k-gram more that overlaps 2 of 3 tokens."""
    file = file_with([at(100), at(116), at(117)], phrases=[at(90), at(95)][:phrases])
    shared = shared_contents(file, K)
    assert said_together(shared, file, K).tolist() == [27 * BITS + 20 * phrases]
    assert is_significant(shared, file, K).tolist() == [enough]


@pytest.mark.parametrize(
    ("verbatim", "telling", "enough"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_equal_text_of_telling_structure_is_significant_whatever_it_says(
    verbatim: bool, telling: bool, enough: bool
) -> None:
    """Each informative verbatim run of t tokens is found, and the shortest one has a single hit."""
    file = file_with([at(100, verbatim=verbatim)], telling=telling)
    assert is_significant(shared_contents(file, K), file, K).tolist() == [enough]


@st.composite
def strewn(draw: st.DrawFn) -> tuple[list[Hit], list[Hit], int]:
    """Hits and phrases of some contents, strewn or together, and after how many tokens k-grams recur."""
    chance = random.Random(draw(st.integers(0, 10**6)))
    places, around = draw(st.sampled_from((60, 300, 1100))), draw(st.sampled_from((2, 60, 400)))
    hits = [
        Hit(content, here := chance.randrange(places), here + 900 + chance.randrange(around), chance.random() < 0.3)
        for content in range(chance.choice((1, 3, 8)))
        for _ in range(chance.choice((1, 4, 12)))
    ]
    phrases = [
        Hit(hit.content, here := chance.randrange(places), here + 900 + chance.randrange(around))
        for hit in hits[: chance.choice((0, 0, 3, 9))]
    ]
    return hits, list({phrase.at: phrase for phrase in phrases}.values()), chance.choice((COUNT, 37))


@given(strewn())
def test_it_is_what_the_definition_says(given_hits: tuple[list[Hit], list[Hit], int]) -> None:
    hits, phrases, period = given_hits
    file = file_with(hits, phrases, period=period)
    shared = shared_contents(file, K)
    expected = by_definition(hits, phrases, period)
    found = said_together(shared, file, K).tolist()
    assert found == pytest.approx([expected[content] for content in shared.contents.tolist()])


def by_definition(hits: Iterable[Hit], phrases: Iterable[Hit], period: int) -> dict[int, float]:
    """The bits of the best neighbourhood of each content, written out naively."""
    best: dict[int, float] = defaultdict(float)
    places = [(hit.at, 1, hit) for hit in hits] + [(hit.at, 0, hit) for hit in phrases]
    for shift in (0, 40):
        bands: dict[tuple[int, int], list[tuple[int, int, Hit]]] = defaultdict(list)
        for place in sorted(places):
            bands[place[2].content, (place[2].there - place[0] + shift) // 80].append(place)
        for (content, _), ordered in bands.items():
            group: list[tuple[int, int, Hit]] = []
            for place in ordered:
                if group and place[0] - group[-1][0] > 120:
                    group = []
                group.append(place)
                best[content] = max(best[content], _of_group(group, period))
    return best


def _of_group(group: Iterable[tuple[int, int, Hit]], period: int) -> float:
    total = words = 0.0
    seen: set[tuple[bool, int]] = set()
    structure: set[int] = set()
    text: set[int] = set()
    for position, tokens, hit in group:
        new = (not tokens, position % period if tokens else position) not in seen
        seen.add((not tokens, position % period if tokens else position))
        if tokens:
            own = {*range(position + 3, position + K)} - structure
            total += BITS * len(own) * new
            structure |= {*range(position, position + K)}
            if hit.verbatim:
                total += 1.2 * TEXT * len({*range(position, position + K)} - text)
                text |= {*range(position, position + K)}
        elif new:
            words += 20
    return total + min(50.0, words)
