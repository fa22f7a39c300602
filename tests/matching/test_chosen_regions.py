"""Which contents are read for a change, and which of its copies are reported: those that are no worse, nor idioms."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from support.file_hits import file_hits, tokens_on
from winnow_ci.matching.constants import Thresholds
from winnow_ci.matching.hits import shared_contents
from winnow_ci.matching.regions import find_regions
from winnow_ci.model import Hits, Parameters, TokenMap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from winnow_ci.model.regions import Region

K, COUNT = 16, 240
# What stands nowhere in the change, and the name that stands for one of the change if names were changed.
OTHER, OTHER_NAME = 127, 140
# A mark on each line, the same only from 120 lines to the next, and a name on every third.
HERE = np.where(np.arange(COUNT) % 3 == 0, 130, np.arange(COUNT) % 120).astype(np.uint8)


class Copied(NamedTuple):
    """A stretch of the change that a content has, where some of the names are other ones."""

    start: int
    end: int
    renamed: range = range(0)
    name: int = OTHER_NAME


def find(bits: Mapping[int, float], *contents: Sequence[Copied], a_line: int = 1, whole: int = 0) -> list[Region]:
    """The regions of a change of which a few tokens say something, beside contents that have some of it.

    What a content has stands there one far after the other, and all on one line but for a few lines of the first one,
    which are whole lines of the change, too.
    """
    maps, seeds = [], []
    for number, stretches in enumerate(contents):
        sketch = np.full(1000, OTHER, np.uint8)
        for place, (start, end, renamed, name) in enumerate(stretches):
            own, there = np.arange(start, end), 400 * place
            other = (HERE[own] == 130) & np.isin(own, renamed)
            sketch[there : there + end - start] = np.where(other, name, HERE[own])
            seeds += [
                (n, number, n - start + there, int(other[n - start :][:K].any())) for n in range(start, end - K + 1)
            ]
        there_lines = (1 + np.minimum(np.arange(1000) // a_line, whole)).astype(np.int32)
        maps.append(TokenMap(there_lines, there_lines, sketch))
    said = np.zeros(COUNT)
    said[[*bits]] = [*bits.values()]
    queries, numbers, positions, checks = np.array(sorted(seeds), np.int64).T
    hits = Hits(queries, numbers.astype(np.uint32), positions.astype(np.uint32), checks.astype(np.uint32))
    lines = [1 + number // a_line for number in range(COUNT)]
    file = file_hits(tokens_on(lines, HERE), bits=said, hits=hits)
    return find_regions(file, shared_contents(file, K), lambda number: maps[number], Parameters(), Thresholds())


# ---- which contents are read ------------------------------------------------------------------------------------


def read(bits: Mapping[int, float], *seeds: int, verbatim: bool = False, informative: bool = True) -> bool:
    """Whether a content is read that has some k-grams of the change."""
    said = np.zeros(COUNT)
    said[[*bits]] = [*bits.values()]
    count, asked = len(seeds), []
    checks = np.full(count, 0 if verbatim else 1, np.uint32)
    hits = Hits(np.array(seeds), np.zeros(count, np.uint32), np.array(seeds, np.uint32), checks)
    file = file_hits(tokens_on(range(1, COUNT + 1), HERE), bits=said, hits=hits, informative=informative)
    lines, sketch = np.ones(COUNT, np.int32), np.full(COUNT, OTHER, np.uint8)

    def token_map(content: int) -> TokenMap:
        asked.append(content)
        return TokenMap(lines, lines, sketch)

    assert find_regions(file, shared_contents(file, K), token_map, Parameters(), Thresholds()) == []
    return asked == [0]


def test_a_content_is_read_if_a_seed_says_18_bits() -> None:
    assert read({33: 10.0, 45: 8.0}, 30)
    assert not read({33: 10.0, 45: 7.99}, 30)
    # The first three tokens of a seed say nothing, nor do those beyond it.
    assert not read({32: 10.0, 45: 8.0}, 30)
    assert not read({33: 10.0, 46: 8.0}, 30)


def test_a_content_is_read_if_its_seeds_say_34_bits_together() -> None:
    assert read({40: 17.0, 90: 17.0}, 30, 80)
    assert not read({40: 17.0, 90: 16.99}, 30, 80)
    assert not read({40: 17.0, 90: 17.0}, 30)


def test_a_content_is_read_if_the_text_of_a_seed_is_equal() -> None:
    assert read({}, 30, verbatim=True)
    assert not read({}, 30)


def test_what_says_something_only_as_text_is_a_seed_where_the_text_is_equal() -> None:
    assert read({40: 50.0}, 30, verbatim=True, informative=False)
    assert not read({40: 50.0}, 30, informative=False)


def test_maps_of_64_contents_are_kept_at_a_time() -> None:
    """And of as many again while the next ones are read."""
    alive = 0
    most = []
    hits = Hits(
        np.full(200, 30), np.arange(200, dtype=np.uint32), np.full(200, 30, np.uint32), np.zeros(200, np.uint32)
    )
    file = file_hits(tokens_on(range(1, COUNT + 1), HERE), hits=hits)
    lines = np.ones(COUNT, np.int32)

    def gone() -> None:
        nonlocal alive
        alive -= 1

    def token_map(_content: int) -> TokenMap:
        nonlocal alive
        sketch = np.full(COUNT, OTHER, np.uint8)
        weakref.finalize(sketch, gone)
        alive += 1
        most.append(alive)
        return TokenMap(lines, lines, sketch)

    assert find_regions(file, shared_contents(file, K), token_map, Parameters(), Thresholds()) == []
    assert (len(most), max(most)) == (200, 128)


# ---- which copies are reported ----------------------------------------------------------------------------------


def wordings(*names: int) -> list[list[Copied]]:
    return [[Copied(0, 60, range(60), name)] for name in names]


@pytest.mark.parametrize(("bits", "kept"), [(40.0, 1), (39.99, 0)])
def test_a_candidate_is_looked_at_if_it_says_40_bits(bits: float, kept: int) -> None:
    assert len(find({30: bits}, *wordings(140))) == kept


@pytest.mark.parametrize(("length", "is_run"), [(24, True), (23, False)])
def test_a_verbatim_run_of_t_tokens_is_marked(length: int, is_run: bool) -> None:
    found = find({10: 99.0}, [Copied(0, length)])
    assert [region.is_run for region in found] == [is_run] * len(found)
    assert found or not is_run


def spans(regions: Sequence[Region]) -> list[tuple[int, int]]:
    return [(region.start, region.end) for region in regions]


@pytest.mark.parametrize("start", [75, 74, 50, 27])
def test_two_verbatim_copies_of_one_content_stay_however_they_overlap(start: int) -> None:
    both = Copied(0, 100), Copied(start, start + 100)
    assert sorted(spans(find({}, both))) == [(0, 100), (start, start + 100)]
    assert sorted(spans(find({}, both[::-1]))) == [(0, 100), (start, start + 100)]


@pytest.mark.parametrize(
    ("start", "said", "kept"), [(100, 70.0, [100]), (99, 70.0, [100]), (74, 70.0, [100]), (74, 39.0, [])]
)
def test_of_a_changed_copy_that_overlaps_a_better_one_the_rest_has_to_be_evidence(
    start: int, said: float, kept: list[int]
) -> None:
    both = Copied(0, 100), Copied(start, start + 100, range(start, start + 100))
    assert [
        region.start for region in find({30: 90.0, 150: said}, both) if region.content == 0 and region.start
    ] == kept


def test_a_copy_inside_a_better_one_is_the_same() -> None:
    assert spans(find({}, [Copied(40, 80), Copied(0, 100)])) == [(0, 100)]


@pytest.mark.parametrize(("said", "found"), [(4.99, [(0, 100), (0, 105)]), (5.01, [(0, 120)])])
def test_what_is_verbatim_all_through_may_say_5_percent_less_and_be_better(
    said: float, found: list[tuple[int, int]]
) -> None:
    """Of a longer view that says less, only what is verbatim all through stays beside it."""
    longer = Copied(0, 120, range(105, 106))
    assert spans(find({60: 100.0, 110: said}, [Copied(0, 100), longer])) == found


@pytest.mark.parametrize(("end", "a_line", "kept"), [(98, 20, 1), (99, 20, 2), (98, 15, 2)])
def test_a_copy_that_adds_eight_tokens_on_lines_of_a_better_one_is_the_same(end: int, a_line: int, kept: int) -> None:
    both = Copied(0, 90), Copied(30, end)
    assert spans(find({60: 80.0}, both, a_line=a_line)) == [(0, 90), (30, end)][:kept]
