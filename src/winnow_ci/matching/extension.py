"""Extend seeds to segments and neighbourhoods: where a copy may lie in a content, and what agrees there.

All seeds of one copied stretch lie on one *diagonal* (position there − position here). The sketches of both sides tell
exactly where the stretch starts and ends, also where no fingerprint was selected. So a *segment* is the longest run
around a seed, along its diagonal, where both sides agree: in the class of each token for a structural segment, in its
whole sketch for a verbatim one.

An edited copy also shares runs that are too short to hold a seed. So one seed is reason enough to search its whole
*neighbourhood*: segments that stand near each other on both sides form a group, and all runs of equal tokens around it,
on nearby diagonals and however short, are collected for chaining. This is the gapped extension of BLAST (Altschul et
al. 1997) with runs instead of single letters.

Most seeds are chance. So only neighbourhoods with a *promising* diagonal are searched: one whose best seed, extended
both ways over mismatches to where it gains most (the ungapped extension of BLAST), says enough.

Cut chance tokens and chance segments off the ends of a copy.

The code around a copy often begins or ends with the same tokens as the code around the source: the next ``def``, a
closing brace. If such tokens are only a small part of their line, the line is not part of the copy.

A chain also goes on over a gap to a few tokens that happen to agree behind it. So a segment at an end has to say more
the more lines lie between it and the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.thresholds import (
    BAND,
    CONTEXT,
    EACH_BREAK,
    EACH_LINE,
    GROUPS_COMPARED,
    LARGEST,
    LEAST_ASIDE,
    LEAST_END,
    LEAST_PROMISE,
    LONGEST_WITHOUT_SEED,
    MISMATCH,
    MOST_DIAGONALS,
    MOST_EMPTY,
    MOST_RUNS,
    MOST_STRAY,
    NEAR,
    REACH,
    SHORTEST,
    WIDEST,
)
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.hits import FileHits, Seeds

    Sketches = NDArray[np.uint8]
    from collections.abc import Callable

    from numpy.typing import NDArray


def _classes() -> Sketches:
    classes = np.arange(256, dtype=np.uint8)
    for sketches in (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH):
        classes[sketches.start : sketches.stop] = sketches.start
    return classes


CLASSES = _classes()
"""The structural class of each sketch byte."""
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


def segments(here: Sketches, there: Sketches, seeds: Seeds, k: int) -> list[Segment]:
    """Extend seeds along their diagonals.

    Args:
        here: uint8; what is compared of each token of the change.
        there: uint8; the same of the content.
        seeds: k-grams that both have.
        k: length of a k-gram.

    Returns:
        Segments of at least k tokens, ordered by start.
    """
    positions: dict[int, list[int]] = {}
    for diagonal, position in sorted(zip(seeds.diagonals.tolist(), seeds.positions.tolist(), strict=True)):
        positions.setdefault(diagonal, []).append(position)
    strongest = sorted(positions, key=lambda diagonal: -len(positions[diagonal]))[:MOST_DIAGONALS]
    return sorted(one for diagonal in strongest for one in _along(here, there, positions[diagonal], diagonal, k))


def _along(here: Sketches, there: Sketches, positions: Sequence[int], diagonal: int, k: int) -> Iterator[Segment]:
    low = max(0, -diagonal, positions[0] - LONGEST_WITHOUT_SEED)
    high = max(low, min(len(here), len(there) - diagonal, positions[-1] + k + LONGEST_WITHOUT_SEED))
    # One byte a token, 1 where the two sides differ.
    differ = np.not_equal(here[low:high], there[low + diagonal : high + diagonal]).tobytes() + b"\1"
    seeds, n = [position - low for position in positions], 0
    while n < len(seeds) and seeds[n] < len(differ):
        end = differ.index(1, seeds[n])
        # A seed without k equal tokens is a chance collision of hashes, or reaches past a damaged map.
        if sound := bisect_right(seeds, end - k, n) - n:
            yield Segment(differ.rfind(1, 0, seeds[n]) + 1 + low, end + low, diagonal, sound)
        n = bisect_right(seeds, end, n)


def promising(file: FileHits, there: Sketches, seeds: Seeds, k: int) -> frozenset[int]:
    """Return which diagonals promise a copy.

    Args:
        file: the change.
        there: uint8; the sketch of each token of the content.
        seeds: what both have; those of informative structure or equal text count.
        k: length of a seed.
    """
    best: dict[int, tuple[float, int]] = {}
    columns = seeds.positions, seeds.diagonals, seeds.structural
    for position, diagonal, counts in zip(*(column.tolist() for column in columns), strict=True):
        # A seed beyond the content is of a damaged index.
        if counts and 0 <= position + diagonal <= len(there) - k:
            said = float(file.cumulative[position + k] - file.cumulative[position + CONTEXT])
            known, _ = best.get(diagonal, (-1.0, 0))
            if said > known:
                best[diagonal] = said, position
    return frozenset(
        diagonal
        for diagonal, (said, position) in best.items()
        if said + _gain(file, there, position, diagonal, k) >= LEAST_PROMISE
    )


def _gain(file: FileHits, there: Sketches, position: int, diagonal: int, k: int) -> float:
    """Add up what a seed gains in both directions, and by equal text inside it."""
    low = max(0, -diagonal, position - REACH)
    high = min(len(file.tokens), len(there) - diagonal, position + k + REACH)
    here, other = file.tokens.sketch[low:high], there[low + diagonal : high + diagonal]
    texts = np.where(here == other, file.new_literal_bits[low:high], 0.0)
    gains = np.where(CLASSES[here] == CLASSES[other], file.token_bits[low:high], -MISMATCH) + texts
    before, after = gains[: position - low], gains[position - low + k :]
    inside = texts[position - low : position - low + k]
    return float(after.cumsum().max(initial=0.0) + before[::-1].cumsum().max(initial=0.0) + inside.sum())


def neighbourhoods(found: Iterable[Segment]) -> list[list[Segment]]:
    """Group segments, ordered by start, that stand near each other on both sides."""
    groups: list[list[Segment]] = []
    for segment in found:
        for group in reversed(groups[-GROUPS_COMPARED:]):
            if any(_are_near(segment, other) for other in group[-GROUPS_COMPARED:]):
                group.append(segment)
                break
        else:
            groups.append([segment])
    return groups


def _are_near(segment: Segment, other: Segment) -> bool:
    return segment.start - other.end <= NEAR and abs(segment.diagonal - other.diagonal) <= BAND


def runs_around(
    here: Sketches, there: Sketches, group: Sequence[Segment], cumulative: NDArray[np.float64]
) -> list[Segment]:
    """Find all runs of equal tokens in a neighbourhood.

    Args:
        here: uint8; what is compared of each token of the change.
        there: uint8; the same of the content.
        group: segments of the neighbourhood.
        cumulative: float64, one more than tokens of the change; bits of the tokens before each.

    Returns:
        Runs of at least ``SHORTEST`` tokens, ordered by start, without seeds.
    """
    start = max(0, min(segment.start for segment in group) - REACH)
    end = min(len(here), max(segment.end for segment in group) + REACH, start + LARGEST)
    own = {segment.diagonal for segment in group}
    lowest, bits = min(own) - BAND, cumulative.tolist()
    found = [
        Segment(first, after, diagonal, 0)
        for diagonal in range(lowest, min(max(own) + BAND + 1, lowest + WIDEST))
        for first, after in equal_runs(here, there, diagonal, (start, end), SHORTEST)
        if diagonal in own or bits[after] - bits[first + CONTEXT] >= LEAST_ASIDE
    ]
    return sorted(sorted(found, key=lambda run: -run.tokens)[:MOST_RUNS])


def equal_runs(
    here: Sketches, there: Sketches, diagonal: int, span: tuple[int, int], least: int = 1
) -> list[tuple[int, int]]:
    """Return start and end, in the change, of each run of ``least`` or more equal tokens on a diagonal.

    Args:
        here: uint8; what is compared of each token of the change.
        there: uint8; the same of the content.
        diagonal: position there − position here.
        span: the tokens of the change that are looked at, half-open.
        least: tokens of a run.
    """
    low, high = max(span[0], -diagonal), min(span[1], len(there) - diagonal)
    if low >= high:
        return []
    same = np.equal(here[low:high], there[low + diagonal : high + diagonal]).tobytes()
    return [(low + run.start(), low + run.end()) for run in _equal(least).finditer(same)]


@cache
def _equal(least: int) -> re.Pattern[bytes]:
    return re.compile(b"\1{%d,}" % least)


# ---- trimming ----------------------------------------------------------------------------------------------------


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
