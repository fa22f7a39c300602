"""What is the same in the gaps of a copy, where matching has paired no tokens: a few of these, lines of comments.

difflib finds it. It may take time cubic in what it compares, so it gets ``MOST_IN_GAP`` items of each side at most, and
all gaps of a copy have a budget of ``MOST_COMPARED`` pairs of items. Of what is not compared nothing is the same.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

MOST_IN_GAP = 64
MOST_COMPARED = 100_000
_COST = 64
"""Of a gap, besides its pairs of items."""


class GapComparison:
    """Compares the gaps of one copy, one after the other, as far as the budget goes.

    Args:
        here, there: the item of a number, on each side; equal items are the same.
    """

    def __init__(self, here: Callable[[int], Hashable], there: Callable[[int], Hashable]) -> None:
        self._items = here, there
        self._left = MOST_COMPARED

    def same(self, here: range, there: range) -> Iterator[tuple[int, int]]:
        """Numbers of items that are the same in a gap: pairs that rise on both sides."""
        cost = len(here) * len(there) + _COST
        if not here or not there or cost > self._left or max(len(here), len(there)) > MOST_IN_GAP:
            return
        self._left -= cost
        ours, theirs = (
            [item(number) for number in side] for item, side in zip(self._items, (here, there), strict=True)
        )
        for block in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
            for number in range(block.size):
                yield here[block.a + number], there[block.b + number]
