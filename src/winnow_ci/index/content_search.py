"""Key → content: contents are ordered by their keys, which are digests and so evenly spread.

Where a key should stand follows from its value, so four or five looks find it (interpolation search). After these every
second look halves the range, as the keys of a damaged or forged index may be anything. Each key must lie between those
around it, and the contents on both sides of the place where the search ends are checked against their digests, so no
damage hides one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from winnow_ci.index.reader import IndexReader

_KEYS = 1 << 128
_LOOKS = 4


class ContentSearch:
    """Finds contents of one index by their keys.

    Args:
        index: the index.
    """

    def __init__(self, index: IndexReader) -> None:
        self._index = index
        self._checked: set[int] = set()

    def find(self, key: bytes, *, boilerplate: bool = False) -> int | None:
        """The number of the content with a key (``schema.content_key``); None if there is none.

        Args:
            key: the key.
            boilerplate: whether to look among the contents that are boilerplate, or among the others.

        Raises:
            IndexFileError: the index is damaged.
        """
        count, index = self._index.boilerplate, self._index
        low, high = (-1, count) if boilerplate else (count - 1, index.contents)
        first, last = low, high
        below, above, wanted = -1, _KEYS, int.from_bytes(key, "big")
        looks = 0
        while high - low > 1:
            halves = looks > _LOOKS and looks % 2
            share = (1, 2) if halves else (wanted - below, above - below)
            guess = min(max(low + (high - low) * share[0] // share[1], low + 1), high - 1)
            there = int.from_bytes(index.key(guess), "big")
            if not below < there < above:
                raise index.damaged(f"content {guess} cannot be")
            if there == wanted:
                self._check(guess)
                return guess
            if there < wanted:
                low, below = guess, there
            else:
                high, above = guess, there
            looks += 1
        for beside in {low, high} - {first, last}:
            self._check(beside)
        return None

    def _check(self, content: int) -> None:
        if content not in self._checked:
            self._index.content(content)
            self._checked.add(content)
