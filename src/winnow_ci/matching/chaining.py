"""Segments → chains: one copy that was edited here and there.

An edit cuts a copied stretch into segments on nearby diagonals. A chain is a sequence of segments that rises on both
sides; its score is the number of tokens matched, less a cost for each gap and each change of diagonal, as sequence
aligners chain their seeds (Myers and Miller 1995). Since a chain rises on both sides it is one to one: rows of similar
statements, which all match the same few places, cannot pile up. The best chain is taken, then the best of the segments
that are left, as minimap2 does it (Li 2018).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from winnow_ci.matching.segments import Segment

LONGEST_GAP = 40
GAP_COST = 0.25
SHIFT_COST = 0.5
MOST_SHARED = 0.5
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
    """Chain segments of one content, best chain first; a later chain lies mostly outside those before it."""
    ordered = sorted(sorted(segments, key=lambda segment: segment.start - segment.end)[:MOST_SEGMENTS])
    scores, previous = _scored(ordered)
    used: set[int] = set()
    found: list[Chain] = []
    for end in sorted(range(len(ordered)), key=lambda n: (-scores[n], n)):
        path = _unused_path(end, previous, used)
        used.update(path)
        if path:
            chain = Chain(tuple(_cut([ordered[n] for n in reversed(path)])))
            if all(_shared(chain, other) <= MOST_SHARED for other in found):
                found.append(chain)
    return found


def _scored(ordered: list[Segment]) -> tuple[list[float], list[int]]:
    """For each segment the score of the best chain that ends with it, and the segment before it there, or −1."""
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
    return scores, previous


def _unused_path(end: int, previous: list[int], used: set[int]) -> list[int]:
    """The way back from a segment, until it meets a chain that is taken already."""
    path = []
    while end >= 0 and end not in used:
        path.append(end)
        end = previous[end]
    return path


def _shared(chain: Chain, other: Chain) -> float:
    """The share of a chain that lies in another, in the change."""
    return (min(chain.end, other.end) - max(chain.start, other.start)) / (chain.end - chain.start)


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
