"""How much of a match a file repeats, against the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.matching.region_tokens import Repetitions
from winnow_ci.model.regions import Stretch

LENGTH = 3


@given(
    hashes=st.lists(st.integers(1, 4), min_size=1, max_size=30),
    gaps=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 8)), min_size=1, max_size=4),
)
def test_it_is_what_the_definition_says(hashes: list[int], gaps: list[tuple[int, int]]) -> None:
    stretches, end = [], 0
    for gap, tokens in gaps:
        stretches.append(Stretch(end + gap, 0, tokens))
        end += gap + tokens
    hashes += [9] * max(0, end - len(hashes) - LENGTH + 1)
    first, last = stretches[0].start - LENGTH + 1, end
    outside = {one for at, one in enumerate(hashes) if not first <= at < last}
    repeated = {
        at + n
        for start, _, tokens in stretches
        for at in range(start, start + tokens - LENGTH + 1)
        if hashes[at] in outside
        for n in range(LENGTH)
    }
    share = len(repeated) / sum(part.tokens for part in stretches)
    event(f"repeated: {share > 0}, from the beginning: {stretches[0].start == 0}")
    assert Repetitions(np.array(hashes, np.uint64), LENGTH).share(stretches) == share
