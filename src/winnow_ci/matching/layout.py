"""How the lines of both sides agree.

People copy whole lines, and those who rename a copy mostly leave its lines in place. Code that is alike by chance
matches from the middle of one line to the middle of another, and its lines break elsewhere.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import ranges
from winnow_ci.matching.segments import columns
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.segments import Segment
    from winnow_ci.model import TokenMap, Tokens

# A whole line of fewer tokens may be a bracket alone: it counts as no equal line.
SHORTEST_LINE = 4


class Layout(NamedTuple):
    """How the lines of segments agree.

    Attributes:
        whole: int64, shape (n, 2); for each line of the change that lies in a segment as a whole and is a whole line of
            the source too: its first token, and the token after its last.
        other_gaps: number of pairs of lines with more blank lines and comments between them on one side.
    """

    whole: NDArray[np.int64]
    other_gaps: int


def layouts(here: Tokens, there: TokenMap, candidates: Sequence[Sequence[Segment]]) -> list[Layout]:
    """Compare the lines of both sides, for several candidates at a time.

    Args:
        here: tokens of the change.
        there: tokens of the source.
        candidates: the segments of each, at least one.
    """
    starts, ends, diagonals, _ = columns(chain.from_iterable(candidates))
    owners = np.repeat(np.arange(len(candidates)), [len(parts) for parts in candidates])
    # All tokens of each segment, and the one after its last.
    lengths = ends - starts + 1
    at, part = ranges(starts, lengths), np.repeat(np.arange(len(starts)), lengths)
    one, other = _steps(here, at), _steps(there, at + diagonals[part])
    edges = ((one > 0) | (other > 0)).nonzero()[0]
    both, same_part = ((one > 0) & (other > 0))[edges], np.diff(part[edges]) == 0
    whole = (both[:-1] & both[1:] & same_part).nonzero()[0]
    lines = np.stack([at[edges[whole]], at[edges[whole + 1]]], axis=1)
    inside = (at > starts[part]) & (at < ends[part])
    gaps = np.bincount(owners[part[inside & _are_other_gaps(one, other)]], minlength=len(candidates))
    cuts = np.searchsorted(owners[part[edges[whole]]], np.arange(len(candidates) + 1)).tolist()
    return [Layout(lines[low:high], count) for (low, high), count in zip(pairwise(cuts), gaps.tolist(), strict=True)]


def _steps(tokens: Tokens | TokenMap, at: NDArray[np.int64]) -> NDArray[np.int32]:
    """How many lines below its predecessor each of these tokens begins; 1 at the edges of the document."""
    last = len(tokens.first_lines) - 1
    steps = tokens.first_lines[np.minimum(at, last)] - tokens.last_lines[at - 1]
    return np.where((at > 0) & (at <= last), steps, np.int32(1))


def _are_other_gaps(here: NDArray[np.int32], there: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.asarray((here != there) & (np.maximum(here, there) > 1), np.bool_)
