"""A diagonal promises what its best seed says, and what that gains beyond mismatches on both sides."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.matching.chaining import CONTEXT
from winnow_ci.matching.ungapped import LEAST_PROMISE, MISMATCH, REACH, ContentSeeds, QueryBits, promising

K = 5
# Three tokens that are a class each, and two names, which are one class.
sequences = st.lists(st.sampled_from([0, 1, 2, 130, 131]), min_size=K, max_size=150)


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
            total += bits[token] + same(token) if alike else -MISMATCH
            most = max(most, total)
        return most

    own = sum(bits[position + CONTEXT : position + K]) + sum(same(n) for n in range(position, position + K))
    after = range(position + K, position + K + REACH)
    return own + gain(after) + gain(range(position - 1, position - 1 - REACH, -1))


@given(here=sequences, contents=st.lists(sequences, min_size=1, max_size=4), data=st.data())
def test_it_is_what_the_best_seed_gains(here: list[int], contents: list[list[int]], data: st.DataObject) -> None:
    # Whole numbers of bits, in a pattern in which several seeds of a diagonal rarely say the same.
    bits = [float((7 * n) % 11 + n % 2) for n in range(len(here))]
    texts = [float((5 * n) % 7) * (token > 127) for n, token in enumerate(here)]
    places, expected = [], []
    for there in contents:
        equal = [
            (q, p - q)
            for q in range(len(here) - K + 1)
            for p in range(len(there) - K + 1)
            if [*map(class_of, here[q : q + K])] == [*map(class_of, there[p : p + K])]
        ]
        chosen = data.draw(st.lists(st.sampled_from(equal), unique=True)) if equal else []
        by_diagonal: dict[int, list[int]] = defaultdict(list)
        for position, diagonal in chosen:
            by_diagonal[diagonal].append(position)
        best = {
            diagonal: max(sorted(of_it), key=lambda q: sum(bits[q + CONTEXT : q + K]))
            for diagonal, of_it in by_diagonal.items()
        }
        promised = {d for d, q in best.items() if naive_promise(here, there, bits, texts, q, d) >= LEAST_PROMISE}
        expected.append(promised)
        chosen.sort()
        positions, diagonals = (np.array([pair[side] for pair in chosen], np.int64) for side in (0, 1))
        places.append(ContentSeeds(np.array(there, np.uint8), positions, diagonals))
    said = QueryBits(np.array(here, np.uint8), np.array(bits), np.array(texts))
    assert promising(said, places, K) == expected
