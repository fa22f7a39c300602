"""Segments → neighbourhoods: where in a content a copy may lie, and everything that agrees there.

An edited copy shares runs with its source that are too short to hold a seed. So one seed is reason enough to search
the whole neighbourhood: segments that stand near each other on both sides form a group, and all runs of equal tokens
around it, on nearby diagonals and however short, are collected for chaining. This is the gapped extension of BLAST
(Altschul et al. 1997) with runs instead of single letters.

Most seeds are chance, so only neighbourhoods that the ungapped extension (``ungapped``) finds promising are searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.segments import Segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

# Largest distance between segments of one neighbourhood in tokens, and between their diagonals.
NEAR = 200
BAND = 40
# Tokens searched before and after a neighbourhood.
REACH = 120
# A shorter run is chance; off the diagonals of the seeds, so is a run that says less.
SHORTEST = 5
LEAST_ASIDE = 4.0
# Bounds of the work for hostile input.
LARGEST = 6000
WIDEST = 280
MOST_RUNS = 400
COMPARED = 6


def neighbourhoods(segments: Iterable[Segment]) -> list[list[Segment]]:
    """Group segments that stand near each other on both sides.

    Args:
        segments: ordered by start.
    """
    groups: list[list[Segment]] = []
    for segment in segments:
        for group in reversed(groups[-COMPARED:]):
            if any(_near(segment, other) for other in group[-COMPARED:]):
                group.append(segment)
                break
        else:
            groups.append([segment])
    return groups


def _near(segment: Segment, other: Segment) -> bool:
    return segment.start - other.end <= NEAR and abs(segment.diagonal - other.diagonal) <= BAND


def runs_around(
    here: NDArray[np.uint8], there: NDArray[np.uint8], group: Sequence[Segment], cumulative: NDArray[np.float64]
) -> list[Segment]:
    """All runs of equal tokens in a neighbourhood.

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
    diagonals = {segment.diagonal for segment in group}
    lowest = min(diagonals) - BAND
    width = min(max(diagonals) + BAND - lowest + 1, WIDEST)
    aside = np.ones(width, np.bool_)
    aside[[diagonal - lowest for diagonal in diagonals if diagonal - lowest < width]] = False
    found = _runs(_agreement(here[start:end], there, start + lowest, width))
    is_aside = aside[found[:, 2]]
    found += (start, start, lowest)
    worth = cumulative[found[:, 1]] - cumulative[np.minimum(found[:, 0] + 3, found[:, 1])]
    found = found[~is_aside | (worth >= LEAST_ASIDE)]
    longest = np.argsort(found[:, 0] - found[:, 1], kind="stable")[:MOST_RUNS]
    return sorted(Segment(first, after, diagonal, 0) for first, after, diagonal in found[longest].tolist())


def _agreement(here: NDArray[np.uint8], there: NDArray[np.uint8], first: int, width: int) -> NDArray[np.bool_]:
    """Whether token i here is token first + i + d there: bool, [d, 1 + i], with a column of False at either end."""
    beside = np.full(len(here) + width - 1, -1, np.int16)
    low, high = max(first, 0), min(first + len(beside), len(there))
    if low < high:
        beside[low - first : high - first] = there[low:high]
    # What stands beside the change on each diagonal; NumPy's ``sliding_window_view`` takes longer than all the rest.
    windows = np.ndarray((width, len(here)), beside.dtype, beside, strides=beside.strides * 2)
    agree = np.zeros((width, len(here) + 2), np.bool_)
    np.equal(windows, here.astype(beside.dtype), out=agree[:, 1:-1])
    return agree


def _runs(agree: NDArray[np.bool_]) -> NDArray[np.int64]:
    """First token, token after the last, and row, of each run that is long enough: int64, shape (n, 3)."""
    flat = agree.ravel()
    # The first column is 0, too, so a change of value is the start of a run and the end of one by turns.
    starts, ends = ((flat[1:] != flat[:-1]).nonzero()[0] + 1).reshape(-1, 2).T
    long = ends - starts >= SHORTEST
    rows, columns = np.divmod(starts[long], agree.shape[1])
    return np.array([columns - 1, columns - 1 + (ends - starts)[long], rows]).T
