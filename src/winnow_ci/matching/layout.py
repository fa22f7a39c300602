"""How the lines of both sides agree.

People copy whole lines, and those who rename a copy mostly leave its lines in place. Code that is alike by chance
matches from the middle of one line to the middle of another, and its lines break elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.segments import Segment
    from winnow_ci.model import TokenMap, Tokens

# A whole line of fewer tokens may be a bracket alone: it says half as much as others of how strong a copy is.
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


def layout(here: Tokens, there: TokenMap, parts: Sequence[Segment]) -> Layout:
    """Compare the lines of both sides.

    Args:
        here: tokens of the change.
        there: tokens of the source.
        parts: segments, at least one.
    """
    steps = [(_steps(here, part.start, part.end), _steps(there, *part.span_there)) for part in parts]
    whole = [_whole(*both) + part.start for both, part in zip(steps, parts, strict=True)]
    return Layout(np.concatenate(whole), sum(_other_gaps(one[1:-1], other[1:-1]) for one, other in steps))


def _steps(tokens: Tokens | TokenMap, start: int, end: int) -> NDArray[np.int32]:
    """How many lines below its predecessor each token of ``[start, end]`` begins; 1 at the edges of the document."""
    steps = np.ones(end - start + 1, np.int32)
    low, high = max(start, 1), min(end + 1, len(tokens.first_lines))
    steps[low - start : high - start] = tokens.first_lines[low:high] - tokens.last_lines[low - 1 : high - 1]
    return steps


def _whole(here: NDArray[np.int32], there: NDArray[np.int32]) -> NDArray[np.int64]:
    edges = np.flatnonzero((here > 0) | (there > 0))
    both = ((here > 0) & (there > 0))[edges]
    whole = both[:-1] & both[1:]
    return np.stack([edges[:-1][whole], edges[1:][whole]], axis=1)


def _other_gaps(here: NDArray[np.int32], there: NDArray[np.int32]) -> int:
    return int(((here != there) & (np.maximum(here, there) > 1)).sum())
