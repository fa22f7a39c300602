"""Mod-minimizers against their definition, written out naively."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.streams import streams
from winnow_ci.winnowing import kgram_hashes, select
from winnow_ci.winnowing.mod_minimizer import gram_length

# Few distinct tokens make ties and periods, many make none.
texts = streams(st.integers(0, 2)) | streams(st.integers(0, 2**64 - 1))


def naive(ids: list[int], k: int, w: int) -> list[int]:
    """Position of the smallest t-gram of the window, the rightmost on a tie, modulo w; t ≥ 4 and t ≡ k modulo w.

    The choice of the window before is kept while it is in the window and equals the window's own choice.
    """
    hashes = kgram_hashes(np.array(ids, np.uint64), k).tolist()
    w = min(w, len(hashes))
    if not hashes:
        return []
    t = min(k, 4)
    while t % w != k % w:
        t += 1
    grams = kgram_hashes(np.array(ids, np.uint64), t).tolist()
    chosen: list[int] = []
    for start in range(len(hashes) - w + 1):
        window = grams[start : start + w + k - t]
        x = max(i for i, value in enumerate(window) if value == min(window))
        own = start + x % w
        if not (chosen and chosen[-1] >= start and hashes[chosen[-1]] == hashes[own]):
            chosen.append(own)
    return chosen


def selected(ids: list[int], k: int, w: int) -> list[int]:
    tokens = np.array(ids, np.uint64)
    return select(kgram_hashes(tokens, k), w, "mod-minimizer", tokens).tolist()


@given(ids=texts, k=st.integers(1, 24), w=st.integers(1, 20))
def test_selects_what_the_definition_selects(ids: list[int], k: int, w: int) -> None:
    assert selected(ids, k, w) == naive(ids, k, w)


@given(ids=texts, k=st.integers(1, 24), w=st.integers(1, 20))
def test_no_gap_is_longer_than_a_window(ids: list[int], k: int, w: int) -> None:
    count = len(ids) - k + 1
    if count >= w:
        assert np.diff([-1, *selected(ids, k, w), count]).max() <= w


@given(
    shared=st.lists(st.integers(0, 2), min_size=40, max_size=80),
    around=st.lists(st.lists(st.integers(0, 2), max_size=60), min_size=4, max_size=4),
    k=st.integers(1, 24),
    w=st.integers(1, 12),
)
def test_a_shared_run_of_t_tokens_shares_a_fingerprint(
    shared: list[int], around: list[list[int]], k: int, w: int
) -> None:
    run = shared[: w + k - 1]
    fingerprints = []
    for before, after in (around[:2], around[2:]):
        ids = np.array(before + run + after, np.uint64)
        hashes = kgram_hashes(ids, k)
        chosen = select(hashes, w, "mod-minimizer", ids)
        inside = chosen[(chosen >= len(before)) & (chosen < len(before) + w)]
        fingerprints.append(set(hashes[inside].tolist()))
    assert fingerprints[0] & fingerprints[1]


@pytest.mark.parametrize(("k", "w", "t"), [(16, 12, 4), (23, 17, 6), (16, 9, 7), (15, 12, 15), (4, 12, 4), (3, 12, 3)])
def test_length_of_the_grams(k: int, w: int, t: int) -> None:
    assert gram_length(k, w) == t


def density(ids: np.ndarray, k: int, w: int) -> float:
    hashes = kgram_hashes(ids, k)
    return len(select(hashes, w, "mod-minimizer", ids)) / len(hashes)


@pytest.mark.parametrize(("k", "w", "m"), [(16, 12, 2), (23, 17, 2), (64, 12, 6), (15, 12, 1)])
def test_density_on_random_tokens(k: int, w: int, m: int) -> None:
    ids = np.random.default_rng(2024).integers(0, 2**64, 200_000, np.uint64)
    assert density(ids, k, w) == pytest.approx((m + 1) / (m * w + 1), rel=0.02)


@pytest.mark.parametrize(("period", "gap"), [(1, 12), (2, 12), (5, 10), (7, 7), (12, 12)])
def test_density_on_a_periodic_text(period: int, gap: int) -> None:
    ids = np.arange(12_015, dtype=np.uint64) % np.uint64(period)
    assert density(ids, 16, 12) == pytest.approx(1 / gap, rel=0.01)


def test_it_needs_the_tokens() -> None:
    with pytest.raises(ValueError, match="ids"):
        select(np.arange(5, dtype=np.uint64), 2, "mod-minimizer")
