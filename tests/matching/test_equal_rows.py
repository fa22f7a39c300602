"""Of rows of one shape, those count that are wholly the same and stand beside another such row."""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.matching.equal_rows import equal_rows

# Six lines of three tokens; the fourth line of the file has none.
LINES = np.repeat([1, 2, 3, 5, 6, 7], 3).astype(np.int32)


@pytest.mark.parametrize(
    ("different", "counted"),
    [
        ([], {1, 2, 3, 5, 6, 7}),
        ([4], {3, 5, 6, 7}),
        ([4, 10], {6, 7}),
        ([7, 13], {1, 2}),
        ([0, 8, 14], set()),
    ],
)
def test_two_equal_rows_in_succession_count(different: list[int], counted: set[int]) -> None:
    same = np.ones(len(LINES), np.bool_)
    same[different] = False
    found = equal_rows(LINES, np.arange(len(LINES)), same)
    assert set(LINES[found].tolist()) == counted


def test_a_row_of_which_a_token_does_not_match_is_not_the_same() -> None:
    here = np.delete(np.arange(len(LINES)), [4, 9])
    found = equal_rows(LINES, here, np.ones(len(here), np.bool_))
    assert set(LINES[here][found].tolist()) == {6, 7}
