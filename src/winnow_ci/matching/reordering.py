"""Blocks of one copy in another order.

A chain rises on both sides, so a copy with reordered blocks is several chains. Chains that stand near each other in the
change and in the content are one copy if together they are better evidence than the best of them alone: then the names
of one block correspond in the other block, too.

The best chain may have a short run of chance where a long run of another one belongs. That gives way, as the longest
runs come first in greedy string tiling (Wise 1993).
"""

from __future__ import annotations

from collections import deque
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.neighbourhoods import SHORTEST
from winnow_ci.matching.segments import columns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.segments import Segment

# Most tokens between two blocks of one copy, in the change and in the content.
APART = 60
APART_THERE = 120
# A block of fewer tokens is chance, and so are two blocks worth less than this together, in bits.
LEAST_BLOCK = 12
LEAST_TOGETHER = 24.0
# A run is chance beside one that is so many times as long.
LONGER = 3
# Bounds the work for hostile input.
MOST_CANDIDATES = 12


def joined(
    scored: Iterable[tuple[float, Candidate]],
    score: Callable[[Candidate], float],
    candidate: Callable[[tuple[Segment, ...]], Candidate],
) -> list[tuple[Candidate, float]]:
    """Join candidates of one content that are blocks of one copy.

    Args:
        scored: candidates of one content, each with its score.
        score: tells how good another candidate is.
        candidate: makes a candidate of segments.

    Returns:
        The candidates, best first, each with its score; candidates that belong together are one.
    """
    left = deque(sorted(scored, key=lambda pair: -pair[0]))
    done = []
    while left:
        (most, best), place = left.popleft(), 0
        for _ in range(MOST_CANDIDATES):
            if place == len(left) or most + left[place][0] < LEAST_TOGETHER:
                break
            together = _together(best, left[place][1])
            if together and (more := score(better := candidate(together))) > most:
                most, best = more, better
                del left[place]
            else:
                place += 1
        done.append((best, most))
    return done


def _together(best: Candidate, other: Candidate) -> tuple[Segment, ...] | None:
    """The segments of both, cut where they overlap; None if the candidates are not near each other."""
    if _apart(best.span, other.span) > APART or _apart(best.span_there, other.span_there) > APART_THERE:
        return None
    is_chance, most = _beside_each_other(columns(best.segments), columns(other.segments))
    # Most pairs have the same tokens, which NumPy tells in a tenth of the time.
    if most < LEAST_BLOCK:
        return None
    chance = list(compress(best.segments, is_chance))
    kept = [segment for segment in best.segments if segment not in chance]
    added = [rest for segment in other.segments if (rest := _beside(segment, kept))]
    if sum(segment.end - segment.start for segment in added) < LEAST_BLOCK:
        return None
    left = [rest for segment in chance if (rest := _beside(segment, added))]
    return tuple(sorted((*kept, *added, *left)))


def _beside_each_other(best: NDArray[np.int64], others: NDArray[np.int64]) -> tuple[list[bool], int]:
    """Which segments stand, in the change, in a much longer one; and how many tokens the others add at most."""
    starts, ends = best[:2, :, None]
    shared = np.minimum(ends, others[1]) - np.maximum(starts, others[0])
    lengths = others[1] - others[0]
    is_chance = ((shared > 0) & (LONGER * (ends - starts) <= lengths)).any(axis=1)
    return is_chance.tolist(), int(lengths.sum() - shared[~is_chance].clip(0).sum())


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1])


def _beside(segment: Segment, taken: Iterable[Segment]) -> Segment | None:
    """What is left of a segment beside others, on both sides; None if that is too little."""
    start, end, diagonal, _ = segment
    for other in taken:
        for low, high in ((other.start, other.end), tuple(n - diagonal for n in other.span_there)):
            if low <= start < high:
                start = high
            elif start < low < end:
                end = low
    return segment._replace(start=start, end=end) if end - start >= SHORTEST else None
