"""Samples of single hashes against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.streams import streams
from winnow_ci.winnowing import kgram_hashes, select
from winnow_ci.winnowing.sampling import bottom_s

hash_lists = streams(st.integers(0, 30)) | streams(st.integers(0, 2**64 - 1))


@given(hashes=hash_lists, w=st.integers(1, 20))
def test_mod_p_selects_multiples_of_p(hashes: list[int], w: int) -> None:
    p = max(1, (min(w, len(hashes)) + 1) // 2)
    chosen = select(np.array(hashes, np.uint64), w, "mod-p").tolist()
    assert chosen == [position for position, value in enumerate(hashes) if value % p == 0]


@pytest.mark.parametrize(("w", "share"), [(12, 1 / 6), (11, 1 / 6), (100, 1 / 50), (1, 1), (2, 1)])
def test_density_of_mod_p(w: int, share: float) -> None:
    hashes = kgram_hashes(np.arange(200_000, dtype=np.uint64), 8)
    assert len(select(hashes, w, "mod-p")) / len(hashes) == pytest.approx(share, rel=0.05)


@pytest.mark.parametrize("w", [12, 100])
def test_how_often_mod_p_leaves_a_window_empty(w: int) -> None:
    hashes = np.random.default_rng(1994).integers(0, 2**64, 50_000 * w, np.uint64)
    chosen = np.zeros(len(hashes), bool)
    for part in np.array_split(np.arange(len(hashes)), 10):
        chosen[part[0] + select(hashes[part], w, "mod-p")] = True
    empty, chance = np.mean(~chosen.reshape(-1, w).any(axis=1)), (1 - 1 / ((w + 1) // 2)) ** w
    assert abs(empty - chance) < 4 * np.sqrt(chance * (1 - chance) / 50_000)


@given(hashes=hash_lists, s=st.integers(1, 40))
def test_bottom_s_selects_the_smallest_hashes_once(hashes: list[int], s: int) -> None:
    chosen = bottom_s(np.array(hashes, np.uint64), s=s).tolist()
    assert chosen == sorted(hashes.index(value) for value in sorted(set(hashes))[:s])


def test_bottom_s_keeps_no_more_of_a_long_document() -> None:
    hashes = kgram_hashes(np.arange(10_000, dtype=np.uint64), 8)
    assert len(select(hashes, 12, "bottom-s")) == 256


def test_the_papers_example_of_0_mod_4() -> None:
    """Figure 1 of Schleimer, Wilkerson and Aiken."""
    hashes = np.array([77, 72, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 72, 42, 17, 98], np.uint64)
    assert hashes[select(hashes, 8, "mod-p")].tolist() == [72, 8, 88, 72]
