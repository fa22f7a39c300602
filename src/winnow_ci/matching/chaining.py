"""Segments → chains: one copy that was edited here and there.

An edit cuts a copied stretch into segments on nearby diagonals. A chain is a sequence of segments that rises on both
sides. Its score is the worth of its tokens in bits, less a cost for each gap and each change of diagonal, as sequence
aligners chain their seeds (Myers and Miller 1995). Because a chain rises on both sides it is one to one: rows of
similar statements, which all match the same few places, cannot pile up. The best chain is taken first, then the best
one of the segments that are left, as in minimap2 (Li 2018).

The first three tokens of a segment are worth nothing: the bits of a token are what it says after the three before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.matching.segments import CONTEXT, columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.segments import Segment

    Chain: TypeAlias = tuple[Segment, ...]

LONGEST_GAP = 60
# In bits: of a gap, of each token in it, of a change of diagonal, of each token that it changes by.
GAP_COST = 4.0
GAP_TOKEN_COST = 0.05
SHIFT_COST = 4.0
SHIFT_TOKEN_COST = 0.1
MOST_SHARED = 0.5
MOST_CHAINS = 8
# Bounds the work for hostile input; ordinary copies have a few segments.
LOOK_BACK = 200


def chains(
    segments: Sequence[Segment],
    cumulative: NDArray[np.float64],
    least: float = 0.0,
    texts: NDArray[np.float64] | None = None,
    *,
    most: int = MOST_CHAINS,
    most_shared: float = MOST_SHARED,
) -> list[Chain]:
    """Chain segments of one content, best chain first; a later chain lies mostly outside the earlier ones.

    Args:
        segments: ordered by start.
        cumulative: float64, one more than tokens of the change; bits of the tokens before each.
        least: what a chain must be worth, in bits.
        texts: float64, one a segment; what equal text adds to its worth, in bits.
        most: number of chains at most.
        most_shared: the largest share of a chain that may lie in an earlier one, in the change.

    Returns:
        Chains: the segments of one copy, rising on both sides and cut where they overlap.
    """
    if not segments:
        return []
    scores, previous = _scored(segments, cumulative, np.zeros(len(segments)) if texts is None else texts)
    ends = [end for end in sorted(range(len(segments)), key=lambda end: -scores[end]) if scores[end] >= least]
    used: set[int] = set()
    found: list[Chain] = []
    for end in ends:
        if len(found) == most:
            break
        path = _unused_path(end, previous, used)
        used.update(path)
        if path:
            chain = tuple(_cut([segments[n] for n in reversed(path)]))
            if all(_shared(chain, other) <= most_shared for other in found):
                found.append(chain)
    return found


def _scored(
    segments: Sequence[Segment], cumulative: NDArray[np.float64], texts: NDArray[np.float64]
) -> tuple[list[float], list[int]]:
    """For each segment the score of the best chain that ends with it, and its predecessor in that chain, or −1."""
    starts, ends, diagonals, _ = columns(segments)
    scores = (cumulative[ends] - cumulative[np.minimum(starts + CONTEXT, ends)] + texts).tolist()
    previous = [-1] * len(segments)
    before, after, gains = _gains(starts, ends, diagonals, cumulative)
    # Few segments can go on with another one. By rising numbers, so of equally good ones the first counts.
    for one, other, gain in zip(before.tolist(), after.tolist(), (gains + texts[after]).tolist(), strict=True):
        if scores[one] + gain > scores[other]:
            scores[other], previous[other] = scores[one] + gain, one
    return scores, previous


def _gains(
    starts: NDArray[np.int64], ends: NDArray[np.int64], diagonals: NDArray[np.int64], cumulative: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The pairs of segments of which the second can go on with the first, and what it adds to a chain.

    Returns:
        int64, int64, float64, one element a pair, by rising number of the second segment, then of the first.
    """
    after, before = _near(starts, ends)
    start, end = starts[after], ends[after]
    gap = start - ends[before]
    gap_there = gap + diagonals[after] - diagonals[before]
    begins = start - np.minimum(np.minimum(gap, gap_there), 0) + CONTEXT
    rises = start + diagonals[after] > (starts + diagonals)[before]
    use = ((gap_there <= LONGEST_GAP) & (begins < end) & rises).nonzero()[0]
    gains = cumulative[end[use]] - cumulative[begins[use]] - _cost(gap[use], gap_there[use])
    return before[use], after[use], gains


def _near(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of the segments, and of those up to ``LOOK_BACK`` before each that end in time for it."""
    width = min(LOOK_BACK, len(starts) - 1)
    before = np.arange(len(starts))[:, None] - width + np.arange(width)
    rows, columns = ((before >= 0) & (starts[:, None] - ends[before] <= LONGEST_GAP)).nonzero()
    return rows, before[rows, columns]


def _cost(gap: NDArray[np.int64], gap_there: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cost of continuing over a gap in the change and a gap in the content."""
    shift, longest = np.abs(gap_there - gap), np.maximum(np.maximum(gap, gap_there), 0)
    cost: NDArray[np.float64] = (
        GAP_COST + GAP_TOKEN_COST * longest + SHIFT_COST * (shift > 0) + SHIFT_TOKEN_COST * shift
    )
    return cost


def _unused_path(end: int, previous: list[int], used: set[int]) -> list[int]:
    """The way back from a segment, up to a chain that is taken already."""
    path = []
    while end >= 0 and end not in used:
        path.append(end)
        end = previous[end]
    return path


def _shared(chain: Chain, other: Chain) -> float:
    """The share of a chain that lies in another, in the change."""
    start, end = chain[0].start, chain[-1].end
    return (min(end, other[-1].end) - max(start, other[0].start)) / (end - start)


def _cut(path: list[Segment]) -> list[Segment]:
    """Cut the later of two neighbours where they overlap in the change or in the content."""
    cut = [path[0]]
    for after in path[1:]:
        before = cut[-1]
        start = max(after.start, before.end, before.end + before.diagonal - after.diagonal)
        if start < after.end:
            cut.append(after._replace(start=start))
    return cut
