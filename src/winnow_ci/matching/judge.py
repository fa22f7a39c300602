"""How much likeness is evidence of a copy.

*Verbatim*: a run of t tokens, or shorter runs that add up to more. If the text carries information and the structure
does not (tables of names and strings), it takes three times as much.

*Renamed or edited*: code of equal shape is common. A score in bits tells copies from it: it adds what speaks for a copy
and subtracts what speaks for chance, as the log-odds scores of sequence alignment do (Altschul 1991):

- what the matched tokens say (``evidence.tables``), each distinct 4-gram once: rows of one and the same statement
  are long but say little;
- names and literals that are the same on both sides, each once;
- lines that are whole lines on both sides (``layout``), each by at most what it says: rows of numbers stay worthless.
  Differing gaps between lines take this away again, but no more, because a copy may have a new layout;
- comments and strings that say the same on both sides (``phrases``);
- names that recur and do not meet the same name on the other side each time (``renaming``). An index knows a name of
  the source by one byte, so two names may look like one: names are counted from the change to the source;
- edits: texts that are alike by chance differ in more places.

A candidate of a score below ``LEAST_SCORE`` is hardly a copy, and is not looked at further. Which of the others are
reported is up to the evidence model (``evidence.model``), for which the score is one feature of several.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.candidate_bits import CandidateBits
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.segments import Segment
    from winnow_ci.matching.thresholds import Thresholds
    from winnow_ci.model import Parameters
    from winnow_ci.model.regions import Region

# Verbatim runs shorter than t are evidence if together they have this many times t tokens.
SHORT_RUNS = 2
# Text without informative structure is evidence from this many times t tokens on.
PLAIN_TEXT = 3
# Worth in bits.
DISAGREES = -6.0
BREAK = -4.2
SHIFT = -2.8
JUMP = -1.4


class Judge(NamedTuple):
    """Judges the candidates of one changed file."""

    file: FileHits
    parameters: Parameters
    thresholds: Thresholds

    def is_verbatim_copy(self, candidate: Candidate, region: Region) -> bool:
        """Whether a verbatim candidate, to be reported as that region, is evidence of a copy."""
        t, added = self.parameters.guarantee, self._added(candidate, region)
        if candidate.by_text:
            return added >= max(PLAIN_TEXT * t, self.thresholds.verbatim)
        enough = candidate.longest >= t or len(candidate.here) >= SHORT_RUNS * t
        return enough and added >= self.thresholds.verbatim

    def may_be_verbatim_copy(self, parts: Sequence[Segment], by_text: bool) -> bool:
        """Whether a verbatim candidate of these segments, or of some of them, may be evidence: most are too short."""
        t, lengths = self.parameters.guarantee, [part.end - part.start for part in parts]
        least = max(PLAIN_TEXT * t, self.thresholds.verbatim) if by_text else self.thresholds.verbatim
        if sum(lengths) < least or (max(lengths, default=0) < t and sum(lengths) < SHORT_RUNS * t):
            return False
        added = (np.count_nonzero(self.file.added[part.start : part.end]) for part in parts)
        return int(sum(added)) >= least

    def is_enough(self, candidate: Candidate, region: Region) -> bool:
        """Whether a structural candidate is long enough, as its kind needs."""
        least = self.thresholds.verbatim if region.kind == "verbatim" else self.thresholds.renamed
        return least is not None and self._added(candidate, region) >= least

    def score(self, candidate: Candidate) -> float:
        """The worth of a structural candidate as evidence, in bits."""
        return self.scores([candidate])[0]

    def scores(self, candidates: Sequence[Candidate]) -> list[float]:
        """The worth of each of several structural candidates as evidence, in bits."""
        if not candidates:
            return []
        said, phrases = self.bits(*candidates), np.array([one.said.bits for one in candidates])
        count, agreeing = said.recurrences()
        breaks = np.array([self.breaks(one) for one in candidates])
        names = DISAGREES * (count - agreeing)
        return list((said.total() + said.lines() + phrases + names + breaks).tolist())

    def bits(self, *candidates: Candidate) -> CandidateBits:
        """What tokens and lines of candidates say."""
        return CandidateBits(self.file, candidates)

    def _added(self, candidate: Candidate, region: Region) -> int:
        """Number of matched tokens on added lines, at most the number that would be reported."""
        return min(int(self.file.added[candidate.here].sum()), region.matched)

    def breaks(self, candidate: Candidate) -> float:
        """Bits against a copy, for what lies between its segments."""
        pairs = list(pairwise(candidate.segments))
        shifts = sum(after.diagonal != before.diagonal for before, after in pairs)
        jumps = sum(after.span_there[0] < before.span_there[0] for before, after in pairs)
        return BREAK * len(pairs) + SHIFT * shifts + JUMP * jumps
