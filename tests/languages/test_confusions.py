"""What front ends may not take for a comment, a string or a regular expression."""

from __future__ import annotations

import pytest

from support.confusions import Confusion, confusions
from winnow_ci.languages import tokenize

CASES = confusions()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_copy_between_confusing_lines_has_the_tokens_that_it_has_alone(case: Confusion) -> None:
    alone = tokenize(case.language, case.copy)
    found = tokenize(case.language, case.text)
    first = case.before.count(b"\n") + 1
    here = (found.first_lines >= first) & (found.last_lines < first + case.copy.count(b"\n"))
    assert found.verbatim[here].tolist() == alone.verbatim.tolist()
    assert (found.first_lines[here] - first + 1).tolist() == alone.first_lines.tolist()


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 250
    assert len({case.language for case in CASES}) >= 35
    assert all(len(tokenize(case.language, case.copy)) >= 35 for case in CASES)
