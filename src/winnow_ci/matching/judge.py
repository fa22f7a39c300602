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

Code that is alike by chance hardly ever has a whole line of equal text. So each such line makes a lower score enough.

The threshold was chosen on real code, copies against unrelated projects (docs/matching.md has the figures).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.candidate_bits import WHOLE_LINE, CandidateBits
from winnow_ci.matching.classes import IS_NUMBER
from winnow_ci.matching.kept_lines import kept_lines
from winnow_ci.matching.thresholds import LEAST_SCORE, SAME_TEXT
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.candidate_bits import TokenBits
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
SHORT_LINE = 3.0
DISAGREES = -6.0
BREAK = -4.2
SHIFT = -2.8
JUMP = -1.4
LEAST_VERBATIM_SCORE = 69.0
# Whole lines that say much: less is enough then, for a copy that has kept nearly all of its text, or is long and has
# names of which each meets the same one wherever it recurs.
MUCH_OF_LINES = 20.0
LONG, LEAST_LONG_SCORE = 30, 57.0
# Names and strings that say much: so is it for a copy that has kept nearly all of its text.
MUCH_OF_TEXT, LEAST_KEPT_SCORE = 15.0, 48.0
# What each whole line of equal text makes less enough, in bits, up to a few of them.
KEPT_LINE, MOST_KEPT_LINES = 6.0, 3
# With so many whole lines of equal text, a copy need not be consistent in its names.
ENOUGH_LINES = 2
# A region with a better score is a copy even if it is an idiom.
IDIOM_SCORE = 74.0
# At least this share of recurring names correspond in a copy, unless phrases are worth ``MUCH`` bits.
LEAST_CONSISTENCY = 0.7
MUCH = 20.0
# A candidate that only names led to must have kept this share of its text.
LEAST_LIKENESS = 0.75


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
        """Whether a structural candidate has the score and the length that its kind needs."""
        added = self._added(candidate, region)
        if region.kind == "verbatim":
            enough = region.bits >= LEAST_VERBATIM_SCORE or self._least_score(candidate) < LEAST_SCORE
            return added >= self.thresholds.verbatim and enough
        return self.thresholds.renamed is not None and added >= self.thresholds.renamed

    def is_evidence(self, candidate: Candidate, score: float) -> bool:
        """Whether a structural candidate with this score is evidence of a copy, unless it is an idiom.

        If it has no seed, it must also be ``is_more_than_names``.
        """
        if score < LEAST_KEPT_SCORE or (score < LEAST_SCORE and score < self._least_score_with_lines(candidate)):
            return False
        (count,), (agreeing,) = self.bits(candidate).recurrences()
        is_consistent = agreeing >= LEAST_CONSISTENCY * count or candidate.said.bits >= MUCH
        return bool(is_consistent) or self._equal_lines(candidate) >= ENOUGH_LINES

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
        return list((said.total() + said.lines(WHOLE_LINE) + phrases + names + breaks).tolist())

    def bits(self, *candidates: Candidate) -> CandidateBits:
        """What tokens and lines of candidates say."""
        return CandidateBits(self.file, candidates)

    def _least_score(self, candidate: Candidate) -> float:
        """The score from which a structural candidate is evidence, whatever lines of equal text it has."""
        said = self.bits(candidate)
        has_lines = said.lines(WHOLE_LINE)[0] >= MUCH_OF_LINES
        if self._likeness(candidate) >= SAME_TEXT and (has_lines or self._kept_text(said.same) >= MUCH_OF_TEXT):
            return LEAST_KEPT_SCORE
        if not has_lines or len(candidate.here) < LONG:
            return LEAST_SCORE
        (count,), (agreeing,) = said.recurrences()
        return LEAST_LONG_SCORE if count == agreeing else LEAST_SCORE

    def _least_score_with_lines(self, candidate: Candidate) -> float:
        """The score from which a structural candidate is evidence."""
        return min(self._least_score(candidate), LEAST_SCORE - self.credit(candidate))

    def credit(self, candidate: Candidate) -> float:
        """How much less is enough, in bits, for a candidate with whole lines of equal text."""
        return KEPT_LINE * min(self._equal_lines(candidate), MOST_KEPT_LINES)

    def _equal_lines(self, candidate: Candidate) -> int:
        """How many whole lines, but for the shortest, have equal text."""
        lines = kept_lines(candidate, self.file)
        return int((lines.equal & lines.long).sum())

    def is_more_than_names(self, candidate: Candidate) -> bool:
        """Whether a candidate without a seed may be a copy: names alone may have led to it."""
        return candidate.said.texts > 0 or self._likeness(candidate) >= LEAST_LIKENESS

    def _likeness(self, candidate: Candidate) -> float:
        """The share of matched tokens whose text is the same."""
        return float((self.file.tokens.sketch[candidate.here] == candidate.there).mean())

    def _added(self, candidate: Candidate, region: Region) -> int:
        """Number of matched tokens on added lines, at most the number that would be reported."""
        return min(int(self.file.added[candidate.here].sum()), region.matched)

    def _kept_text(self, same: TokenBits) -> float:
        """Bits of the same names and strings; tables that nobody copied have the same numbers, too."""
        return float(same.bits[~IS_NUMBER[self.file.tokens.sketch[same.tokens]]].sum())

    def breaks(self, candidate: Candidate) -> float:
        """Bits against a copy, for what lies between its segments."""
        pairs = list(pairwise(candidate.segments))
        shifts = sum(after.diagonal != before.diagonal for before, after in pairs)
        jumps = sum(after.span_there[0] < before.span_there[0] for before, after in pairs)
        return BREAK * len(pairs) + SHIFT * shifts + JUMP * jumps
