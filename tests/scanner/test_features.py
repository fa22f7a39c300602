"""What of a changed file is evidence: nothing that boilerplate covers, and phrases only where something is new."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from support.file_hits import file_hits, tokens_on
from winnow_ci.model import Phrases
from winnow_ci.scanner.features import phrases_beside_added, without

COUNT, K = 60, 16

# Which of the 45 k-grams are boilerplate: single ones, and such as lie over each other.
boilerplate = st.lists(st.tuples(st.integers(0, 44), st.integers(1, 12)), max_size=3)


@given(runs=boilerplate, added=st.sets(st.integers(0, COUNT - 1)))
def test_tokens_of_boilerplate_do_not_count_as_added(runs: list[tuple[int, int]], added: set[int]) -> None:
    numbers = {start + n for start, length in runs for n in range(length) if start + n < 45}
    kgrams = file_hits(tokens_on([1] * COUNT), added=np.isin(np.arange(COUNT), [*added]), k=K).kgrams
    left = without(kgrams, np.isin(np.arange(45), [*numbers]), K)
    covered = {token for start in numbers for token in range(start, start + K)}
    assert set(np.flatnonzero(left.added).tolist()) == added - covered
    assert set(np.flatnonzero(~left.informative).tolist()) == numbers
    assert set(np.flatnonzero(~left.informative_text).tolist()) == numbers


def test_what_said_nothing_before_says_nothing_without_boilerplate() -> None:
    kgrams = file_hits(tokens_on([1] * COUNT), informative=False, k=K).kgrams
    none = np.zeros(45, np.bool_)
    left = without(kgrams._replace(informative_text=none), none, K)
    assert not left.informative.any()
    assert not left.informative_text.any()


def test_a_phrase_stands_in_an_added_token_or_right_before_or_after_one() -> None:
    kgrams = file_hits(tokens_on([1] * COUNT), added=np.isin(np.arange(COUNT), [20, 21])).kgrams
    at = np.array([19, 20, 21, 22, 23], np.int32)
    phrases = Phrases(at.astype(np.uint64), at.astype(np.uint8), at > 99, at, at)
    assert phrases_beside_added(kgrams._replace(phrases=phrases)).tolist() == [False, True, True, True, False]
