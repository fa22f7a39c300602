"""Segments → chains: one copy that was edited here and there.

An edit cuts a copied stretch into segments on nearby diagonals. A chain is a sequence of segments that rises on both
sides; its score is the number of tokens matched, less a cost for each gap and each change of diagonal, as sequence
aligners chain their seeds (Myers and Miller 1995). Since a chain rises on both sides it is one to one: rows of similar
statements, which all match the same few places, cannot pile up. The best chain is taken, then the best of what is left.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from winnow_ci.matching.segments import Segment

LONGEST_GAP = 40
GAP_COST = 0.25
SHIFT_COST = 0.5
# What a chain leaves of a segment is a segment still if it is this long.
SHORTEST = 8
# Bounds on the work for hostile input; ordinary copies have a few segments.
MOST_SEGMENTS = 300
LOOK_BACK = 60


class Chain(NamedTuple):
    """Segments of one copy, rising on both sides and cut where they overlap."""

    segments: tuple[Segment, ...]

    @property
    def start(self) -> int:
        """First token of the change."""
        return self.segments[0].start

    @property
    def end(self) -> int:
        """Token of the change after the last."""
        return self.segments[-1].end

    @property
    def seeds(self) -> int:
        """Seeds in segments."""
        return sum(segment.seeds for segment in self.segments)


def chains(segments: list[Segment]) -> list[Chain]:
    """Chain segments of one content, best chain first; chains do not overlap in the change."""
    left = sorted(sorted(segments, key=lambda segment: segment.start - segment.end)[:MOST_SEGMENTS])
    found: list[Chain] = []
    while left:
        path = _best_path(left)
        found.append(Chain(tuple(_cut(path))))
        outside = (_outside(segment, path[0].start, path[-1].end) for segment in left)
        left = sorted(segment for segment in outside if segment.end - segment.start >= SHORTEST)
    return found


def _outside(segment: Segment, start: int, end: int) -> Segment:
    """The longer part of a segment that is not in [start, end)."""
    before = segment._replace(end=min(segment.end, start))
    after = segment._replace(start=max(segment.start, end))
    return max(before, after, key=lambda part: part.end - part.start)


def _best_path(ordered: list[Segment]) -> list[Segment]:
    scores: list[float] = []
    previous: list[int] = []
    for n, segment in enumerate(ordered):
        best, link = 0.0, -1
        for m in range(n - 1, max(-1, n - 1 - LOOK_BACK), -1):
            if segment.start - ordered[m].end > LONGEST_GAP:
                continue
            gain = scores[m] - _cost(ordered[m], segment)
            if gain > best:
                best, link = gain, m
        scores.append(best + segment.end - segment.start)
        previous.append(link)
    at = max(range(len(ordered)), key=scores.__getitem__)
    path = []
    while at >= 0:
        path.append(ordered[at])
        at = previous[at]
    return path[::-1]


def _cost(before: Segment, after: Segment) -> float:
    """Cost of going on from a segment with a later one: infinite if that is no continuation."""
    gap = after.start - before.end
    shift = after.diagonal - before.diagonal
    gap_there = gap + shift
    rises = after.end > before.end and after.end + after.diagonal > before.end + before.diagonal
    if not rises or max(gap, gap_there) > LONGEST_GAP or after.start + after.diagonal <= before.start + before.diagonal:
        return float("inf")
    overlap = max(0, -gap, -gap_there)
    return overlap + GAP_COST * max(0, gap, gap_there) + SHIFT_COST * abs(shift)


def _cut(path: list[Segment]) -> list[Segment]:
    """Cut the overlap of each pair of neighbours, here or there, off the later one."""
    cut = [path[0]]
    for before, after in pairwise(path):
        end_there = before.end + before.diagonal
        start = max(after.start, before.end, end_there - after.diagonal)
        if start < after.end:
            cut.append(after._replace(start=start))
    return cut
