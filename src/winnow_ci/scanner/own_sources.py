"""Code that is ours, wherever else it stands: sources of the index that the configuration calls our own.

A match with our own sources only is no finding. If another source has the code too, the finding stays for people to
look at, but is suppressed: to call a source our own is to say that its code is ours, whoever took it. A match with
another source is ours if regions of our own sources cover nearly all of it; otherwise the rest came from elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.policy.patterns import SourcePatterns
    from winnow_ci.scanner.values import Match

NEARLY_ALL = 0.9


class SplitMatches(NamedTuple):
    """The matches of a file: with others' code, and with ours that others have too."""

    foreign: list[Match]
    ours: list[Match]


def split(matches: Sequence[Match], own: SourcePatterns) -> SplitMatches:
    """Split the matches of a file with other sources, and drop those with our own sources."""
    if not own:
        return SplitMatches(list(matches), [])
    places = [tuple(place for place in match.places if not own.matches(place.file.source.name)) for match in matches]
    covered = _covered([match for match, kept in zip(matches, places, strict=True) if len(kept) < len(match.places)])
    parts = SplitMatches([], [])
    for match, kept in zip(matches, places, strict=True):
        if kept:
            region = match.region
            is_ours = covered[region.start : region.end].sum() >= NEARLY_ALL * region.tokens
            (parts.ours if is_ours else parts.foreign).append(match._replace(places=kept))
    return parts


def _covered(matches: Sequence[Match]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which tokens of the file lie in these matches: bool, as long as the last match needs."""
    covered = np.zeros(max((match.region.end for match in matches), default=0), np.bool_)
    for match in matches:
        covered[match.region.start : match.region.end] = True
    return covered
