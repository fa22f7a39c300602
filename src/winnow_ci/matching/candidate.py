"""Describe a possible copy: segments of a change that match a content, and what both sides have there.

People copy whole lines, and those who rename a copy mostly leave its lines in place. Code that is alike by chance
matches from the middle of one line to the middle of another, and its lines break elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.constants import BESIDE, MOST_OF_ALL, PHRASE_BAND
from winnow_ci.matching.extension import Segment
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.hits import SharedPhrases
    from winnow_ci.model import TokenMap, Tokens


class PhraseBits(NamedTuple):
    """The phrases that both sides of a candidate have."""

    bits: float = 0.0  # worth of all
    texts: float = 0.0  # worth of all but names
    number: int = 0  # how many there are, without names


class Candidate(NamedTuple):
    """Segments that may be a copy."""

    segments: tuple[Segment, ...]  # what matches, ordered by start
    here: NDArray[np.int64]  # rising; numbers of the matched tokens in the change
    there: NDArray[np.uint8]  # sketches of the tokens of the source that they match
    # First token, and the token after the last, of each line that is whole on both sides and lies in a segment.
    whole_lines: tuple[tuple[int, int], ...]
    other_gaps: int  # number of pairs of lines with more blank lines and comments between them on one side
    by_text: bool = False  # whether its seeds carry information only as text
    said: PhraseBits = PhraseBits()  # the worth of the phrases that both sides have there

    @property
    def span(self) -> tuple[int, int]:
        """The tokens of the change, from the first to the last."""
        return self.segments[0].start, self.segments[-1].end

    @property
    def span_there(self) -> tuple[int, int]:
        """The tokens of the content, from the first to the last."""
        spans = [part.span_there for part in self.segments]
        return min(start for start, _ in spans), max(end for _, end in spans)


def matched(parts: Sequence[Segment], there: TokenMap) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the numbers of the matched tokens, and the sketches of the content's tokens that they match."""
    here = np.concatenate([np.arange(part.start, part.end) for part in parts])
    return here, np.concatenate([there.sketch[slice(*part.span_there)] for part in parts])


def layout(here: Tokens, there: TokenMap, parts: Sequence[Segment]) -> tuple[tuple[tuple[int, int], ...], int]:
    """Find the whole lines and the other gaps of a candidate."""
    whole: list[tuple[int, int]] = []
    other_gaps = 0
    for part in parts:
        # All tokens of the segment, and the one after its last.
        at = np.arange(part.start, part.end + 1)
        one, other = _steps(here, at), _steps(there, at + part.diagonal)
        edges = np.flatnonzero((one > 0) | (other > 0))
        begins = ((one > 0) & (other > 0))[edges]
        lines = np.flatnonzero(begins[:-1] & begins[1:])
        whole += zip(at[edges[lines]].tolist(), at[edges[lines + 1]].tolist(), strict=True)
        inner, inner_there = one[1:-1], other[1:-1]
        other_gaps += int(((inner != inner_there) & (np.maximum(inner, inner_there) > 1)).sum())
    return tuple(whole), other_gaps


def _steps(tokens: Tokens | TokenMap, at: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return how many lines below its predecessor each of these tokens begins; 1 at the edges of the document."""
    last = len(tokens.first_lines) - 1
    steps = tokens.first_lines[np.minimum(at, last)] - tokens.last_lines[at - 1]
    return np.where((at > 0) & (at <= last), steps, np.int32(1))


def anchors(shared: SharedPhrases) -> list[Segment]:
    """Make empty segments at phrases that justify a search."""
    opening = shared.part(np.flatnonzero(shared.opens))
    pairs = zip(opening.positions.tolist(), opening.diagonals.tolist(), strict=True)
    return [Segment(position, position, diagonal, 0) for position, diagonal in pairs]


def phrases_said(shared: SharedPhrases, parts: Sequence[Segment], same: NDArray[np.int64]) -> PhraseBits:
    """Weigh the phrases in or beside segments, or in tokens of the ``same`` text, each once.

    An index lacks some places of a name.
    """
    if not len(shared.positions):
        return PhraseBits()
    low, high = min(part.start for part in parts) - BESIDE, max(part.end for part in parts) + BESIDE
    diagonals = sorted({part.diagonal for part in parts})
    tokens = set(same.tolist())
    known: dict[int, tuple[bool, float]] = {}
    for phrase, is_name, position, diagonal, bits, _ in zip(*(column.tolist() for column in shared), strict=True):
        if (low <= position < high and _is_near(diagonal, diagonals)) or position in tokens:
            known.setdefault(phrase, (is_name, bits))
    texts = [bits for is_name, bits in known.values() if not is_name]
    of_all = sum((bits for _, bits in known.values()), 0.0)
    return PhraseBits(min(MOST_OF_ALL, of_all), min(MOST_OF_ALL, sum(texts, 0.0)), len(texts))


def _is_near(diagonal: int, others: Sequence[int]) -> bool:
    """Whether a diagonal is near one of others, which rise."""
    after = bisect_left(others, diagonal - PHRASE_BAND)
    return after < len(others) and others[after] <= diagonal + PHRASE_BAND
