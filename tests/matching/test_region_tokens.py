"""What regions share, and what a file repeats of a match, against the definitions."""

from __future__ import annotations

import numpy as np
from hypothesis import event, given
from hypothesis import strategies as st

from winnow_ci.matching.region_tokens import Repetitions, shared_tokens
from winnow_ci.model.regions import Region, Stretch

LENGTH = 3
# Before each stretch so many tokens are left out.
GAPS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 8)), min_size=1, max_size=4)


def stretches_of(gaps: list[tuple[int, int]]) -> list[Stretch]:
    stretches, end = [], 0
    for gap, tokens in gaps:
        stretches.append(Stretch(end + gap, 0, tokens))
        end += gap + tokens
    return stretches


def tokens_of(stretches: list[Stretch]) -> set[int]:
    return {at for start, _, tokens in stretches for at in range(start, start + tokens)}


@given(gaps=GAPS, others=GAPS)
def test_regions_share_the_tokens_that_both_match(gaps: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    one, other = stretches_of(gaps), stretches_of(others)
    regions = [
        Region(0, own[0].start, own[-1].start + own[-1].tokens, 0, 99, 9, 9, 0, "verbatim", tuple(own))
        for own in (one, other)
    ]
    assert shared_tokens(*regions) == len(tokens_of(one) & tokens_of(other))


@given(hashes=st.lists(st.integers(1, 3), min_size=20, max_size=60), gaps=GAPS)
def test_the_share_of_a_match_that_is_in_runs_outside_of_it(hashes: list[int], gaps: list[tuple[int, int]]) -> None:
    stretches = stretches_of(gaps)
    first, last = stretches[0].start - LENGTH + 1, max(tokens_of(stretches)) + 1
    hashes = [*hashes, *([9] * max(0, last - len(hashes) - LENGTH + 1))]
    outside = {one for at, one in enumerate(hashes) if not first <= at < last}
    repeated = {
        at + n
        for start, _, tokens in stretches
        for at in range(start, start + tokens - LENGTH + 1)
        if hashes[at] in outside
        for n in range(LENGTH)
    }
    share = len(repeated) / len(tokens_of(stretches))
    event(f"repeated: {share > 0}, from the beginning: {stretches[0].start == 0}")
    assert Repetitions(np.array(hashes, np.uint64), LENGTH).share(stretches) == share
