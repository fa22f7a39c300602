"""Selection against the definitions of Schleimer, Wilkerson and Aiken (2003), written out naively."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.streams import streams
from winnow_ci.winnowing import Scheme, kgram_hashes, select

# Few distinct values make ties, many make none.
hash_lists = streams(st.integers(0, 3)) | streams(st.integers(0, 2**64 - 1))
windows = st.integers(1, 20)

SCHEMES: tuple[Scheme, ...] = ("winnowing", "robust")


def naive_winnowing(hashes: list[int], w: int) -> list[int]:
    """Definition 1: in each window select the minimum hash value, the rightmost on a tie."""
    chosen = set()
    for start in range(len(hashes) - w + 1):
        window = hashes[start : start + w]
        chosen.add(start + max(i for i, value in enumerate(window) if value == min(window)))
    return sorted(chosen)


def naive_robust(hashes: list[int], w: int) -> list[int]:
    """Definition 3: break ties by the same hash as the window one position to the left, else the rightmost."""
    chosen: list[int] = []
    for start in range(len(hashes) - w + 1):
        window = hashes[start : start + w]
        if chosen and chosen[-1] >= start and hashes[chosen[-1]] == min(window):
            continue
        chosen.append(start + max(i for i, value in enumerate(window) if value == min(window)))
    return chosen


NAIVE = {"winnowing": naive_winnowing, "robust": naive_robust}


def selected(hashes: list[int], w: int, scheme: Scheme) -> list[int]:
    return select(np.array(hashes, np.uint64), w, scheme).tolist()


@pytest.mark.parametrize("scheme", SCHEMES)
@given(hashes=hash_lists, w=windows)
def test_selects_what_the_definition_selects(scheme: Scheme, hashes: list[int], w: int) -> None:
    window = min(w, len(hashes))
    expected = NAIVE[scheme](hashes, window) if hashes else []
    assert selected(hashes, w, scheme) == expected


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_worked_example_of_the_paper(scheme: Scheme) -> None:
    hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]
    figure_2 = [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]
    assert [(hashes[i], i) for i in selected(hashes, 4, "winnowing")] == figure_2
    assert set(selected(hashes, 4, scheme)) <= {position for _, position in figure_2}


@pytest.mark.parametrize("scheme", SCHEMES)
@given(hashes=hash_lists, w=windows)
def test_no_gap_is_longer_than_a_window(scheme: Scheme, hashes: list[int], w: int) -> None:
    positions = selected(hashes, w, scheme)
    if len(hashes) >= w:
        gaps = np.diff([-1, *positions, len(hashes)])
        assert gaps.max() <= w


@pytest.mark.parametrize("scheme", SCHEMES)
@given(
    shared=st.lists(st.integers(0, 4), min_size=40, max_size=80),
    around=st.lists(st.lists(st.integers(0, 4), max_size=40), min_size=4, max_size=4),
    k=st.integers(1, 10),
    w=st.integers(1, 12),
)
def test_a_shared_run_of_t_tokens_shares_a_fingerprint(
    scheme: Scheme, shared: list[int], around: list[list[int]], k: int, w: int
) -> None:
    run = shared[: w + k - 1]
    fingerprints = []
    for before, after in (around[:2], around[2:]):
        hashes = kgram_hashes(np.array(before + run + after, np.uint64), k)
        chosen = select(hashes, w, scheme)
        inside = chosen[(chosen >= len(before)) & (chosen < len(before) + w)]
        fingerprints.append(set(hashes[inside].tolist()))
    assert fingerprints[0] & fingerprints[1]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("w", [2, 12, 100])
def test_density_on_random_input(scheme: Scheme, w: int) -> None:
    hashes = np.random.default_rng(2003).integers(0, 2**64, 200_000, np.uint64)
    assert len(select(hashes, w, scheme)) / len(hashes) == pytest.approx(2 / (w + 1), rel=0.02)


@pytest.mark.parametrize("w", [1, 5, 12])
def test_density_on_a_constant_string(w: int) -> None:
    hashes = np.full(1200, 7, np.uint64)
    assert len(select(hashes, w, "robust")) == len(hashes) // w
    assert len(select(hashes, w, "winnowing")) == len(hashes) - w + 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_short_inputs(scheme: Scheme) -> None:
    assert selected([], 12, scheme) == []
    assert selected([5], 12, scheme) == [0]
    assert selected([5, 3, 3, 9], 12, scheme) == [2]
