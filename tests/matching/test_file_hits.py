"""Which k-grams of a changed file are looked up: those that say something, near added lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on

COUNT, K = 1000, 16


def reachable(*added: int) -> list[int]:
    """The k-grams that are near some added tokens."""
    file = file_hits(tokens_on([1] * COUNT), added=np.isin(np.arange(COUNT), added), k=K)
    return np.flatnonzero(file.kgrams.reachable).tolist()


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ((500,), range(300, 701)),
        ((500, 501, 502), range(300, 703)),
        ((100,), range(301)),
        ((900,), range(700, 985)),
        ((0,), range(201)),
        ((999,), range(799, 985)),
        ((), range(0)),
        ((200, 601), range(802)),
        ((200, 602), [*range(401), *range(402, 803)]),
    ],
)
def test_a_kgram_is_near_what_is_200_tokens_away(added: tuple[int, ...], expected: range) -> None:
    assert reachable(*added) == [*expected]


@given(added=st.sets(st.integers(0, COUNT - 1), max_size=6))
def test_near_is_what_a_plain_definition_says(added: set[int]) -> None:
    assert reachable(*added) == [n for n in range(COUNT - K + 1) if any(-200 <= n - token <= 200 for token in added)]


def test_what_says_nothing_is_not_asked_for() -> None:
    kgrams = file_hits(tokens_on([1] * 100), added=np.arange(100) == 0).kgrams
    none, first, second = (np.isin(np.arange(85), numbers) for numbers in ((), (3,), (4, 84)))
    asked = kgrams._replace(informative=first, informative_text=second).asked
    assert np.flatnonzero(asked).tolist() == [3, 4, 84]
    assert not kgrams._replace(informative=none, informative_text=none).asked.any()
