"""What an index is asked for: enough for every run of t tokens, and what boilerplate is follows from the answers."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on
from winnow_ci.model import Fingerprints, Parameters, Selection, Tokens
from winnow_ci.scanner.kgrams import SHARED, asked_kgrams, known_boilerplate
from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from winnow_ci.matching import FileKgrams

AS_THE_INDEX = sorted(SHARED - {"mod-p"})
COUNT = 160


def random_words(seed: int, distinct: int, period: int = COUNT) -> list[int]:
    """Words that recur with a period."""
    own = random.Random(seed).choices(range(1, distinct + 1), k=period)
    return (own * COUNT)[:COUNT]


words = st.builds(random_words, st.integers(0, 10**6), st.sampled_from((2, 5, 300)), st.sampled_from((3, 7, COUNT)))


def file_of(words: list[int], k: int) -> FileKgrams:
    """A file of these words; two alike are alike in structure, none in its text."""
    at = np.arange(len(words), dtype=np.int32)
    ids = np.array(words, np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    tokens = Tokens(ids, np.arange(len(words), dtype=np.uint64), at, at, np.zeros(len(words), np.uint8))
    hashes = kgram_hashes(ids, k)
    numbers = np.arange(len(hashes), dtype=np.uint32)
    return file_hits(tokens, k=k).kgrams._replace(kgrams=Fingerprints(hashes, numbers, numbers))


@pytest.mark.parametrize("selection", AS_THE_INDEX)
@given(known=words, others=words, places=st.tuples(st.integers(0, 100), st.integers(0, 40)), data=st.data())
def test_each_run_has_a_seed_where_both_sides_have_its_text(
    selection: Selection, known: list[int], others: list[int], places: tuple[int, int], data: st.DataObject
) -> None:
    k, w = data.draw(st.integers(4, 20)), data.draw(st.integers(2, 20))
    (at, own), parameters = places, Parameters(k, w, selection)
    run = known[at : at + parameters.guarantee]
    file = file_of(others[:own] + run + others[own:], k)
    asked = asked_kgrams(file, parameters, None, all_near=False)
    there = file_of(known, k)
    kept = select(there.kgrams.hashes, w, selection, there.tokens.structural) - at
    assert any(asked[own + place] for place in kept.tolist() if 0 <= place < w)


def test_of_random_code_a_sixth_is_asked_and_all_of_it_where_the_index_relies_on_that() -> None:
    chance = random.Random(1)
    file = file_of([chance.randrange(10**6) for _ in range(20_000)], 16)
    share = {name: asked_kgrams(file, Parameters(16, 9, name), None, all_near=False).mean() for name in SHARED}
    assert share["mod-minimizer"] == pytest.approx(3 / 19, rel=0.05)
    assert share["robust"] == share["winnowing"] == pytest.approx(2 / 10, rel=0.05)
    assert share["mod-p"] == pytest.approx(1 / 5, rel=0.05)
    for selection in ("anchored", "bounded", "bottom-s"):
        assert asked_kgrams(file, Parameters(16, 9, selection), None, all_near=False).all()


def test_a_wider_window_asks_for_less() -> None:
    file = file_of(random_words(7, 300), 16)
    asked = [asked_kgrams(file, Parameters(16, 9, "robust"), window, all_near=False) for window in (None, 9, 30)]
    assert (asked[0] == asked[1]).all()
    assert 0 < asked[2].sum() < asked[0].sum()
    assert not (asked[2] & ~asked[0]).any()


@pytest.mark.parametrize("selection", ["anchored", "robust"])
def test_what_says_nothing_is_asked_for_only_where_it_may_be_boilerplate(selection: Selection) -> None:
    file = file_of(random_words(3, 300), 16)
    silent = np.zeros(len(file.kgrams), np.bool_)
    file = file._replace(informative=silent, informative_text=silent)
    assert not asked_kgrams(file, Parameters(16, 9, selection), None, all_near=False).any()
    assert asked_kgrams(file, Parameters(16, 9, selection), None, all_near=True).any()
    none = file_hits(tokens_on([1] * 8)).kgrams
    assert len(asked_kgrams(none, Parameters(16, 9, selection), None, all_near=True)) == 0


@given(
    boilerplate=st.lists(st.booleans(), min_size=1, max_size=80),
    asked=st.sets(st.integers(0, 79)),
    shortest=st.integers(1, 12),
)
def test_what_lies_between_boilerplate_is_boilerplate(boilerplate: list[bool], asked: set[int], shortest: int) -> None:
    count = len(boilerplate)
    was_asked = np.isin(np.arange(count), [*asked])
    found = np.array(boilerplate) & was_asked
    expected = found.copy()
    places = np.flatnonzero(was_asked).tolist()
    for first, second in pairwise(places):
        if found[first] and found[second] and second - first <= shortest:
            expected[first:second] = True
    assert known_boilerplate(found, was_asked, shortest).tolist() == expected.tolist()


@given(words=words, runs=st.lists(st.tuples(st.integers(0, 140), st.integers(1, 30)), max_size=4), w=st.integers(2, 12))
def test_no_run_without_boilerplate_is_taken_for_it(words: list[int], runs: list[tuple[int, int]], w: int) -> None:
    file = file_of(words, 16)
    asked = asked_kgrams(file, Parameters(16, w, "robust"), None, all_near=True)
    boilerplate = np.zeros(len(asked), np.bool_)
    for start, length in runs:
        boilerplate[start : start + length] = True
    known = known_boilerplate(boilerplate & asked, asked, w)
    for start in range(len(asked) - w + 1):
        if not boilerplate[start : start + w].any():
            assert not known[start : start + w].any()
