"""Two sketches against each other: what the proof says of two documents that share a window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from sketch_variants import SAMPLING, VARIANTS, chance_of_miss, varied

from support.streams import streams
from winnow_ci.model.comparison import DocumentSketch
from winnow_ci.winnowing.bounded import Reduction, levels_of
from winnow_ci.winnowing.schemes import kgram_hashes

VALUES = kgram_hashes(np.arange(1, 201, dtype=np.uint64), 1).tolist()
documents = streams(st.sampled_from(VALUES[:4]) | st.sampled_from(VALUES) | st.just(0))
schemes = st.sampled_from(VARIANTS)


@settings(max_examples=30)
@given(items=documents, window=st.integers(1, 12), size=st.integers(1, 30), scheme=st.sampled_from(sorted(SAMPLING)))
def test_every_item_of_the_level_and_every_frequent_one_is_in_the_sketch(items, window, size, scheme):
    hashes = np.array(items, np.uint64)
    made = varied(hashes, scheme, DocumentSketch(window, size, 0.2))
    kept = set(hashes[made.places].tolist())

    assert made.size <= size
    level = int(-np.log2(made.rate))
    of_level = set(hashes[levels_of(hashes) >= level].tolist())
    frequent = {
        item
        for start in range(0, len(items), window)
        for item in items[start : start + 2 * window]
        if items[start : start + 2 * window].count(item) >= made.frequency
    }
    event(f"level {min(level, 3)}, frequent {bool(frequent)}")
    assert of_level | frequent <= kept


@settings(max_examples=30)
@given(
    shared=streams(st.sampled_from(VALUES[:12])),
    around=st.lists(streams(st.sampled_from(VALUES)), min_size=4, max_size=4),
    sizes=st.tuples(st.integers(1, 60), st.integers(1, 60)),
    scheme=st.sampled_from(VARIANTS[:4]),
)
def test_a_shared_window_is_found_unless_all_its_items_are_below_the_higher_level(shared, around, sizes, scheme):
    if not shared:
        return
    both, made = [], []
    for size, before, after in zip(sizes, around[:2], around[2:], strict=True):
        both.append(np.array([*before, *shared, *after], np.uint64))
        made.append(varied(both[-1], scheme, DocumentSketch(len(shared), size, 0.2)))
    kept = [set(own[one.places].tolist()) for own, one in zip(both, made, strict=True)]

    window = np.array(shared, np.uint64)
    rate, frequency = min(one.rate for one in made), max(one.frequency for one in made)
    promised = bool(np.any(levels_of(window) >= -np.log2(rate)))
    if scheme in SAMPLING:
        promised |= max(map(shared.count, shared)) >= frequency
    found = bool(kept[0] & kept[1] & set(shared))
    event(f"promised {promised}, found {found}")
    assert found or not promised


@pytest.mark.parametrize("scheme", VARIANTS)
def test_of_a_size_of_a_tenth_shared_windows_are_missed_as_rarely_as_the_sketches_say(scheme):
    """8,000 items, of which 600 are shared; a sketch of 800 of distinct items, and of items that recur."""
    random = np.random.default_rng(7)
    missed = said = 0.0
    for trial in range(12):
        words = random.integers(0, 2**64, 8_000, np.uint64)
        shared = words[random.zipf(1.3, 600) % 400] if trial % 2 else words[:600]
        both = []
        for start in random.integers(0, 7_400, 2):
            own = random.integers(0, 2**64, 8_000, np.uint64)
            own[start : start + 600] = shared
            both.append(own)
        made = [varied(own, scheme, DocumentSketch(600, 800, 0.2)) for own in both]
        assert max(one.size for one in made) <= 800
        kept = [own[one.places] for own, one in zip(both, made, strict=True)]
        missed += not np.isin(np.intersect1d(*kept), shared).any()
        said += chance_of_miss(Reduction().and_that_of(made[0]).and_that_of(made[1]), scheme, 600)
    assert missed <= said + 1
    # Not vacuous: what is said is little, but for the one that promises nothing.
    assert (said == 12) if scheme == "next-of-level" else (said < 1)


def test_the_size_that_the_proof_asks_for_is_taken_if_none_is_given():
    hashes = np.random.default_rng(1).integers(0, 2**64, 30_000, np.uint64)
    sizes = {scheme: varied(hashes, scheme, DocumentSketch(4_000, None, 0.1)).size for scheme in VARIANTS}
    assert sizes["one-a-window"] < 100 < sizes["bounded"] <= 30_000
    assert sizes["next-of-level"] <= 17
