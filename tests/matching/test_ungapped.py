"""A diagonal promises what its best seed says, and what that gains beyond mismatches on both sides."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on
from support.sequences import alike, equal_kgrams
from winnow_ci.matching.extension import promising
from winnow_ci.matching.hits import Seeds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

K = 5
# Three tokens that are a class each, and two names, which are one class.
letters = st.sampled_from([0, 1, 2, 130, 131])


def class_of(token: int) -> int:
    return min(token, 128)


def naive_promise(
    here: list[int], there: list[int], bits: list[float], texts: list[float], position: int, diagonal: int
) -> float:
    def same(token: int) -> float:
        return texts[token] * (here[token] == there[token + diagonal])

    def gain(tokens: range) -> float:
        most = total = 0.0
        for token in tokens:
            agrees = 0 <= token < len(here) and 0 <= token + diagonal < len(there)
            alike = agrees and class_of(here[token]) == class_of(there[token + diagonal])
            total += bits[token] + same(token) if alike else -2.5
            most = max(most, total)
        return most

    own = sum(bits[position + 3 : position + K]) + sum(same(n) for n in range(position, position + K))
    after = range(position + K, position + K + 120)
    return own + gain(after) + gain(range(position - 1, position - 1 - 120, -1))


@given(both=alike(letters, 70), scale=st.sampled_from([0.5, 1.0]), data=st.data())
def test_it_is_what_the_best_seed_gains(both: tuple[list[int], list[int]], scale: float, data: st.DataObject) -> None:
    here, there = both
    # Whole or half numbers of bits, in a pattern in which several seeds of a diagonal rarely say the same.
    bits = [scale * ((7 * n) % 11 + n % 2) for n in range(len(here))]
    texts = [float((5 * n) % 7) * (token > 127) for n, token in enumerate(here)]
    equal = equal_kgrams([*map(class_of, here)], [*map(class_of, there)], K)
    chosen = sorted(data.draw(st.lists(st.sampled_from(equal), unique=True, max_size=8))) if equal else []
    by_diagonal: dict[int, list[int]] = defaultdict(list)
    for position, diagonal in chosen:
        by_diagonal[diagonal].append(position)
    best = {diagonal: max(own, key=lambda q: sum(bits[q + 3 : q + K])) for diagonal, own in by_diagonal.items()}
    expected = {d for d, q in best.items() if naive_promise(here, there, bits, texts, q, d) >= 32}
    assert promised(here, there, bits, texts, chosen) == expected


def promised(
    here: list[int], there: list[int], bits: ArrayLike, texts: ArrayLike, seeds: Sequence[tuple[int, int]]
) -> frozenset[int]:
    """The promising diagonals, given seeds by position and diagonal."""
    file = file_hits(tokens_on([1] * len(here), here), bits=bits, new_literals=texts, k=K)
    positions, diagonals = (np.array([pair[side] for pair in seeds], np.int64) for side in (0, 1))
    every = np.ones(len(seeds), np.bool_)
    return promising(file, np.array(there, np.uint8), Seeds(positions, diagonals, every, every, every), K)


# ---- numbers that are documented --------------------------------------------------------------------------------


def promises(
    here: list[int],
    there: list[int],
    bits: dict[int, float],
    texts: dict[int, float] | None = None,
    positions: tuple[int, ...] = (200,),
) -> bool:
    """Whether a seed at token 200 of the change promises a copy, if a few tokens say something."""
    said, text_said = np.zeros(len(here)), np.zeros(len(here))
    for values, given_bits in ((said, bits), (text_said, texts or {})):
        values[[*given_bits]] = [*given_bits.values()]
    return promised(here, there, said, text_said, [(position, 0) for position in positions]) == {0}


SAME = [1] * 400


def test_a_diagonal_promises_32_bits() -> None:
    assert promises(SAME, SAME, {203: 18.0, 204: 14.0})
    assert not promises(SAME, SAME, {203: 18.0, 204: 13.99})
    assert promises(SAME, SAME, {}, {200: 26.0, 204: 6.0})
    assert not promises(SAME, SAME, {}, {200: 26.0, 204: 5.99})


def test_the_first_three_tokens_of_a_seed_say_nothing_by_their_class() -> None:
    assert promises(SAME, SAME, {203: 32.0})
    assert not promises(SAME, SAME, {202: 32.0, 203: 31.0})


def test_a_mismatch_costs_two_bits_and_a_half() -> None:
    for mismatch, gain in ((205, 206), (199, 198)):
        there = [*SAME[:mismatch], 2, *SAME[mismatch + 1 :]]
        assert promises(SAME, there, {203: 18.0, gain: 16.5})
        assert not promises(SAME, there, {203: 18.0, gain: 16.49})
        assert promises(SAME, there, {203: 32.0, gain: 1.0})


def test_a_seed_is_extended_by_120_tokens_each_way() -> None:
    for last, first_beyond in ((324, 325), (80, 79)):
        assert promises(SAME, SAME, {last: 32.0})
        assert not promises(SAME, SAME, {first_beyond: 32.0})


def test_of_several_seeds_on_a_diagonal_the_one_that_says_most_is_extended() -> None:
    apart = [*SAME[:100], *[2] * 50, *SAME[150:]]
    for best in (50, 203):
        assert promises(SAME, apart, {best: 32.0, 204: 1.0}, positions=(47, 200))
    # Neither by itself, and they are not added up.
    assert not promises(SAME, apart, {50: 31.0, 203: 31.5}, positions=(47, 200))


def test_a_seed_beyond_the_content_promises_nothing() -> None:
    said = np.full(400, 9.0)
    assert promised(SAME, SAME[:205], said, said, [(200, 0)]) == {0}
    assert promised(SAME, SAME[:204], said, said, [(200, 0), (3, 900)]) == frozenset()
