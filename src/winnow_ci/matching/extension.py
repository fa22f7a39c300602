"""Extend seeds to segments, chain these over small edits, and cut chance tokens off the ends of a copy.

All seeds of one copied stretch lie on one *diagonal* (position there − position here). A *segment* is the longest run
around a seed, along its diagonal, where the sketches of both sides agree: in the class of each token for a structural
segment, in the whole sketch for a verbatim one.

Segments that stand near each other on both sides form a *neighbourhood*, and all runs of equal tokens around it, on
nearby diagonals, are collected for chaining: the gapped extension of BLAST (Altschul et al. 1997) with runs instead of
single letters. Most seeds are chance, so only neighbourhoods with a *promising* diagonal are searched: one whose best
seed, extended both ways over mismatches to where it gains most (the ungapped extension of BLAST), says enough.

A *chain* is a sequence of segments that rises on both sides. Its score is the worth of its tokens in bits, less a cost
for each gap and each change of diagonal, as sequence aligners chain their seeds (Myers and Miller 1995). A chain is one
to one, so rows of similar statements, which all match the same few places, cannot pile up. The best chain is taken
first, then the best one of the segments that are left, as in minimap2 (Li 2018).

The code around a copy often begins or ends with the same tokens as the code around the source: the next ``def``, a
closing brace. If such tokens are only a small part of their line, the line is not part of the copy. A chain also goes
on over a gap to a few tokens that happen to agree behind it. So a segment at an end has to say more the more lines lie
between it and the rest.

``here`` and ``there`` are what is compared of each token of the change and of the content: uint8. ``lines`` are those
on which the tokens of the change begin: int32, one a token. Segments are ordered by start.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.arrays import true_runs
from winnow_ci.matching import constants
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.hits import FileHits, Seeds
    from winnow_ci.model import I32, U8


CLASSES = np.arange(256, dtype=np.uint8)
"""The structural class of each sketch byte."""
for _own in (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH):
    CLASSES[_own.start : _own.stop] = _own.start
IS_IDENTIFIER = np.equal(CLASSES, IDENTIFIER_SKETCH.start)
IS_NUMBER = np.equal(CLASSES, NUMBER_SKETCH.start)
IS_STRING = np.equal(CLASSES, STRING_SKETCH.start)


class Segment(NamedTuple):
    """Tokens ``[start, end)`` of the change stand at ``[start + diagonal, end + diagonal)`` of the content."""

    start: int
    end: int
    diagonal: int
    seeds: int

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return self.end - self.start

    @property
    def span_there(self) -> tuple[int, int]:
        """The tokens of the content."""
        return self.start + self.diagonal, self.end + self.diagonal


Chain: TypeAlias = tuple[Segment, ...]


def segments(here: U8, there: U8, seeds: Seeds, k: int) -> list[Segment]:
    """Extend seeds along their diagonals, to segments of at least k tokens."""
    positions: dict[int, list[int]] = {}
    for diagonal, position in sorted(zip(seeds.diagonals.tolist(), seeds.positions.tolist(), strict=True)):
        positions.setdefault(diagonal, []).append(position)
    strongest = sorted(positions, key=lambda diagonal: -len(positions[diagonal]))[: constants.MOST_DIAGONALS]
    return sorted(one for diagonal in strongest for one in _along(here, there, positions[diagonal], diagonal, k))


def _along(here: U8, there: U8, positions: Sequence[int], diagonal: int, k: int) -> Iterator[Segment]:
    low = max(0, -diagonal, positions[0] - constants.LONGEST_WITHOUT_SEED)
    high = max(low, min(len(here), len(there) - diagonal, positions[-1] + k + constants.LONGEST_WITHOUT_SEED))
    for start, end in equal_runs(here, there, diagonal, (low, high)):
        # A seed without k equal tokens is a chance collision of hashes, or reaches past a damaged map.
        if sound := bisect_right(positions, end - k) - bisect_left(positions, start):
            yield Segment(start, end, diagonal, sound)


def promising(file: FileHits, there: U8, seeds: Seeds, k: int) -> frozenset[int]:
    """Return which diagonals promise a copy; seeds of informative structure or equal text count."""
    best: dict[int, tuple[float, int]] = {}
    columns = seeds.positions, seeds.diagonals, seeds.structural
    for position, diagonal, counts in zip(*(column.tolist() for column in columns), strict=True):
        # A seed beyond the content is of a damaged index.
        if counts and 0 <= position + diagonal <= len(there) - k:
            said = float(file.cumulative[position + k] - file.cumulative[position + constants.CONTEXT])
            known, _ = best.get(diagonal, (-1.0, 0))
            if said > known:
                best[diagonal] = said, position
    return frozenset(
        diagonal
        for diagonal, (said, position) in best.items()
        if said + _gain(file, there, position, diagonal, k) >= constants.LEAST_PROMISE
    )


def _gain(file: FileHits, there: U8, position: int, diagonal: int, k: int) -> float:
    """Add up what a seed gains in both directions, and by equal text inside it."""
    low = max(0, -diagonal, position - constants.REACH)
    high = min(len(file.tokens), len(there) - diagonal, position + k + constants.REACH)
    here, other = file.tokens.sketch[low:high], there[low + diagonal : high + diagonal]
    texts = np.where(here == other, file.new_literal_bits[low:high], 0.0)
    gains = np.where(CLASSES[here] == CLASSES[other], file.token_bits[low:high], -constants.MISMATCH) + texts
    before, after = gains[: position - low], gains[position - low + k :]
    inside = texts[position - low : position - low + k]
    return float(after.cumsum().max(initial=0.0) + before[::-1].cumsum().max(initial=0.0) + inside.sum())


def neighbourhoods(found: Iterable[Segment]) -> list[list[Segment]]:
    """Group segments, ordered by start, that stand near each other on both sides."""
    groups: list[list[Segment]] = []
    for segment in found:
        for group in reversed(groups[-constants.GROUPS_COMPARED :]):
            near = (one for one in group[-constants.GROUPS_COMPARED :] if segment.start - one.end <= constants.NEAR)
            if any(abs(segment.diagonal - one.diagonal) <= constants.BAND for one in near):
                group.append(segment)
                break
        else:
            groups.append([segment])
    return groups


def runs_around(here: U8, there: U8, group: Sequence[Segment], cumulative: NDArray[np.float64]) -> list[Segment]:
    """Find all runs of ``SHORTEST`` or more equal tokens in a neighbourhood, which have no seeds.

    ``cumulative`` has the bits of the tokens before each token of the change, and of all.
    """
    start = max(0, min(segment.start for segment in group) - constants.REACH)
    end = min(len(here), max(segment.end for segment in group) + constants.REACH, start + constants.LARGEST)
    own = {segment.diagonal for segment in group}
    lowest, bits = min(own) - constants.BAND, cumulative.tolist()
    found = [
        Segment(first, after, diagonal, 0)
        for diagonal in range(lowest, min(max(own) + constants.BAND + 1, lowest + constants.WIDEST))
        for first, after in equal_runs(here, there, diagonal, (start, end), constants.SHORTEST)
        if diagonal in own or bits[after] - bits[first + constants.CONTEXT] >= constants.LEAST_ASIDE
    ]
    return sorted(sorted(found, key=lambda run: -run.tokens)[: constants.MOST_RUNS])


def equal_runs(here: U8, there: U8, diagonal: int, span: tuple[int, int], least: int = 1) -> list[tuple[int, int]]:
    """Return start and end, in the change, of each run of ``least`` or more equal tokens on a diagonal in a span."""
    low, high = max(span[0], -diagonal), min(span[1], len(there) - diagonal)
    if low >= high:
        return []
    starts, ends = true_runs(here[low:high] == there[low + diagonal : high + diagonal])
    long = ends - starts >= least
    return list(zip((low + starts[long]).tolist(), (low + ends[long]).tolist(), strict=True))


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
    for last in sorted(range(len(segments)), key=lambda end: -scores[end]):
        if scores[last] < least or len(found) == most:
            break
        # Back to a chain that is taken already.
        path, n = [], last
        while n >= 0 and n not in used:
            path.append(segments[n])
            used.add(n)
            n = previous[n]
        if path:
            chain = tuple(_cut(path[::-1]))
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
            gain = _joining(segments[before], after, bits)
            # Of equally good ones the first counts.
            if gain is not None and scores[before] + (gain + texts[n]) > scores[n]:
                scores[n], previous[n] = scores[before] + (gain + texts[n]), before
    return scores, previous


def _joining(before: Segment, after: Segment, cumulative: Sequence[float]) -> float | None:
    """Return what a segment adds to a chain that ends with an earlier one; None if it cannot go on with it."""
    gap = after.start - before.end
    gap_there = gap + after.diagonal - before.diagonal
    if gap_there > constants.LONGEST_GAP:
        return None
    begins = after.start - min(gap, gap_there, 0) + constants.CONTEXT
    if begins >= after.end or after.start + after.diagonal <= before.start + before.diagonal:
        return None
    shift, longest = abs(gap_there - gap), max(gap, gap_there, 0)
    of_gap = constants.GAP_COST + constants.GAP_TOKEN_COST * longest
    cost = of_gap + constants.SHIFT_COST * (shift > 0) + constants.SHIFT_TOKEN_COST * shift
    return cumulative[after.end] - cumulative[begins] - cost


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


def without_loose_ends(
    parts: Sequence[Segment], lines: I32, lines_there: I32, worth: Callable[[Segment], float]
) -> tuple[Segment, ...]:
    """Cut segments at both ends that say too little, in bits, for their distance from the rest."""
    kept = [piece for part in parts for piece in _pieces(part, lines, lines_there)]
    del kept[len(kept) - _loose(kept[::-1], lines, worth) :]
    del kept[: _loose(kept, lines, worth)]
    merged: list[Segment] = []
    for part in kept:
        if merged and (part.start, part.diagonal) == (merged[-1].end, merged[-1].diagonal):
            merged[-1] = merged[-1]._replace(end=part.end)
        else:
            merged.append(part)
    return tuple(merged)


def _loose(parts: Sequence[Segment], lines: I32, worth: Callable[[Segment], float]) -> int:
    """How many of the first segments say too little together for their distance from the next one."""
    loose, said = 0, 0.0
    for number, (part, beside) in enumerate(pairwise(parts), 1):
        said += worth(part) - (constants.EACH_BREAK if number > 1 else 0)
        first, second = sorted((part, beside))
        between = max(0, int(lines[second.start]) - int(lines[first.end - 1]) - 1)
        if said < constants.LEAST_END + constants.EACH_LINE * between:
            loose = number
    return loose


def _pieces(part: Segment, lines: I32, lines_there: I32) -> Iterator[Segment]:
    """A segment, cut where more than a few lines without tokens lie in it, and not as many in the source."""
    here, there = np.diff(lines[part.start : part.end]), np.diff(lines_there[slice(*part.span_there)])
    gaps = np.flatnonzero((here > constants.MOST_EMPTY) & (here != there)) + 1
    for start, end in pairwise((0, *gaps.tolist(), part.end - part.start)):
        yield part._replace(start=part.start + start, end=part.start + end)


def without_stray_ends(parts: Iterable[Segment], lines: I32, least: int) -> tuple[Segment, ...]:
    """Cut tokens that are a small part of their line off both ends of each block of a copy.

    A block ends where the next segment stands earlier in the source. No segment is cut below ``least`` tokens.
    """
    blocks: list[list[Segment]] = []
    for part in parts:
        if not blocks or part.span_there[0] < blocks[-1][-1].span_there[0]:
            blocks.append([])
        blocks[-1].append(part)
    return tuple(part for block in blocks for part in _trimmed(block, lines, least))


def _trimmed(block: list[Segment], lines: I32, least: int) -> list[Segment]:
    *others, last = block
    end = last.end - _stray(lines, last.end - 1, before=True)
    if end - last.start >= least:
        last = last._replace(end=end)
    first, *others = (*others, last)
    start = first.start + _stray(lines, first.start, before=False)
    if first.end - start >= least:
        first = first._replace(start=start)
    return [first, *others]


def _stray(lines: I32, token: int, *, before: bool) -> int:
    """How many tokens of its line begin or end with this token, if they are at most half of the line; else 0."""
    start, end = np.searchsorted(lines, (lines[token], lines[token] + 1)).tolist()
    count: int = token + 1 - start if before else end - token
    return count if count <= constants.MOST_STRAY and 2 * count <= end - start else 0
