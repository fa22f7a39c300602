"""The kernel says of contents what Python says of them."""

from __future__ import annotations

from collections import Counter

import pytest

from support.evidence_cases import ranked_both_ways
from support.kernels import need_kernel
from support.matching_cases import matching_case
from winnow_ci.matching.ranking import told_contents

CASES = 60


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


def test_places_outside_of_the_change_are_refused() -> None:
    need_kernel()
    case = matching_case(0)
    far = case.shared.seeds._replace(positions=case.shared.seeds.positions + 10_000)
    with pytest.raises(ValueError, match="outside"):
        told_contents(case.shared._replace(seeds=far), case.file, case.parameters.k)
