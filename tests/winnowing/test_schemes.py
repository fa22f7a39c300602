"""Selection schemes against their definitions, written out naively, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.streams import streams
from winnow_ci.winnowing import kgram_hashes, select
from winnow_ci.winnowing.schemes import ANCHORED, bottom_s, gram_length

# Few distinct tokens make ties and periods, many make none; long texts have several anchors.
short_texts = streams(st.integers(0, 3)) | streams(st.integers(0, 2**64 - 1))
texts = short_texts | st.builds(
    lambda seed, count: np.random.default_rng(seed).integers(0, 2**64, count, np.uint64).tolist(),
    st.integers(0, 1000),
    st.integers(0, 900),
)
lengths, windows = st.integers(1, 24), st.integers(1, 20)


def random_ids(count: int) -> np.ndarray:
    return np.random.default_rng(2026).integers(0, 2**64, count, np.uint64)


def selected(hashes: list[int], w: int, scheme: str) -> list[int]:
    """What a scheme selects if each token is a k-gram."""
    values = np.array(hashes, np.uint64)
    return select(values, w, scheme, values).tolist()


def last_minimum(window: list[int]) -> int:
    return max(place for place, value in enumerate(window) if value == min(window))


# ---- definitions -----------------------------------------------------------------------------------------------


def naive_winnowing(hashes: list[int], w: int) -> list[int]:
    """Definition 1: in each window select the minimum hash value, the rightmost on a tie."""
    return sorted({start + last_minimum(hashes[start : start + w]) for start in range(len(hashes) - w + 1)})


def naive_robust(hashes: list[int], w: int) -> list[int]:
    """Definition 3: break ties by the same hash as the window one position to the left, else the rightmost."""
    chosen: list[int] = []
    for start in range(len(hashes) - w + 1):
        window = hashes[start : start + w]
        if not (chosen and chosen[-1] >= start and hashes[chosen[-1]] == min(window)):
            chosen.append(start + last_minimum(window))
    return chosen


def naive_anchored(hashes: list[int], w: int) -> list[int]:
    """The places that are a multiple of w after the anchor before them, or before the first anchor."""
    anchors = naive_robust(hashes, min(max(w, ANCHORED), len(hashes)))
    event(f"anchors: {'several' if len(anchors) > 1 else 'one'}, {'one at 0' if not anchors[0] else 'none at 0'}")
    before = [max((a for a in anchors if a <= place), default=anchors[0]) for place in range(len(hashes))]
    return [place for place, anchor in enumerate(before) if (place - anchor) % w == 0]


def naive_mod_p(hashes: list[int], w: int) -> list[int]:
    p = max(1, (w + 1) // 2)
    return [position for position, value in enumerate(hashes) if value % p == 0]


NAIVE = {"winnowing": naive_winnowing, "robust": naive_robust, "anchored": naive_anchored, "mod-p": naive_mod_p}


@pytest.mark.parametrize("scheme", NAIVE)
@given(hashes=texts, w=windows | st.integers(90, 200))
def test_selects_what_the_definition_selects(scheme: str, hashes: list[int], w: int) -> None:
    expected = NAIVE[scheme](hashes, min(w, len(hashes))) if hashes else []
    assert selected(hashes, w, scheme) == expected


def naive_mod_minimizer(ids: list[int], k: int, w: int) -> list[int]:
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
        own = start + last_minimum(grams[start : start + w + k - t]) % w
        if not (chosen and chosen[-1] >= start and hashes[chosen[-1]] == hashes[own]):
            chosen.append(own)
    return chosen


@given(ids=short_texts, k=lengths, w=windows)
def test_mod_minimizer_selects_what_the_definition_selects(ids: list[int], k: int, w: int) -> None:
    tokens = np.array(ids, np.uint64)
    assert select(kgram_hashes(tokens, k), w, "mod-minimizer", tokens).tolist() == naive_mod_minimizer(ids, k, w)


@given(hashes=short_texts, s=st.integers(1, 40))
def test_bottom_s_selects_the_smallest_hashes_once(hashes: list[int], s: int) -> None:
    chosen = bottom_s(np.array(hashes, np.uint64), s=s).tolist()
    assert chosen == sorted(hashes.index(value) for value in sorted(set(hashes))[:s])


@pytest.mark.parametrize(("k", "w", "t"), [(16, 12, 4), (23, 17, 6), (16, 9, 7), (15, 12, 15), (4, 12, 4), (3, 12, 3)])
def test_length_of_the_grams(k: int, w: int, t: int) -> None:
    assert gram_length(k, w) == t


def test_mod_minimizer_needs_the_tokens() -> None:
    with pytest.raises(ValueError, match="ids"):
        select(np.arange(5, dtype=np.uint64), 2, "mod-minimizer")


# ---- guarantees ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["winnowing", "robust", "anchored", "mod-minimizer"])
@given(ids=texts, k=lengths, w=windows)
def test_no_gap_is_longer_than_a_window(scheme: str, ids: list[int], k: int, w: int) -> None:
    tokens = np.array(ids, np.uint64)
    hashes = kgram_hashes(tokens, k)
    if len(hashes) >= w:
        assert np.diff([-1, *select(hashes, w, scheme, tokens).tolist(), len(hashes)]).max() <= w


@pytest.mark.parametrize("scheme", ["winnowing", "robust", "mod-minimizer"])
@given(
    shared=st.lists(st.integers(0, 4), min_size=40, max_size=80),
    around=st.lists(st.lists(st.integers(0, 4), max_size=60), min_size=4, max_size=4),
    k=lengths,
    w=st.integers(1, 12),
)
def test_a_shared_run_of_t_tokens_shares_a_fingerprint(
    scheme: str, shared: list[int], around: list[list[int]], k: int, w: int
) -> None:
    run = shared[: w + k - 1]
    fingerprints = []
    for before, after in (around[:2], around[2:]):
        ids = np.array(before + run + after, np.uint64)
        hashes = kgram_hashes(ids, k)
        chosen = select(hashes, w, scheme, ids)
        inside = chosen[(chosen >= len(before)) & (chosen < len(before) + w)]
        fingerprints.append(set(hashes[inside].tolist()))
    assert fingerprints[0] & fingerprints[1]


def test_a_token_more_at_the_start_moves_the_choices_up_to_the_next_anchor_only() -> None:
    text = random_ids(20_000)
    longer = np.concatenate([random_ids(20_001)[-1:], text])
    before, after = (set(one[select(one, 7, "anchored")].tolist()) for one in (text, longer))
    assert len(before - after) <= ANCHORED / 7 + 1


@pytest.mark.parametrize("w", [12, 100])
def test_how_often_mod_p_leaves_a_window_empty(w: int) -> None:
    hashes = np.random.default_rng(1994).integers(0, 2**64, 50_000 * w, np.uint64)
    chosen = np.zeros(len(hashes), bool)
    for part in np.array_split(np.arange(len(hashes)), 10):
        chosen[part[0] + select(hashes[part], w, "mod-p")] = True
    empty, chance = np.mean(~chosen.reshape(-1, w).any(axis=1)), (1 - 1 / ((w + 1) // 2)) ** w
    assert abs(empty - chance) < 4 * np.sqrt(chance * (1 - chance) / 50_000)


# ---- examples of the papers, short texts, densities ------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["winnowing", "robust"])
def test_the_papers_example_of_winnowing(scheme: str) -> None:
    """Figure 2 of Schleimer, Wilkerson and Aiken."""
    hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]
    figure_2 = [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]
    assert [(hashes[i], i) for i in selected(hashes, 4, "winnowing")] == figure_2
    assert set(selected(hashes, 4, scheme)) <= {position for _, position in figure_2}


def test_the_papers_example_of_0_mod_4() -> None:
    """Figure 1 of the same paper."""
    hashes = np.array([77, 72, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 72, 42, 17, 98], np.uint64)
    assert hashes[select(hashes, 8, "mod-p")].tolist() == [72, 8, 88, 72]


@pytest.mark.parametrize("scheme", ["winnowing", "robust"])
def test_short_inputs(scheme: str) -> None:
    assert selected([], 12, scheme) == []
    assert selected([5], 12, scheme) == [0]
    assert selected([5, 3, 3, 9], 12, scheme) == [2]


def density(ids: np.ndarray, k: int, w: int, scheme: str) -> float:
    hashes = kgram_hashes(ids, k)
    return len(select(hashes, w, scheme, ids)) / len(hashes)


@pytest.mark.parametrize(
    ("scheme", "k", "w", "share"),
    [
        *((scheme, 8, w, 2 / (w + 1)) for scheme in ("winnowing", "robust") for w in (2, 12, 100)),
        *(("anchored", 8, w, share) for w, share in ((7, 0.1525), (12, 0.0925))),
        *(
            ("mod-minimizer", k, w, (m + 1) / (m * w + 1))
            for k, w, m in ((16, 12, 2), (23, 17, 2), (64, 12, 6), (15, 12, 1))
        ),
        *(("mod-p", 8, w, share) for w, share in ((12, 1 / 6), (11, 1 / 6), (100, 1 / 50), (1, 1), (2, 1))),
        ("bottom-s", 8, 12, 256 / 199_993),
    ],
)
def test_density_on_random_tokens(scheme: str, k: int, w: int, share: float) -> None:
    assert density(random_ids(200_000), k, w, scheme) == pytest.approx(share, rel=0.05 if scheme == "mod-p" else 0.02)


@pytest.mark.parametrize(
    ("scheme", "k", "w", "period", "gap"),
    [
        *(("robust", 1, w, 1, w) for w in (1, 5, 12)),
        *(("winnowing", 1, w, 1, 1) for w in (1, 5, 12)),
        *(("anchored", 1, 7, period, 7) for period in (1, 2, 7, 50)),
        *(("mod-minimizer", 16, 12, *each) for each in ((1, 12), (2, 12), (5, 10), (7, 7), (12, 12))),
    ],
)
def test_density_on_a_periodic_text(scheme: str, k: int, w: int, period: int, gap: int) -> None:
    ids = np.resize(random_ids(period), 12_015)
    assert density(ids, k, w, scheme) == pytest.approx(1 / gap, rel=0.1 if scheme == "anchored" else 0.01)


@given(
    hashes=st.lists(st.integers(0, 20), min_size=1, max_size=80) | st.lists(st.integers(0, 2**64 - 1), min_size=1),
    w=st.integers(1, 12),
    more=st.integers(0, 12),
)
def test_what_a_wider_window_selects_a_narrower_one_selects_too(hashes: list[int], w: int, more: int) -> None:
    values = np.array(hashes, np.uint64)
    if len(values) >= w + more:
        assert set(select(values, w + more, "winnowing").tolist()) <= set(select(values, w, "winnowing").tolist())
