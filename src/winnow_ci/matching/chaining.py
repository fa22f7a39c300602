"""Chain segments into copies that were edited here and there, or had blocks reordered.

A *chain* is a sequence of segments that rises on both sides. Its score is the worth of its tokens in bits, less a cost
for each gap and each change of diagonal, as sequence aligners chain their seeds (Myers and Miller 1995). A chain is one
to one, so rows of similar statements, which all match the same few places, cannot pile up. The best chain is taken
first, then the best one of the segments that are left, as in minimap2 (Li 2018).

A copy with reordered blocks is several chains. Chains that stand near each other in the change and in the content are
one copy if together they are better evidence than the best of them alone: then the names of one block correspond in the
other block, too. A short run of chance gives way where a long run of another chain belongs, as the longest runs come
first in greedy string tiling (Wise 1993).
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci.matching import constants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.extension import Segment

    Chain: TypeAlias = tuple[Segment, ...]


def chains(
    segments: Sequence[Segment],
    cumulative: NDArray[np.float64],
    least: float = 0.0,
    texts: Sequence[float] | None = None,
    *,
    most: int = constants.MOST_CHAINS,
    most_shared: float = constants.MOST_SHARED,
) -> list[Chain]:
    """Chain segments of one content, best chain first; a later chain lies mostly outside the earlier ones.

    ``cumulative`` has the bits of the tokens before each token of the change, and of all; ``texts`` what equal text
    adds to each segment. A chain is worth at least ``least``; at most ``most_shared`` of it lies in an earlier one.
    """
    scores, previous = _scored(segments, cumulative, texts or [0.0] * len(segments))
    used: set[int] = set()
    found: list[Chain] = []
    for end in sorted(range(len(segments)), key=lambda end: -scores[end]):
        if scores[end] < least or len(found) == most:
            break
        path = _unused_path(end, previous, used)
        used.update(path)
        if path:
            chain = tuple(_cut([segments[n] for n in reversed(path)]))
            if all(_shared(chain, other) <= most_shared for other in found):
                found.append(chain)
    return found


def _scored(
    segments: Sequence[Segment], cumulative: NDArray[np.float64], texts: Sequence[float]
) -> tuple[list[float], list[int]]:
    """Find for each segment the score of the best chain that ends with it, and its predecessor there, or −1."""
    bits = cumulative.tolist()
    scores = [
        bits[own.end] - bits[min(own.start + constants.CONTEXT, own.end)] + text
        for own, text in zip(segments, texts, strict=True)
    ]
    previous = [-1] * len(segments)
    for n, after in enumerate(segments):
        for before in range(max(0, n - constants.LOOK_BACK), n):
            if after.start - segments[before].end > constants.LONGEST_GAP:
                continue
            gain = _gain(segments[before], after, bits)
            # Of equally good ones the first counts.
            if gain is not None and scores[before] + (gain + texts[n]) > scores[n]:
                scores[n], previous[n] = scores[before] + (gain + texts[n]), before
    return scores, previous


def _gain(before: Segment, after: Segment, cumulative: Sequence[float]) -> float | None:
    """Return what a segment adds to a chain that ends with an earlier one; None if it cannot go on with it."""
    gap = after.start - before.end
    gap_there = gap + after.diagonal - before.diagonal
    if gap_there > constants.LONGEST_GAP:
        return None
    begins = after.start - min(gap, gap_there, 0) + constants.CONTEXT
    if begins >= after.end or after.start + after.diagonal <= before.start + before.diagonal:
        return None
    shift, longest = abs(gap_there - gap), max(gap, gap_there, 0)
    cost = (
        constants.GAP_COST
        + constants.GAP_TOKEN_COST * longest
        + constants.SHIFT_COST * (shift > 0)
        + constants.SHIFT_TOKEN_COST * shift
    )
    return cumulative[after.end] - cumulative[begins] - cost


def _unused_path(end: int, previous: list[int], used: set[int]) -> list[int]:
    """Go back from a segment, up to a chain that is taken already."""
    path = []
    while end >= 0 and end not in used:
        path.append(end)
        end = previous[end]
    return path


def _shared(chain: Chain, other: Chain) -> float:
    """Return the share of a chain that lies in another, in the change."""
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


def joined(
    candidates: Iterable[Candidate], score: Callable[[Candidate], float], candidate: Callable[[Chain], Candidate]
) -> list[tuple[Candidate, float]]:
    """Join candidates of one content that are blocks of one copy; return them with their scores, best first."""
    left = deque(sorted(((score(one), one) for one in candidates), key=lambda pair: -pair[0]))
    done = []
    while left:
        (most, best), place = left.popleft(), 0
        for _ in range(constants.MOST_CANDIDATES):
            if place == len(left) or most + left[place][0] < constants.LEAST_TOGETHER:
                break
            together = _together(best, left[place][1])
            if together and (more := score(better := candidate(together))) > most:
                most, best = more, better
                del left[place]
            else:
                place += 1
        done.append((best, most))
    return done


def _together(best: Candidate, other: Candidate) -> Chain | None:
    """Take the segments of both, cut where they overlap; None if the candidates are not near each other."""
    if (
        _apart(best.span, other.span) > constants.APART
        or _apart(best.span_there, other.span_there) > constants.APART_THERE
    ):
        return None
    chance = [part for part in best.segments if any(_gives_way(part, one) for one in other.segments)]
    kept = [part for part in best.segments if part not in chance]
    added = [rest for part in other.segments if (rest := _beside(part, kept))]
    if sum(part.tokens for part in added) < constants.LEAST_BLOCK:
        return None
    left = [rest for part in chance if (rest := _beside(part, added))]
    return tuple(sorted((*kept, *added, *left)))


def _gives_way(part: Segment, other: Segment) -> bool:
    """Whether a segment overlaps, in the change, a much longer one."""
    return part.start < other.end and other.start < part.end and constants.LONGER * part.tokens <= other.tokens


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1])


def _beside(segment: Segment, taken: Iterable[Segment]) -> Segment | None:
    """Leave what a segment has beside others, on both sides; None if that is too little."""
    start, end, diagonal, _ = segment
    for other in taken:
        for low, high in ((other.start, other.end), tuple(n - diagonal for n in other.span_there)):
            if low <= start < high:
                start = high
            elif start < low < end:
                end = low
    return segment._replace(start=start, end=end) if end - start >= constants.SHORTEST else None
