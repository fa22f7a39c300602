"""A change beside one known content: which chains are judged, and what is reported of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.file_hits import file_hits, tokens_on
from winnow_ci.matching.constants import Thresholds
from winnow_ci.matching.copies import Alignment
from winnow_ci.matching.extension import Segment
from winnow_ci.matching.hits import NOTHING_SHARED, Seeds, SharedPhrases
from winnow_ci.matching.judge import Judge
from winnow_ci.model import Parameters, TokenMap
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from winnow_ci.matching.hits import FileHits

K, COUNT = 6, 120
# What stands nowhere in the change.
OTHER = 127
# A mark on each line, none twice, and a name on every third.
HERE = np.where(np.arange(COUNT) % 3 == 0, 130, np.arange(COUNT)).astype(np.uint8)


def beside(*copied: tuple[int, int, int], renamed: int = 0, bits: dict[int, float] | None = None) -> Alignment:
    """The change beside a content that has some of its stretches, by start, end and diagonal.

    Names of the first tokens are other ones there. All k-grams in the stretches are seeds.
    """
    there = np.full(3 * COUNT, OTHER, np.uint8)
    seeds = []
    for start, end, diagonal in copied:
        names = (HERE[start:end] == 130) & (np.arange(start, end) < renamed)
        there[start + diagonal : end + diagonal] = np.where(names, 140, HERE[start:end])
        seeds += [(n, diagonal, n >= renamed) for n in range(start, end - K + 1)]
    positions, diagonals, verbatim = np.array(sorted(seeds), np.int64).reshape(-1, 3).T
    every = np.ones(len(seeds), np.bool_)
    said = np.zeros(COUNT)
    said[[*(bits or {})]] = [*(bits or {}).values()]
    file = file_hits(tokens_on(range(1, COUNT + 1), HERE), bits=said, k=K)
    lines = np.ones(len(there), np.int32)
    seen = Seeds(positions, diagonals, every, every, verbatim.astype(np.bool_))
    return alignment_of(file, TokenMap(lines, lines, there), seen)


def alignment_of(file: FileHits, there: TokenMap, seeds: Seeds) -> Alignment:
    return Alignment(Judge(file, Parameters(K), Thresholds()), 3, there, seeds, NOTHING_SHARED)


def with_file(alignment: Alignment, file: FileHits) -> Alignment:
    return alignment._replace(judge=alignment.judge._replace(file=file))


def parts(alignment: Alignment) -> list[list[tuple[int, int, int]]]:
    return [[part[:3] for part in one.segments] for one in alignment.structural(frozenset({0, 40}))]


@pytest.mark.parametrize(("bits", "candidates"), [(20.0, 1), (19.99, 0)])
def test_a_chain_of_20_bits_is_judged(bits: float, candidates: int) -> None:
    assert len(parts(beside((30, 60, 40), bits={40: 10.0, 50: bits - 10}))) == candidates


def test_equal_text_makes_a_chain_worth_more() -> None:
    alignment = beside((30, 60, 40), renamed=60, bits={40: 19.0})
    worth = file_hits(alignment.file.tokens, bits=alignment.file.token_bits, new_literals=0.25, k=K)
    # Two of three tokens are marks, and equal.
    assert parts(alignment) == []
    assert parts(with_file(alignment, worth)) == [[(30, 60, 40)]]


def test_edits_do_not_end_a_chain() -> None:
    found = parts(beside((30, 60, 40), (61, 80, 40), (82, 110, 38), bits={40: 20.0, 70: 20.0, 90: 20.0}))
    assert found == [[(30, 60, 40), (61, 80, 40), (82, 110, 38)]]


def test_diagonals_that_promise_nothing_are_not_looked_at() -> None:
    alignment = beside((30, 60, 40), bits={40: 30.0})
    assert len(alignment.structural(frozenset({40}))) == 1
    assert alignment.structural(frozenset({39})) == []
    assert alignment.structural(frozenset()) == []


def test_around_a_phrase_there_is_reason_to_look() -> None:
    alignment = beside((30, 60, 40), bits={40: 30.0})
    alignment = alignment._replace(seeds=alignment.seeds.part(slice(0)))
    one = SharedPhrases(*(np.array([value]) for value in (7, False, 45, 45, 20.0, True)))
    (found,) = alignment._replace(shared=one).structural(frozenset())
    assert [part[:3] for part in found.segments] == [(30, 60, 40)]
    assert found.said.bits == 20.0
    assert not found.by_text
    assert alignment.structural(frozenset()) == []


# ---- equal text -------------------------------------------------------------------------------------------------


def test_a_token_of_equal_text_is_worth_a_bit_and_seven_tenths() -> None:
    """Nine of them are worth 15.3 bits: a gap of 48 tokens to another diagonal costs 15.2, one of 49 costs 15.35."""
    for gap, chains in ((48, 1), (49, 2)):
        alignment = beside((0, 12, 5), (12, 24, 5 + gap))
        by_structure = [one for one in alignment.verbatim() if not one.by_text]
        assert len(by_structure) == chains


def test_verbatim_chains_are_of_seeds_whose_text_is_equal() -> None:
    alignment = beside((30, 90, 40), renamed=60)
    found = [(one.by_text, [part[:3] for part in one.segments]) for one in alignment.verbatim()]
    assert found == [(False, [(58, 90, 40)]), (True, [(58, 90, 40)])]
    common = alignment.seeds._replace(telling=np.zeros(len(alignment.seeds.positions), np.bool_))
    assert [one.by_text for one in alignment._replace(seeds=common).verbatim()] == [True]
    assert beside((30, 60, 40), renamed=60).verbatim() == []


def test_text_that_was_copied_twice_is_found_whole_both_times() -> None:
    """A chain has each token of the source once, and so it has only ten tokens of the second run."""
    here = HERE.copy()
    there = np.concatenate([here[:40], np.full(60, OTHER, np.uint8)])
    here[30:60] = there[10:40]
    runs = ((0, 30, 0), (30, 60, -20))
    at = np.array([(n, diagonal) for start, end, diagonal in runs for n in range(start, end - K + 1)], np.int64)
    every, lines = np.ones(len(at), np.bool_), np.ones(len(there), np.int32)
    file = file_hits(tokens_on(range(1, COUNT + 1), here), k=K)
    seeds = Seeds(at[:, 0], at[:, 1], every, every, every)
    alignment = alignment_of(file, TokenMap(lines, lines, there), seeds)
    best, *others = ([part[:3] for part in one.segments] for one in alignment.verbatim() if not one.by_text)
    assert not set(runs) <= set(best)
    assert set(runs) <= {part for chain in (best, *others) for part in chain}


def test_equal_text_is_a_seed_of_changed_copies_though_its_structure_says_nothing() -> None:
    alignment = beside((30, 60, 40), (70, 100, 40), renamed=60, bits={40: 30.0, 80: 30.0})
    none = np.zeros(len(alignment.seeds.positions), np.bool_)
    seeds = alignment.seeds._replace(informative=none)
    assert parts(alignment._replace(seeds=seeds)) == [[(30, 60, 40), (70, 100, 40)]]
    assert parts(alignment._replace(seeds=seeds._replace(verbatim=none))) == []


# ---- what is reported -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("same", "kind"), [(95, "verbatim"), (94, "renamed")])
def test_a_copy_is_verbatim_from_95_of_100_equal_tokens_on(same: int, kind: str) -> None:
    alignment = beside((0, 100, 40), renamed=3 * (100 - same))
    region = alignment.region(alignment.candidate((Segment(0, 100, 40, 9),)), "renamed", 70.0)
    assert (region.kind, region.matched, region.matched_verbatim) == (kind, 100, same)


def test_a_region_tells_where_what_was_copied_stands() -> None:
    alignment = beside((0, 40, 140), (42, 70, 10), (72, 100, 12), renamed=18, bits={20: 20.0, 50: 20.0, 90: 20.0})
    chain = tuple(Segment(*one, 1) for one in ((0, 40, 140), (42, 70, 10), (72, 100, 12)))
    region = alignment.region(alignment.candidate(chain), "renamed", 70.0)
    assert (region.content, region.kind, region.bits) == (3, "renamed", 70.0)
    assert (region.start, region.end, region.source_start, region.source_end) == (0, 100, 52, 180)
    assert (region.matched, region.matched_verbatim) == (96, 90)
    assert region.fingerprints == 35 + 23 + 23
    assert region.stretches == ((0, 140, 40), (42, 52, 28), (72, 84, 28))


@pytest.mark.parametrize(("end", "renamed", "kept"), [(60 + K, 0, 60 + K), (59 + K, 0, 50), (60 + K, 61, 50)])
def test_a_kgram_of_equal_text_at_an_end_is_no_chance_however_far_away(end: int, renamed: int, kept: int) -> None:
    """What it says by the tables is nothing here."""
    parts = ((0, 50, 0), (60, end, 3))
    alignment = beside(*parts, renamed=renamed, bits={20: 20.0})
    lines = np.concatenate([np.arange(1, 51), np.arange(500, 500 + COUNT - 50)]).astype(np.int32)
    tokens = replace(alignment.file.tokens, first_lines=lines, last_lines=lines)
    file = alignment.file._replace(kgrams=alignment.file.kgrams._replace(tokens=tokens))
    chain = tuple(Segment(*one, 1) for one in parts)
    far = with_file(alignment, file)
    assert far.region(far.candidate(chain), "verbatim", 70.0).end == kept


@pytest.mark.parametrize(("least", "end"), [(0, 40), (40, 40), (41, 44), (44, 44)])
def test_ends_stay_where_too_little_would_be_left(least: int, end: int) -> None:
    """Four tokens are a small part of the last line."""
    alignment = beside((0, 44, 0), bits={20: 20.0})
    lines = np.concatenate([np.full(40, 1), np.full(COUNT - 40, 2)]).astype(np.int32)
    tokens = replace(alignment.file.tokens, first_lines=lines, last_lines=lines)
    file = alignment.file._replace(kgrams=alignment.file.kgrams._replace(tokens=tokens))
    here = with_file(alignment, file)
    assert here.region(here.candidate((Segment(0, 44, 0, 1),)), "verbatim", 70.0, least).end == end
