"""The kernel weighs tokens and k-grams as Python does, to the last bit."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from support.evidence_cases import weighed_both_ways, weighing_case
from support.kernels import need_kernel
from winnow_ci.evidence.weights import GRAM, LEARNT, kgram_information, weighed

CASES = 150


def test_it_weighs_as_python_does() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(CASES):
        case = weighing_case(seed)
        assert weighed_both_ways(case) == "", f"case {seed}"
        said = weighed(*case, case.marks)
        _, structure, text = kgram_information(case.tokens, case.marks, case.k)
        reached["nothing"] += not len(case.tokens)
        reached["a known 4-gram"] += bool(((said.token_bits > 0) & (said.token_bits < 7)).any())
        reached["a rare one"] += bool((said.token_bits == 7).any())
        reached["a language that was not learnt"] += len(case.tokens) > GRAM and case.front_end not in LEARNT
        reached["a text"] += bool((said.literal_bits > 0).any())
        reached["a text again"] += bool((said.new_literal_bits < said.literal_bits).any())
        reached["a row"] += bool(said.further_rows.any())
        reached["common property"] += bool(said.common.any())
        reached["a k-gram that says nothing"] += not structure.all()
        reached["one whose text says something"] += bool((text & ~structure).any())
    assert len(reached) == 10
    assert not {what for what, times in reached.items() if times < 3}


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    need_kernel()
    case = weighing_case(4)
    with pytest.raises(ValueError, match="shapes"):
        weighed(*case._replace(marks=case.marks[1:]), case.marks)
    with pytest.raises(ValueError, match="other lengths"):
        kgram_information(case.tokens, np.zeros(0, np.bool_), case.k)
