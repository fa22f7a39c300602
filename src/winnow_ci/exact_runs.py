"""Find the longest run of tokens that two texts share: of equal tokens, or with names changed one to one.

Fingerprints lose the ends of what two texts share; Schleimer, Wilkerson and Aiken (2003, section 5.2) name suffix trees
as the cure. Here it is a binary search by length, since each part of a shared run is shared: for one length, the hashes
of all runs of the one are looked up among those of the other, and hits are compared token by token. So no hash decides,
and the time is O(n log² n).

*With names changed* is Baker's parameterised match (1993). Names, numbers and strings are parameters. In a run, a
parameter is written as the distance to its last occurrence in that run, or 0 at its first; two runs match if their
structure and these distances are the same, which is if and only if some one-to-one renaming turns one into the other.
Token j with its last occurrence at p counts in the runs of length L that begin in [j − L + 1, p], and is a first one in
the others. So each token adds its d·b^j to a range of runs, and running sums give the hashes of all runs at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.model import IDENTIFIER_SKETCH, LineRange
from winnow_ci.model.regions import ExactRun, ExactRuns
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.winnowing.schemes import kgram_hashes, powers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from winnow_ci.model import Tokens

# Odd, so that it has an inverse modulo 2^64; another one than that of k-grams.
_BASE = 2862933555777941757
_INVERSE = pow(_BASE, -1, 1 << 64)


class _Text(NamedTuple):
    """A text to compare."""

    ids: NDArray[np.uint64]  # shape (n,); tokens are equal if these are
    last: NDArray[np.int64]  # shape (n,); number of the parameter's last occurrence, −1 for none and for no parameter

    @classmethod
    def verbatim(cls, tokens: Tokens) -> _Text:
        return cls(tokens.verbatim, np.full(len(tokens), -1))

    @classmethod
    def parameterised(cls, tokens: Tokens) -> _Text:
        last = np.full(len(tokens), -1)
        parameters = np.flatnonzero(tokens.sketch >= IDENTIFIER_SKETCH.start)
        order = parameters[np.argsort(tokens.verbatim[parameters], kind="stable")]
        again = tokens.verbatim[order[1:]] == tokens.verbatim[order[:-1]]
        last[order[1:][again]] = order[:-1][again]
        return cls(tokens.structural, last)

    def hashes(self, length: int) -> NDArray[np.uint64]:
        """Return the hashes of all runs of a length: uint64, shape (n − length + 1,)."""
        count = len(self.ids) - length + 1
        again = np.flatnonzero((self.last >= 0) & (np.arange(len(self.ids)) - self.last < length))
        last = self.last[again]
        values = (again - last).astype(np.uint64) * powers(_BASE, len(self.ids))[again]
        change = np.zeros(count + 1, np.uint64)
        np.add.at(change, np.maximum(again - length + 1, 0), values)
        np.subtract.at(change, np.minimum(last + 1, count), values)
        distances = np.cumsum(change[:-1]) * powers(_INVERSE, count)
        hashes: NDArray[np.uint64] = kgram_hashes(self.ids, length) + distances * np.uint64(_BASE)
        return hashes

    def written(self, start: int, length: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return a run as it is compared: its ids, and the distances of its parameters."""
        part = slice(start, start + length)
        distances = np.arange(start, start + length) - self.last[part]
        return self.ids[part], np.where(self.last[part] >= start, distances, 0)


def exact_runs(here: Tokens, there: Tokens) -> ExactRuns:
    """Return the longest runs that two texts share; of equally long ones the first of ``here``."""
    found: list[ExactRun | None] = []
    for text in (_Text.verbatim, _Text.parameterised):
        start, other, length = _longest(text(here), text(there))
        run = ExactRun(length, _lines(here, start, length), _lines(there, other, length)) if length else None
        found.append(run)
    return ExactRuns(*found)


def _lines(tokens: Tokens, start: int, length: int) -> LineRange:
    return LineRange(int(tokens.first_lines[start]), int(tokens.last_lines[start + length - 1]))


def _longest(here: _Text, there: _Text) -> tuple[int, int, int]:
    """Where the longest shared run begins in either text, and its length."""
    best = 0, 0, 0
    too_long = min(len(here.ids), len(there.ids)) + 1
    while too_long - best[2] > 1:
        length = (best[2] + too_long) // 2
        if found := next(_shared(here, there, length), None):
            best = *found, length
        else:
            too_long = length
    return best


def _shared(here: _Text, there: _Text, length: int) -> Iterator[tuple[int, int]]:
    hashes, others = here.hashes(length), there.hashes(length)
    for start in np.flatnonzero(among(hashes, np.sort(others))).tolist():
        ids, distances = here.written(start, length)
        for other in np.flatnonzero(others == hashes[start]).tolist():
            theirs = there.written(other, length)
            if np.array_equal(ids, theirs[0]) and np.array_equal(distances, theirs[1]):
                yield start, other
