"""Pairs of documents against the definition: every pair looked at."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.comparing import pairing
from winnow_ci.comparing.pairing import HASH_POSTING, DocumentPair, PairRanking, Partitions, postings, rank
from winnow_ci.model.comparison import PairLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from winnow_ci.model.comparison import Rank

# Few different hashes, so that most sets share some, and some hashes are in more documents than count.
documents = st.lists(st.sets(st.integers(0, 12), max_size=12), max_size=14)


def ranked(sets: Sequence[set[int]], limits: PairLimits, second_body: int | None = None) -> PairRanking:
    with Partitions(HASH_POSTING) as by_hash:
        for number, hashes in enumerate(sets):
            own = np.array(sorted(hashes), np.uint64)
            by_hash.add(postings(own, number), own)
        return rank(by_hash, limits, second_body)


def expected(sets: Sequence[set[int]], limits: PairLimits, second_body: int | None = None) -> list[DocumentPair]:
    owners = Counter(value for hashes in sets for value in hashes)
    found = []
    for one, other in combinations(range(len(sets)), 2):
        both = [value for value in sets[one] & sets[other] if owners[value] <= limits.most_documents]
        weight = sum(Fraction(1, owners[value] - 1) for value in both)
        if len(both) >= limits.least and (second_body is None or one < second_body <= other):
            found.append(DocumentPair(one, other, len(both), round(float(weight), 6)))
    return sorted(found, key=lambda pair: (-(pair.weight if limits.rank == "weight" else pair.shared), pair))


@given(
    sets=documents,
    most=st.integers(2, 8),
    least=st.integers(1, 6),
    top=st.integers(1, 8),
    rank=st.sampled_from(["weight", "count"]),
)
def test_the_pairs_that_share_most(sets: list[set[int]], most: int, least: int, top: int, rank: Rank) -> None:
    limits = PairLimits(most, least, top, rank)
    ranking, pairs = ranked(sets, limits), expected(sets, limits)
    event(f"pairs: {'none' if not pairs else 'cut' if len(pairs) > top else 'all'}, left out: {ranking.left_out > 0}")
    assert list(ranking.pairs) == pairs[:top]
    assert ranking.found == len(pairs)
    owners = Counter(value for hashes in sets for value in hashes)
    assert ranking.left_out == sum(count > most for count in owners.values())
    assert ranking.matches == sum(count * (count - 1) // 2 for count in owners.values() if count <= most)


@given(st.data())
def test_only_pairs_across_two_bodies(data: st.DataObject) -> None:
    sets = data.draw(documents)
    second_body = data.draw(st.integers(0, len(sets)))
    limits = PairLimits(5, 1, 1000)
    assert list(ranked(sets, limits, second_body).pairs) == expected(sets, limits, second_body)


def test_more_than_fits_into_memory_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    sets = [set(random.integers(0, 4000, 300).tolist()) for _ in range(60)]
    limits = PairLimits(12, 1, 5000)
    whole = ranked(sets, limits)
    monkeypatch.setattr(pairing, "MEMORY_BYTES", pairing.PARTITIONS * 64)
    monkeypatch.setattr(pairing, "_BUFFERED_ROWS", 100)
    assert ranked(sets, limits) == whole
    assert list(whole.pairs) == expected(sets, limits)


def test_the_documented_limits() -> None:
    assert PairLimits() == (10, 4, 20, "weight")


def test_documents_that_share_nothing_cost_no_matches() -> None:
    sets = [set(range(n * 100, n * 100 + 50)) for n in range(300)]
    assert ranked(sets, PairLimits(10, 1, 10)) == PairRanking((), 0, 0, 0)


def test_what_two_documents_alone_share_weighs_more_than_what_many_share() -> None:
    phrases, copied = set(range(6)), set(range(100, 104))
    ranking = ranked([phrases, phrases, phrases, phrases | copied, copied], PairLimits(10, 1, 3))
    assert ranking.pairs[0] == DocumentPair(3, 4, 4, 4.0)
    assert ranking.pairs[1].shared == 6
    by_count = ranked([phrases, phrases, phrases, phrases | copied, copied], PairLimits(10, 1, 3, "count"))
    assert [pair.shared for pair in by_count.pairs] == [6, 6, 6]
