"""Resemblance and containment, likeness of words and shared stretches, against their definitions."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.donor import ROUTES
from winnow_ci.comparing.bodies import FingerprintedDocument, find_body, fingerprinted, tokenised_document
from winnow_ci.comparing.comparison import similarity, stretches, word_likeness
from winnow_ci.model import IDENTIFIER_SKETCH, Fingerprints, LineRange, Tokens
from winnow_ci.model.comparison import ComparisonOptions, SharedStretch, ShareEstimate

if TYPE_CHECKING:
    from pathlib import Path

hash_sets = st.sets(st.integers(0, 60), max_size=40)


def array(values: set[int]) -> np.ndarray:
    return np.array(sorted(values), np.uint64)


@given(a=hash_sets, b=hash_sets, sketch=st.none() | st.integers(40, 100))
def test_from_all_they_are_the_shares_themselves(a: set[int], b: set[int], sketch: int | None) -> None:
    told = similarity(array(a), array(b), sketch)
    for share, whole in zip(told, (a | b, a, b), strict=True):
        assert share == ShareEstimate(len(a & b) / len(whole) if whole else float(not (a | b)))


@given(a=hash_sets, b=hash_sets, sketch=st.integers(1, 12))
def test_a_sketch_looks_at_the_smallest_of_both(a: set[int], b: set[int], sketch: int) -> None:
    told = similarity(array(a), array(b), sketch)
    if max(len(a), len(b)) <= sketch:
        assert told == similarity(array(a), array(b))
        return
    sample = set(sorted(a | b)[:sketch])
    for share, whole in zip(told, (sample, sample & a, sample & b), strict=True):
        assert share.value == (len(sample & a & b) / len(whole) if whole else 0)
        assert 0 < share.error <= sqrt(1 / 12)


@pytest.mark.parametrize("common", [0, 300, 1500, 2900])
def test_the_error_is_as_large_as_it_says(common: int) -> None:
    random = np.random.default_rng(common)
    off, said = [], []
    for _ in range(400):
        values = random.choice(2**62, 6000 - common, replace=False).astype(np.uint64)
        a, b = np.sort(values[:3000]), np.sort(values[3000 - common :])
        for truth, told in zip(similarity(a, b), similarity(a, b, 100), strict=True):
            off.append(told.value - truth.value)
            said.append(told.error)
    assert np.sqrt(np.mean(np.square(off))) <= 1.1 * np.sqrt(np.mean(np.square(said)))
    assert abs(np.mean(off)) < 0.01


# ---- words ----

# "a" to "d" are words, "(" is none.
TEXTS = st.lists(st.sampled_from("aaabbcd("), max_size=25).map("".join)


def tokens(letters: str) -> Tokens:
    codes = np.array([ord(letter) for letter in letters], np.uint64)
    lines = np.ones(len(codes), np.int32)
    sketch = np.where(codes >= ord("a"), IDENTIFIER_SKETCH.start, 1).astype(np.uint8)
    return Tokens(codes, codes, lines, lines, sketch)


def expected(one: str, other: str) -> Fraction:
    ours, theirs = (Counter(text.replace("(", "")) for text in (one, other))
    close = [
        word
        for word in set(ours) & set(theirs)
        if Fraction(5, 2) - (Fraction(ours[word], theirs[word]) + Fraction(theirs[word], ours[word])) > 0
    ]
    if not close:
        return Fraction(0)
    parts = [
        Fraction(sum(ours[word] * theirs[word] for word in close), sum(n * n for n in counts.values()))
        for counts in (ours, theirs)
    ]
    return min(Fraction(1), max(parts))


@given(TEXTS, TEXTS)
def test_words_that_occur_about_equally_often_count(one: str, other: str) -> None:
    found = word_likeness(tokens(one), tokens(other))
    event(f"{'none' if not found else 'capped' if found == 1 else 'between'}")
    assert found == pytest.approx(float(expected(one, other)))


def test_the_limit_itself_is_not_close() -> None:
    assert word_likeness(tokens("a"), tokens("aa")) == 0
    assert word_likeness(tokens("aa"), tokens("aaa")) == 1
    assert word_likeness(tokens("aabb"), tokens("bbaa")) == 1


# ---- stretches ----


def read(path: Path, text: str) -> FingerprintedDocument:
    path.write_text(text)
    file = find_body(str(path)).files[0]
    document = fingerprinted(tokenised_document(file), ComparisonOptions(), np.empty(0, np.uint64))
    assert isinstance(document, FingerprintedDocument)
    return document


def made_of(hashes: list[int]) -> FingerprintedDocument:
    count = np.arange(len(hashes))
    fingerprints = Fingerprints(np.array(hashes, np.uint64), count.astype(np.uint32), (3 * count).astype(np.uint32))
    return FingerprintedDocument(fingerprints, (count + 1).astype(np.int32), (count + 1).astype(np.int32))


def test_a_copied_function_is_one_stretch(tmp_path: Path) -> None:
    lines = ROUTES.splitlines()
    first = lines.index("def shortest_route(roads, start, goal):")
    last = lines.index("    return list(route), distance[goal]")
    copied = "\n".join(["VALUES = {}", "", "", *lines[first : last + 1], "", ""])
    (stretch,) = stretches(read(tmp_path / "a.py", ROUTES), read(tmp_path / "b.py", copied), 27)
    assert stretch.verbatim == stretch.fingerprints
    assert first + 1 <= stretch.lines.first <= first + 4
    assert last - 2 <= stretch.lines.last <= last + 1
    shift = first - 3
    assert stretch.lines_there == LineRange(stretch.lines.first - shift, stretch.lines.last - shift)


def test_renamed_code_is_shared_but_not_verbatim(tmp_path: Path) -> None:
    renamed = (
        ROUTES.replace("route", "path_").replace("distance", "far").replace("place", "spot").replace("closures", "c")
    )
    found = stretches(read(tmp_path / "a.py", ROUTES), read(tmp_path / "b.py", renamed), 27)
    assert sum(stretch.verbatim for stretch in found) < sum(stretch.fingerprints for stretch in found) / 2


def steps(gaps: list[int]) -> FingerprintedDocument:
    """A document with the fingerprints 1, 2, 3 …, so far apart; each stands on the line of its position."""
    positions = np.cumsum([0, *gaps]).astype(np.uint32)
    hashes = np.arange(1, len(positions) + 1, dtype=np.uint64)
    fingerprints = Fingerprints(hashes, np.zeros(len(positions), np.uint32), positions)
    return FingerprintedDocument(fingerprints, positions.astype(np.int32), positions.astype(np.int32))


@pytest.mark.parametrize(("here", "there", "found"), [(27, 27, 1), (28, 1, 2), (1, 28, 2)])
def test_a_stretch_goes_on_as_far_as_its_reach_in_both_documents(here: int, there: int, found: int) -> None:
    assert len(stretches(steps([here]), steps([there]), 27)) == found


@given(gaps=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=30))
def test_fingerprints_in_the_same_order_part_where_a_gap_is_too_wide(gaps: list[tuple[int, int]]) -> None:
    here, there = (steps([gap[side] for gap in gaps]) for side in (0, 1))
    cuts = [number for number, gap in enumerate(gaps, 1) if max(gap) > 27]
    runs = list(zip([0, *cuts], [*cuts, len(gaps) + 1], strict=True))
    event(f"stretches: {'one' if len(runs) == 1 else 'several'}")
    assert [stretch._replace(seeds=()) for stretch in stretches(here, there, 27)] == [
        SharedStretch(
            *(LineRange(side.first_lines[start], side.first_lines[end - 1]) for side in (here, there)),
            end - start,
            end - start,
        )
        for start, end in runs
    ]


@given(one=st.lists(st.integers(0, 9), max_size=40), other=st.lists(st.integers(0, 9), max_size=40))
def test_each_shared_fingerprint_is_in_one_stretch_that_rises_on_both_sides(one: list[int], other: list[int]) -> None:
    found = stretches(made_of(one), made_of(other), 9)
    assert sum(stretch.fingerprints for stretch in found) == sum(value in other for value in one)
    for stretch in found:
        assert stretch.lines.last - stretch.lines.first <= 3 * (stretch.fingerprints - 1)
        assert stretch.lines_there.last - stretch.lines_there.first >= stretch.fingerprints - 1
    assert [s.lines for s in found] == sorted(s.lines for s in found)
