"""Pairs of documents against the definition: every pair looked at."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from winnow_ci.comparing import partitions
from winnow_ci.comparing.pairing import POSTING, Counted, Limits, Ranking, postings, rank
from winnow_ci.comparing.partitions import Partitions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

documents = st.lists(st.sets(st.integers(0, 40), max_size=25), max_size=14)


def ranked(sets: Sequence[set[int]], limits: Limits, second_body: int | None = None) -> Ranking:
    with Partitions(POSTING) as by_hash:
        for number, hashes in enumerate(sets):
            own = np.array(sorted(hashes), np.uint64)
            by_hash.add(postings(own, number), own)
        return rank(by_hash, limits, second_body)


def expected(sets: Sequence[set[int]], limits: Limits, second_body: int | None = None) -> list[Counted]:
    owners = Counter(value for hashes in sets for value in hashes)
    counting = {value for value, count in owners.items() if count <= limits.most_documents}
    found = [
        Counted(one, other, len(sets[one] & sets[other] & counting))
        for one, other in combinations(range(len(sets)), 2)
        if second_body is None or one < second_body <= other
    ]
    return sorted((pair for pair in found if pair.shared >= limits.least), key=lambda pair: (-pair.shared, pair))


@given(sets=documents, most=st.integers(2, 8), least=st.integers(1, 6), top=st.integers(1, 30))
def test_the_pairs_that_share_most(sets: list[set[int]], most: int, least: int, top: int) -> None:
    limits = Limits(most, least, top)
    ranking, pairs = ranked(sets, limits), expected(sets, limits)
    assert list(ranking.pairs) == pairs[:top]
    assert ranking.found == len(pairs)
    owners = Counter(value for hashes in sets for value in hashes)
    assert ranking.left_out == sum(count > most for count in owners.values())
    assert ranking.matches == sum(count * (count - 1) // 2 for count in owners.values() if count <= most)


@given(sets=documents, second_body=st.integers(0, 14))
def test_only_pairs_across_two_bodies(sets: list[set[int]], second_body: int) -> None:
    limits = Limits(5, 1, 1000)
    assert list(ranked(sets, limits, second_body).pairs) == expected(sets, limits, second_body)


def test_more_than_fits_into_memory_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    sets = [set(random.integers(0, 4000, 300).tolist()) for _ in range(60)]
    limits = Limits(12, 1, 5000)
    whole = ranked(sets, limits)
    monkeypatch.setattr(partitions, "MEMORY_BYTES", partitions.PARTS * 64)
    monkeypatch.setattr(partitions, "_BUFFERED_ROWS", 100)
    assert ranked(sets, limits) == whole
    assert list(whole.pairs) == expected(sets, limits)


def test_documents_that_share_nothing_cost_no_matches() -> None:
    sets = [set(range(n * 100, n * 100 + 50)) for n in range(300)]
    assert ranked(sets, Limits(10, 1, 10)) == Ranking((), 0, 0, 0)
