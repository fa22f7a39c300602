"""How much likeness is evidence of a copy.

Each rule was chosen on real code: pieces of curl planted in git, as they are and renamed, against git as it is; and
Python projects against one another (docs/matching.md has the figures).

*Verbatim*: a run of t tokens, or several shorter runs that make up more. Where only the text carries information and
not the structure (tables of names and strings), it takes four times as much.

*Renamed*: code of equal shape is common; a copy is told from it by

- length, and variety: rows of one and the same statement are long but say little;
- an unbroken run of t tokens, or twice the length;
- consistency: a name that recurs meets the same name on the other side each time (``renaming``). Names of the source
  are known by a byte each, so that two of them may look like one: the way back is allowed some disagreement;
- rarity: a shape that known code has in several wordings is an idiom, which nobody needs to copy (``idioms``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.matching.renaming import consistency
from winnow_ci.model import IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.model import Fingerprints, Parameters, Region, Tokens

# Verbatim runs shorter than t count only together, from this many times t.
SHORT_RUNS = 1.5
# Text that carries information only as text counts from this many times t.
PLAIN_TEXT = 4
LEAST_VARIETY = 0.8
LEAST_CONSISTENCY = 0.9
LEAST_CONSISTENCY_BACK = 0.5


class Thresholds(NamedTuple):
    """What a region must have on added lines to be reported, in matched tokens."""

    verbatim: int = 16
    renamed: int = 40


class Query(NamedTuple):
    """One changed file, ready to be matched.

    Attributes:
        tokens: its tokens.
        kgrams: all its k-grams.
        grams: uint64, one a token but the last three; hashes of its structural 4-grams.
        informative: bool, one a k-gram; whether its structure carries information (and is not boilerplate).
        informative_text: the same of its text.
        added: bool, one a token; True on lines that the change adds.
    """

    tokens: Tokens
    kgrams: Fingerprints
    grams: NDArray[np.uint64]
    informative: NDArray[np.bool_]
    informative_text: NDArray[np.bool_]
    added: NDArray[np.bool_]


class Candidate(NamedTuple):
    """A chain of segments that may be a copy.

    Attributes:
        region: the region that would be reported.
        here: int64; numbers of the matched tokens in the change.
        there: uint8; sketches of the tokens of the source that they match.
        longest: length of the longest segment.
        by_text: whether its seeds carry information only as text.
    """

    region: Region
    here: NDArray[np.int64]
    there: NDArray[np.uint8]
    longest: int
    by_text: bool


class Judge(NamedTuple):
    """Judges the candidates of one changed file."""

    query: Query
    parameters: Parameters
    thresholds: Thresholds

    def is_verbatim_copy(self, candidate: Candidate) -> bool:
        """Whether a verbatim candidate is evidence of a copy."""
        t, matched = self.parameters.guarantee, len(candidate.here)
        added = self._added(candidate)
        if candidate.by_text:
            return added >= max(PLAIN_TEXT * t, self.thresholds.verbatim)
        return added >= self.thresholds.verbatim and (candidate.longest >= t or matched >= SHORT_RUNS * t)

    def is_renamed_copy(self, candidate: Candidate) -> bool:
        """Whether a structural candidate is evidence of a copy, unless it is an idiom.

        One that is nearly all verbatim is called so, and has the other threshold to pass as well.
        """
        least, added = self.thresholds.renamed, self._added(candidate)
        if candidate.region.kind == "verbatim" and added < self.thresholds.verbatim:
            return False
        return (
            added >= least
            and (candidate.longest >= self.parameters.guarantee or added >= 2 * least)
            and self._variety(candidate) >= LEAST_VARIETY * least
            and self._renames_consistently(candidate)
        )

    def _added(self, candidate: Candidate) -> int:
        """Matched tokens on added lines; no more of them than would be reported."""
        return min(int(self.query.added[candidate.here].sum()), candidate.region.matched)

    def _variety(self, candidate: Candidate) -> int:
        """Number of distinct 4-grams that start at matched tokens."""
        starts = candidate.here[candidate.here < len(self.query.grams)]
        return len(set(self.query.grams[starts].tolist()))

    def _renames_consistently(self, candidate: Candidate) -> bool:
        named = IS_IDENTIFIER[candidate.there]
        names = self.query.tokens.verbatim[candidate.here[named]]
        names_there = candidate.there[named].astype(np.uint64)
        return (
            consistency(names, names_there) >= LEAST_CONSISTENCY
            and consistency(names_there, names) >= LEAST_CONSISTENCY_BACK
        )


def _classes() -> NDArray[np.uint8]:
    classes = np.arange(256, dtype=np.uint8)
    for sketches in (IDENTIFIER_SKETCH, NUMBER_SKETCH, STRING_SKETCH):
        classes[sketches.start : sketches.stop] = sketches.start
    return classes


CLASSES = _classes()
IS_IDENTIFIER = np.equal(CLASSES, IDENTIFIER_SKETCH.start)
