"""What of a changed file is evidence, and what an index is asked for: enough for every run of t tokens."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on
from support.number_tables import random_numbers
from winnow_ci.languages import DATA, front_end_of, tokenize
from winnow_ci.model import WORD, Fingerprints, Hits, LineRange, Parameters, Phrases, Selection, Tokens
from winnow_ci.scanner.files import PreparedFile
from winnow_ci.scanner.look_up import (
    SHARED,
    asked_kgrams,
    file_kgrams,
    known_boilerplate,
    phrases_beside_added,
    without_boilerplate,
)
from winnow_ci.scanner.look_up import file_hits as file_hits_of
from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from winnow_ci.matching.hits import FileHits, FileKgrams


COUNT, K = 60, 16

# Which of the 45 k-grams are boilerplate: single ones, and such as lie over each other.
boilerplate = st.lists(st.tuples(st.integers(0, 44), st.integers(1, 12)), max_size=3)


@given(runs=boilerplate, added=st.sets(st.integers(0, COUNT - 1)))
def test_tokens_of_boilerplate_do_not_count_as_added(runs: list[tuple[int, int]], added: set[int]) -> None:
    numbers = {start + n for start, length in runs for n in range(length) if start + n < 45}
    kgrams = file_hits(tokens_on([1] * COUNT), added=np.isin(np.arange(COUNT), [*added]), k=K).kgrams
    left = without_boilerplate(kgrams, np.isin(np.arange(45), [*numbers]), K)
    covered = {token for start in numbers for token in range(start, start + K)}
    assert set(np.flatnonzero(left.added).tolist()) == added - covered
    assert set(np.flatnonzero(~left.informative).tolist()) == numbers
    assert set(np.flatnonzero(~left.informative_text).tolist()) == numbers


def test_what_said_nothing_before_says_nothing_without_boilerplate() -> None:
    kgrams = file_hits(tokens_on([1] * COUNT), informative=False, k=K).kgrams
    none = np.zeros(45, np.bool_)
    left = without_boilerplate(kgrams._replace(informative_text=none), none, K)
    assert not left.informative.any()
    assert not left.informative_text.any()


def test_a_phrase_stands_in_an_added_token_or_right_before_or_after_one() -> None:
    kgrams = file_hits(tokens_on([1] * COUNT), added=np.isin(np.arange(COUNT), [20, 21])).kgrams
    at = np.array([19, 20, 21, 22, 23], np.int32)
    phrases = Phrases(at.astype(np.uint64), at.astype(np.uint8), at > 99, at, at)
    assert phrases_beside_added(kgrams._replace(phrases=phrases)).tolist() == [False, True, True, True, False]


def literals(code: str) -> list[float]:
    """What a file's numbers say if another document has the same ones."""
    content = code.encode()
    tokens = tokenize("c", content)
    added = np.ones(len(tokens), np.bool_)
    file = PreparedFile("a.c", content, front_end_of("c"), tokens, (), added, language="c")
    kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
    none = Hits(np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))
    bits = file_hits_of(file, kgrams, none, none, (), K).literal_bits
    return [float(bits[at]) for at in np.flatnonzero(tokens.sketch >= 208) if tokens.sketch[at] < 230]


def test_numbers_in_tables_say_something_only_if_they_are_rare() -> None:
    rare, short = "".join(f"{number:#x}, " for number in random_numbers(5, 20)), "1789, " * 20
    in_tables = literals(f"int a[] = {{ {rare} {short} }};")
    assert in_tables[4:20] == pytest.approx([np.log2(22)] * 16, abs=0.001)
    assert set(in_tables[24:40]) == {0.0}
    among_code = literals(f"{'f(x); ' * 20} while (a->b[1789] != *c) {{ d = e ? (f | ~g) : -h % 3; i <<= 4; }}")
    assert among_code[0] == pytest.approx(np.log2(22), abs=0.001)


def test_in_a_file_with_few_numbers_none_is_rare() -> None:
    for count in (15, 16):
        content = ", ".join(f"0x9e3779b{number:x}" for number in range(count)).encode()
        tokens = tokenize("c", content)
        file = PreparedFile("a.c", content, front_end_of("c"), tokens, (), np.ones(len(tokens), np.bool_), language="c")
        kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
        assert kgrams.rare_numbers.any() == (count == 16)


