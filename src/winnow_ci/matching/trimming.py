"""Cut chance tokens and chance segments off the ends of a copy.

The code around a copy often begins or ends with the same tokens as the code around the source: the next ``def``, a
closing brace. If such tokens are only a small part of their line, the line is not part of the copy.

A chain also goes on over a gap to a few tokens that happen to agree behind it. So a segment at an end has to say more
the more lines lie between it and the rest.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.thresholds import EACH_BREAK, EACH_LINE, LEAST_END, MOST_EMPTY, MOST_STRAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.extension import Segment


def without_loose_ends(
    parts: Sequence[Segment],
    lines: NDArray[np.int32],
    lines_there: NDArray[np.int32],
    worth: Callable[[Segment], float],
) -> tuple[Segment, ...]:
    """Cut segments at both ends that say too little for their distance from the rest.

    Args:
        parts: segments of the copy, ordered by start.
        lines: int32, one a token of the change; its line.
        lines_there: the same of the source.
        worth: tells what a segment says, in bits.
    """
    kept = [piece for part in parts for piece in _pieces(part, lines, lines_there)]
    del kept[len(kept) - _loose(kept[::-1], lines, worth) :]
    del kept[: _loose(kept, lines, worth)]
    return tuple(_merged(kept))


def _loose(parts: Sequence[Segment], lines: NDArray[np.int32], worth: Callable[[Segment], float]) -> int:
    """How many of the first segments say too little together for their distance from the next one."""
    loose, said = 0, 0.0
    for number, (part, beside) in enumerate(pairwise(parts), 1):
        said += worth(part) - (EACH_BREAK if number > 1 else 0)
        if said < LEAST_END + EACH_LINE * _lines_between(part, beside, lines):
            loose = number
    return loose


def _pieces(part: Segment, lines: NDArray[np.int32], lines_there: NDArray[np.int32]) -> Iterator[Segment]:
    """A segment, cut where more than a few lines without tokens lie in it, and not as many in the source."""
    here, there = np.diff(lines[part.start : part.end]), np.diff(lines_there[slice(*part.span_there)])
    gaps = np.flatnonzero((here > MOST_EMPTY) & (here != there)) + 1
    for start, end in pairwise((0, *gaps.tolist(), part.end - part.start)):
        yield part._replace(start=part.start + start, end=part.start + end)


def _merged(parts: Iterable[Segment]) -> Iterator[Segment]:
    """Segments, in one where one goes on with the other."""
    last: Segment | None = None
    for part in parts:
        if last and (part.start, part.diagonal) == (last.end, last.diagonal):
            last = last._replace(end=part.end)
            continue
        if last:
            yield last
        last = part
    if last:
        yield last


def _lines_between(one: Segment, other: Segment, lines: NDArray[np.int32]) -> int:
    before, after = sorted((one, other))
    return max(0, int(lines[after.start]) - int(lines[before.end - 1]) - 1)


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
