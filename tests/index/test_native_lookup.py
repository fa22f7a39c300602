"""The kernel makes the hits of chosen postings that Python makes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from support.evidence_cases import chosen_both_ways, postings_case
from support.kernels import need_kernel
from winnow_ci.index import schema
from winnow_ci.index.found_postings import Ranges
from winnow_ci.index.lookup import Chosen, chosen_hits

CASES = 200


def test_it_chooses_as_python_does() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(CASES):
        case = postings_case(seed)
        assert chosen_both_ways(case) == "", f"case {seed}"
        of_shapes = chosen_hits(case.queries, case.shapes, Chosen(case.texts.postings, []))
        hits = chosen_hits(*case)
        given = sum(int((stops - starts).sum()) for starts, stops in (*case.shapes.ranges, *case.texts.ranges))
        reached["nothing"] += not len(hits)
        reached["a text of its own"] += len(hits) > len(of_shapes)
        reached["left out"] += len(hits) < given
    assert len(reached) == 3
    assert not {what for what, times in reached.items() if times < 3}


@pytest.mark.parametrize(("start", "stop"), [(-1, 0), (1, 0), (0, 3)])
def test_ranges_outside_of_the_postings_are_refused(start: int, stop: int) -> None:
    need_kernel()
    postings, one = np.zeros(2, schema.POSTING), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="outside"):
        chosen_hits(one, Chosen(postings, [Ranges(one + start, one + stop)]), Chosen(postings, []))
