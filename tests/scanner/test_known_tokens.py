"""Which tokens were there before, against the definition written out."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.scanner.moved_code import known_tokens, without_slides

# Those of the default parameters, whatever an index has.
K, T = 16, 27
lengths = st.lists(st.integers(1, 2 * T), max_size=9)


def naive(kgrams: list[bool]) -> list[bool]:
    covered = [any(kgrams[max(0, token - K + 1) : token + 1]) for token in range(len(kgrams) + K - 1)]
    joined = covered.copy()
    for start in range(len(covered)):
        for end in range(start + 1, min(start + K, len(covered))):
            if start and covered[start - 1] and covered[end] and not any(covered[start:end]):
                joined[start:end] = [True] * (end - start)
    long = [any(all(kgrams[s : s + T - K + 1]) for s in range(t - T + 1, t + 1) if 0 <= s <= len(kgrams) - (T - K + 1))
            for t in range(len(covered))]  # fmt: skip
    known = [False] * len(covered)
    for token in (token for token, is_long in enumerate(long) if is_long):
        for step in (-1, 1):
            place = token
            while 0 <= place < len(joined) and joined[place]:
                known[place] = True
                place += step
    return known


@given(lengths, st.booleans())
def test_known_tokens_are_those_of_the_definition(runs: list[int], begins: bool) -> None:
    kgrams = [begins ^ bool(number % 2) for number, length in enumerate(runs) for _ in range(length)]
    assert known_tokens(np.array(kgrams, np.bool_)).tolist() == naive(kgrams)


def test_a_phrase_is_nothing_that_was_there() -> None:
    kgrams = np.zeros(100, np.bool_)
    kgrams[40 : 40 + T - K] = True
    assert not known_tokens(kgrams).any()
    kgrams[40 + T - K] = True
    assert known_tokens(kgrams).nonzero()[0].tolist() == list(range(40, 40 + T))


def test_stretches_less_than_k_tokens_apart_are_one() -> None:
    for gap, last in ((K - 1, T + K - 1 + K), (K, T)):
        kgrams = np.zeros(100, np.bool_)
        kgrams[: T - K + 1] = True
        kgrams[T + gap] = True
        assert known_tokens(kgrams).nonzero()[0].tolist() == [*range(last)]


NEW, LOST, OLD = "n", "l", "o"


def kept(tokens: str) -> str:
    """What is left of lost tokens, among new ones and old ones that were not added."""
    marks = np.array(list(tokens))
    left = without_slides(marks != OLD, marks == LOST)
    assert not (left & (marks != LOST)).any()
    return "".join(
        LOST if is_lost else mark if mark != LOST else NEW for is_lost, mark in zip(left, marks, strict=True)
    )


@pytest.mark.parametrize("own", [OLD * 3, ""])
def test_the_end_of_new_code_beside_what_stayed_is_new(own: str) -> None:
    few, many = LOST * (K - 1), LOST * K
    for tokens in (NEW * 5 + few + own, own + few + NEW * 5):
        assert LOST not in kept(tokens)
    for tokens in (NEW * 5 + many + own, own + many + NEW * 5):
        assert kept(tokens) == tokens


@given(st.lists(st.tuples(st.sampled_from([NEW, LOST, OLD]), st.integers(1, K + 3)), max_size=9))
def test_what_lies_between_new_code_or_between_old_code_stays_lost(parts: list[tuple[str, int]]) -> None:
    tokens = "".join(mark * count for mark, count in parts)
    expected = tokens
    for found in re.finditer(f"{LOST}+", tokens):
        beside = [tokens[found.start() - 1 : found.start()], tokens[found.end() : found.end() + 1]]
        if beside.count(NEW) == 1 and len(found[0]) < K:
            expected = expected[: found.start()] + NEW * len(found[0]) + expected[found.end() :]
    assert kept(tokens) == expected
