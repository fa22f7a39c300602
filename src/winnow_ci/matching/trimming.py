"""Chance tokens at the ends of a copy.

The code around a copy often begins or ends with the same tokens as the code around the source: the next ``def``, a
closing brace. If such tokens are only a small part of their line, the line is not part of the copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from winnow_ci.matching.segments import Segment

# At most this many tokens, if they are at most half of their line, may be there by chance.
MOST_STRAY = 8


def without_stray_ends(parts: Iterable[Segment], lines: NDArray[np.int32], least: int) -> tuple[Segment, ...]:
    """Cut tokens that are a small part of their line off both ends of each block of a copy.

    Args:
        parts: segments of the copy, ordered by start; a block ends where the next segment stands earlier in the source.
        lines: int32, one a token of the change; its line.
        least: a segment is not cut below this number of tokens.
    """
    blocks: list[list[Segment]] = []
    for part in parts:
        if not blocks or part.span_there[0] < blocks[-1][-1].span_there[0]:
            blocks.append([])
        blocks[-1].append(part)
    return tuple(part for block in blocks for part in _trimmed(block, lines, least))


def _trimmed(block: list[Segment], lines: NDArray[np.int32], least: int) -> list[Segment]:
    *others, last = block
    end = last.end - _stray(lines, last.end - 1, before=True)
    if end - last.start >= least:
        last = last._replace(end=end)
    first, *others = (*others, last)
    start = first.start + _stray(lines, first.start, before=False)
    if first.end - start >= least:
        first = first._replace(start=start)
    return [first, *others]


def _stray(lines: NDArray[np.int32], token: int, *, before: bool) -> int:
    """How many tokens of its line begin or end with this token, if they are at most half of the line; else 0."""
    start, end = np.searchsorted(lines, (lines[token], lines[token] + 1)).tolist()
    count: int = token + 1 - start if before else end - token
    return count if count <= MOST_STRAY and 2 * count <= end - start else 0
