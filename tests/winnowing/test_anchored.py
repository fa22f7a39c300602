"""Every w-th k-gram from each anchor, against its definition, and what two versions of a text share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from support.streams import streams
from winnow_ci.winnowing import select
from winnow_ci.winnowing.anchored import ANCHORED

# Few distinct hashes make ties and periods, many make none; long ones have several anchors.
texts = streams(st.integers(0, 2)) | st.builds(
    lambda seed, count: np.random.default_rng(seed).integers(0, 2**64, count, np.uint64).tolist(),
    st.integers(0, 1000),
    st.integers(0, 900),
)


def naive(hashes: list[int], w: int) -> list[int]:
    """The places that are a multiple of w after the anchor before them, or before the first anchor."""
    count = len(hashes)
    if not count:
        return []
    w = min(w, count)
    anchors = select(np.array(hashes, np.uint64), max(w, ANCHORED), "robust").tolist()
    event(f"anchors: {'several' if len(anchors) > 1 else 'one'}, {'one at 0' if not anchors[0] else 'none at 0'}")
    chosen = []
    for place in range(count):
        anchor = max((a for a in anchors if a <= place), default=anchors[0])
        if (place - anchor) % w == 0:
            chosen.append(place)
    return chosen


def selected(hashes: list[int], w: int) -> list[int]:
    return select(np.array(hashes, np.uint64), w, "anchored").tolist()


@given(hashes=texts, w=st.integers(1, 20) | st.integers(90, 200))
def test_selects_what_the_definition_selects(hashes: list[int], w: int) -> None:
    assert selected(hashes, w) == naive(hashes, w)


@given(hashes=texts, w=st.integers(1, 20))
def test_no_gap_is_longer_than_a_window(hashes: list[int], w: int) -> None:
    if len(hashes) >= w:
        assert np.diff([-1, *selected(hashes, w), len(hashes)]).max() <= w


def random_hashes(count: int) -> np.ndarray:
    return np.random.default_rng(2026).integers(0, 2**64, count, np.uint64)


@pytest.mark.parametrize(("w", "density"), [(7, 0.1525), (12, 0.0925)])
def test_density_on_random_hashes(w: int, density: float) -> None:
    assert len(select(random_hashes(200_000), w, "anchored")) / 200_000 == pytest.approx(density, rel=0.02)


@pytest.mark.parametrize("period", [1, 2, 7, 50])
def test_density_on_a_periodic_text(period: int) -> None:
    hashes = np.resize(random_hashes(period), 10_000)
    assert len(select(hashes, 7, "anchored")) / 10_000 == pytest.approx(1 / 7, rel=0.1)


def test_a_token_more_at_the_start_moves_the_choices_up_to_the_next_anchor_only() -> None:
    text = random_hashes(20_000)
    longer = np.concatenate([random_hashes(20_001)[-1:], text])
    before, after = (set(one[select(one, 7, "anchored")].tolist()) for one in (text, longer))
    assert len(before - after) <= ANCHORED / 7 + 1