def test_data_is_no_evidence_by_its_kgrams() -> None:
    content = b"".join(b'{"a": %d, "b%d": [c%d]}' % (n, n, n) for n in range(100))
    tokens = tokenize(DATA, content)
    file = PreparedFile(
        "a.json", content, front_end_of(DATA), tokens, (), np.ones(len(tokens), np.bool_), language=DATA
    )
    kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
    assert len(kgrams.kgrams) > 1000
    assert not kgrams.asked.any()


def go_hits(code: str) -> FileHits:
    content = code.encode()
    tokens, lines = tokenize("go", content), (LineRange(1, code.count("\n")),)
    added = np.ones(len(tokens), np.bool_)
    file = PreparedFile("a.go", content, front_end_of("go"), tokens, lines, added, language="go")
    kgrams = file_kgrams(file, Parameters(), np.empty(0, np.uint64))
    none = Hits(np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint32), np.empty(0, np.uint32))
    return file_hits_of(file, kgrams, none, none, (), K)


def test_what_a_file_imports_is_no_evidence_but_a_comment_there_is() -> None:
    names = 'quenchv1 "quench.example/zwirbel/ferrous"\n\tglimmer "glimmer.example/plinth/meta"\n'
    said = go_hits(f'package a\n\nimport (\n\t{names}\t// We borrow this plinth until noon.\n\tlast "last"\n)\n')
    are_phrases = said.kgrams.phrases.words != WORD
    assert said.kgrams.phrases.lines[are_phrases].tolist() == [6]
    other = go_hits(f'package a\n\nexported (\n\t{names}\t// We borrow this plinth until noon.\n\tlast "last"\n)\n')
    assert np.unique(other.kgrams.phrases.lines).tolist() == [3, 4, 5, 6]
    for bits, otherwise in (
        (said.token_bits, other.token_bits),
        (said.literal_bits, other.literal_bits),
        (said.new_literal_bits, other.new_literal_bits),
    ):
        assert not bits[2:].any()
        assert otherwise[2:].any()


AS_THE_INDEX = sorted(SHARED - {"mod-p"})
WORDS = 160


def random_words(seed: int, distinct: int, period: int = WORDS) -> list[int]:
    """Words that recur with a period."""
    own = random.Random(seed).choices(range(1, distinct + 1), k=period)
    return (own * WORDS)[:WORDS]


words = st.builds(random_words, st.integers(0, 10**6), st.sampled_from((2, 5, 300)), st.sampled_from((3, 7, WORDS)))


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
    asked = asked_kgrams(file, parameters, all_near=False)
    there = file_of(known, k)
    kept = select(there.kgrams.hashes, w, selection, there.tokens.structural) - at
    assert any(asked[own + place] for place in kept.tolist() if 0 <= place < w)


def test_of_random_code_a_sixth_is_asked_and_all_of_it_where_the_index_relies_on_that() -> None:
    chance = random.Random(1)
    file = file_of([chance.randrange(10**6) for _ in range(20_000)], 16)
    share = {name: asked_kgrams(file, Parameters(16, 9, name), all_near=False).mean() for name in SHARED}
    assert share["mod-minimizer"] == pytest.approx(3 / 19, rel=0.05)
    assert share["robust"] == share["winnowing"] == pytest.approx(2 / 10, rel=0.05)
    assert share["mod-p"] == pytest.approx(1 / 5, rel=0.05)
    for selection in ("anchored", "bounded", "bottom-s"):
        assert asked_kgrams(file, Parameters(16, 9, selection), all_near=False).all()


@pytest.mark.parametrize("selection", ["anchored", "robust"])
def test_what_says_nothing_is_asked_for_only_where_it_may_be_boilerplate(selection: Selection) -> None:
    file = file_of(random_words(3, 300), 16)
    silent = np.zeros(len(file.kgrams), np.bool_)
    file = file._replace(informative=silent, informative_text=silent)
    assert not asked_kgrams(file, Parameters(16, 9, selection), all_near=False).any()
    assert asked_kgrams(file, Parameters(16, 9, selection), all_near=True).any()
    none = file_hits(tokens_on([1] * 8)).kgrams
    assert len(asked_kgrams(none, Parameters(16, 9, selection), all_near=True)) == 0


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
    asked = asked_kgrams(file, Parameters(16, w, "robust"), all_near=True)
    boilerplate = np.zeros(len(asked), np.bool_)
    for start, length in runs:
        boilerplate[start : start + length] = True
    known = known_boilerplate(boilerplate & asked, asked, w)
    for start in range(len(asked) - w + 1):
        if not boilerplate[start : start + w].any():
            assert not known[start : start + w].any()
