"""The kernel says of contents what Python says of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from support.evidence_cases import ranked_both_ways
from support.kernels import need_kernel, without_kernel
from support.matching_cases import at_an_edge, matching_case
from winnow_ci.matching.regions import told_contents

if TYPE_CHECKING:
    from support.matching_cases import MatchingCase

CASES = 60


def told(case: MatchingCase) -> list[list[object]]:
    return [column.tolist() for column in told_contents(case.shared, case.file, case.parameters.k)]


def test_it_ranks_as_python_does() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(CASES):
        assert ranked_both_ways(seed) == "", f"case {seed}"
        case = matching_case(seed)
        significant, ranked = told_contents(case.shared, case.file, case.parameters.k)
        reached["significant"] += bool(significant.any())
        reached["by chance"] += not significant.all()
        reached["in another order"] += ranked.tolist() != sorted(ranked.tolist())
        reached["with phrases"] += bool(case.shared.phrases)
    assert len(reached) == 4
    assert not {what for what, times in reached.items() if times < 3}


def test_contents_are_significant_from_the_same_bits_on() -> None:
    need_kernel()
    edges = [edge for seed in range(CASES) for edge in at_an_edge(matching_case(seed), seed, told)]
    native = list(map(told, edges))
    with without_kernel():
        assert list(map(told, edges)) == native
    assert len(edges) > CASES // 3


def test_places_outside_of_the_change_are_refused() -> None:
    need_kernel()
    case = matching_case(0)
    far = case.shared.seeds._replace(positions=case.shared.seeds.positions + 10_000)
    with pytest.raises(ValueError, match="outside"):
        told_contents(case.shared._replace(seeds=far), case.file, case.parameters.k)
