"""Tokens of a copy stand for those of its source, also behind edits."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.model import IDENTIFIER_SKETCH
from winnow_ci.scanner.alignment import LONGEST_EDIT, aligned

RANDOM = np.random.default_rng(3)
SOURCE = RANDOM.integers(0, 256, 400).astype(np.uint8)
sketches = st.binary(max_size=300).map(lambda data: np.frombuffer(data, np.uint8))


@given(sketches, sketches)
def test_pairs_rise_and_are_of_one_class(here: np.ndarray, there: np.ndarray) -> None:
    ours, theirs = aligned(here, there)
    assert (np.diff(ours) > 0).all()
    assert (np.diff(theirs) > 0).all()
    classes = [np.digitize(side, [128, 208, 230]) for side in (here[ours], there[theirs])]
    assert (classes[0] == classes[1]).all()
    words = classes[0] == 0
    assert (here[ours][words] == there[theirs][words]).all()


@given(st.integers(20, 380), st.integers(0, LONGEST_EDIT), st.integers(0, LONGEST_EDIT))
def test_a_copy_is_found_again_behind_an_edit(at: int, dropped: int, added: int) -> None:
    copy = np.concatenate([SOURCE[:at], RANDOM.integers(0, 128, added).astype(np.uint8), SOURCE[at + dropped :]])
    ours, theirs = aligned(copy, SOURCE)
    pairs = set(zip(ours.tolist(), theirs.tolist(), strict=True))
    behind = {(place + added - dropped, place) for place in range(at + dropped, len(SOURCE))}
    assert {(place, place) for place in range(at)} <= pairs
    # A few tokens behind the edit may have gone with chance likeness before them.
    assert len(behind - pairs) <= 16


def test_names_are_one_class_whatever_they_are() -> None:
    here = np.arange(IDENTIFIER_SKETCH.start, IDENTIFIER_SKETCH.stop, dtype=np.uint8)
    assert len(aligned(here, here[::-1])[0]) == len(here)
