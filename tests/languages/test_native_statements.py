"""The kernel tells the same statements as Python."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from support.kernels import need_kernel
from support.statement_cases import statement_case, told_both_ways
from winnow_ci.languages import idle_statements, in_imports

CASES = 600


def test_it_tells_the_statements_that_python_tells() -> None:
    need_kernel()
    reached: Counter[str] = Counter()
    for seed in range(CASES):
        case = statement_case(seed)
        assert told_both_ways(case) == "", f"case {seed}"
        imports, idle = in_imports(*case), idle_statements(*case)
        lines = case.tokens.first_lines
        reached["nothing"] += not len(case.tokens)
        reached["an import"] += bool(imports.any())
        reached["an import of several lines"] += bool((imports[1:] & imports[:-1] & (np.diff(lines) > 0)).any())
        reached["no import"] += not imports.any()
        reached["a statement without effect"] += bool(idle.any())
        reached["none"] += not idle.any()
    assert len(reached) == 6
    assert not {what for what, times in reached.items() if times < 3}


@pytest.mark.parametrize("tell", [in_imports, idle_statements])
def test_arrays_that_do_not_belong_together_are_refused(tell: type[in_imports]) -> None:
    need_kernel()
    tokens, front_end = next(case for case in map(statement_case, range(99)) if case.front_end == "python")
    short = type(tokens)(tokens.structural, tokens.verbatim, tokens.first_lines, tokens.last_lines[:-1], tokens.sketch)
    with pytest.raises(ValueError, match="other lengths"):
        tell(short, front_end)
