"""K-gram hashes against the polynomial written out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.winnowing import kgram_hashes
from winnow_ci.winnowing.schemes import BASE

ids = st.lists(st.integers(0, 2**64 - 1), max_size=60)
MASK = 2**64 - 1


def naive_hash(kgram: list[int]) -> int:
    value = sum(token * BASE**j for j, token in enumerate(kgram)) & MASK
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


@given(tokens=ids, k=st.integers(1, 20))
def test_each_hash_is_the_polynomial_of_its_kgram(tokens: list[int], k: int) -> None:
    hashes = kgram_hashes(np.array(tokens, np.uint64), k)
    assert hashes.tolist() == [naive_hash(tokens[i : i + k]) for i in range(len(tokens) - k + 1)]


@given(before=ids, after=ids, kgram=st.lists(st.integers(0, 2**64 - 1), min_size=5, max_size=5))
def test_a_hash_does_not_depend_on_where_the_kgram_stands(
    before: list[int], after: list[int], kgram: list[int]
) -> None:
    alone = kgram_hashes(np.array(kgram, np.uint64), 5)
    inside = kgram_hashes(np.array(before + kgram + after, np.uint64), 5)
    assert inside[len(before)] == alone[0]


def test_low_bits_are_as_good_as_high_bits() -> None:
    hashes = kgram_hashes(np.arange(0, 1 << 30, 1 << 12, dtype=np.uint64), 16)
    for bits in (hashes & np.uint64(255), hashes >> np.uint64(56)):
        counts = np.bincount(bits.astype(np.int64), minlength=256)
        assert counts.min() > 0.8 * len(hashes) / 256
