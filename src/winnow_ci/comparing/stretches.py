"""Where two documents are the same: shared fingerprints that follow each other in both.

This is for people to look at. To decide which of it is copied, a scan takes more care (docs/matching.md).
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.model import LineRange
from winnow_ci.model.comparison import SharedStretch

if TYPE_CHECKING:
    from winnow_ci.comparing.documents import FingerprintedDocument


def stretches(one: FingerprintedDocument, other: FingerprintedDocument, reach: int) -> list[SharedStretch]:
    """Stretches of one document by position; each of its fingerprints is in at most one.

    Args:
        one: the document whose stretches are wanted.
        other: the document that has them too.
        reach: in both, the next fingerprint of a stretch begins at most this many tokens further on.
    """
    found: list[SharedStretch] = []
    run: list[tuple[int, int]] = []
    places = _places(other)
    start_of, start_there = one.fingerprints.positions.tolist(), other.fingerprints.positions.tolist()
    for mine in np.flatnonzero(among(one.fingerprints.hashes, other.hashes)).tolist():
        candidates = places[int(one.fingerprints.hashes[mine])]
        following = candidates[min(bisect_right(candidates, run[-1][1]), len(candidates) - 1)] if run else candidates[0]
        if run and not (
            start_of[mine] - start_of[run[-1][0]] <= reach
            and 0 < start_there[following] - start_there[run[-1][1]] <= reach
        ):
            found.append(_stretch(one, other, run))
            run, following = [], candidates[0]
        run.append((mine, following))
    return [*found, _stretch(one, other, run)] if run else found


def _places(document: FingerprintedDocument) -> dict[int, list[int]]:
    """Hash → numbers of the fingerprints that have it, rising."""
    places: dict[int, list[int]] = {}
    for number, value in enumerate(document.fingerprints.hashes.tolist()):
        places.setdefault(value, []).append(number)
    return places


def _stretch(one: FingerprintedDocument, other: FingerprintedDocument, run: list[tuple[int, int]]) -> SharedStretch:
    mine, theirs = np.array(run).T
    same = one.fingerprints.checks[mine] == other.fingerprints.checks[theirs]
    lines = LineRange(int(one.first_lines[mine[0]]), int(one.last_lines[mine[-1]]))
    lines_there = LineRange(int(other.first_lines[theirs[0]]), int(other.last_lines[theirs[-1]]))
    seeds = zip(one.fingerprints.positions[mine].tolist(), other.fingerprints.positions[theirs].tolist(), strict=True)
    return SharedStretch(lines, lines_there, len(run), int(np.count_nonzero(same)), tuple(seeds))
