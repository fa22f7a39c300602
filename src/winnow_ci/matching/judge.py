"""Judge how much likeness is evidence of a copy.

*Verbatim*: a run of t tokens, or shorter runs that add up to more. If the text carries information and the structure
does not (tables of names and strings), it takes three times as much.

*Renamed or edited*: a score in bits adds what speaks for a copy and subtracts what speaks for chance, as the log-odds
scores of sequence alignment do (Altschul 1991):

- what the matched tokens say (``evidence.tables``), each distinct 4-gram once;
- names and literals that are the same on both sides, each once. In tables of one shape, some look equal by chance, and
  now and then a whole row; only two equal rows in succession are no chance;
- lines that are whole lines on both sides, each by at most what it says. Differing gaps between lines take this away
  again, but no more, because a copy may have a new layout;
- comments and strings that say the same on both sides;
- names that recur and do not meet the same name on the other side each time: people who rename a copy rename
  consistently (a parameterised match; Baker 1993). An index knows a name of the source by one byte, so two names may
  look like one: names are counted from the change to the source;
- edits: texts that are alike by chance differ in more places.

A candidate of a score below ``LEAST_SCORE`` is hardly a copy. Which of the others are reported is up to the evidence
model (``evidence.model``), for which the score is one feature of several.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import firsts, in_steps
from winnow_ci.matching import constants
from winnow_ci.matching.extension import IS_IDENTIFIER, IS_NUMBER, IS_STRING, equal_runs
from winnow_ci.model.regions import Evidence, Signs
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.constants import Thresholds
    from winnow_ci.matching.extension import Segment
    from winnow_ci.matching.hits import FileHits
    from winnow_ci.model import Parameters, TokenMap
    from winnow_ci.model.regions import Region


class Judge(NamedTuple):
    """Judges the candidates of one changed file."""

    file: FileHits
    parameters: Parameters
    thresholds: Thresholds

    def is_verbatim_copy(self, candidate: Candidate, region: Region) -> bool:
        """Whether a verbatim candidate, to be reported as that region, is evidence of a copy."""
        t, added = self.parameters.guarantee, self._added(candidate, region)
        if candidate.by_text:
            return added >= max(constants.PLAIN_TEXT * t, self.thresholds.verbatim)
        longest = max(part.tokens for part in candidate.segments)
        return (longest >= t or len(candidate.here) >= constants.SHORT_RUNS * t) and added >= self.thresholds.verbatim

    def is_enough(self, candidate: Candidate, region: Region) -> bool:
        """Whether a structural candidate is long enough, as its kind needs."""
        least = self.thresholds.verbatim if region.kind == "verbatim" else self.thresholds.renamed
        return least is not None and self._added(candidate, region) >= least

    def score(self, candidate: Candidate) -> float:
        """Weigh a structural candidate as evidence, in bits."""
        (tokens, bits), (others, of_text) = self._structure(candidate), self._same_once(candidate)
        tokens, bits = np.concatenate([tokens, others]), np.concatenate([bits, of_text])
        lines = _lines(candidate, tokens, bits)
        recurring, agreeing = self.recurrences(candidate)
        names = constants.DISAGREES * (recurring - agreeing)
        return float(bits.sum()) + lines + candidate.said.bits + names + _breaks(candidate.segments)

    def same(self, candidate: Candidate) -> NDArray[np.bool_]:
        """Which matched tokens have the same text on both sides: bool, one a matched token."""
        return np.asarray(self.file.tokens.sketch[candidate.here] == candidate.there, np.bool_)

    def recurrences(self, candidate: Candidate) -> tuple[int, int]:
        """Count how often names recur, and how often they then meet the name that they meet most."""
        named = IS_IDENTIFIER[candidate.there]
        names = self.file.tokens.verbatim[candidate.here[named]].tolist()
        most: dict[int, int] = {}
        for (name, _), count in Counter(zip(names, candidate.there[named].tolist(), strict=True)).items():
            most[name] = max(count, most.get(name, 0))
        return len(names) - len(most), sum(most.values()) - len(most)

    def chance_rows(self, candidate: Candidate) -> NDArray[np.bool_]:
        """Which matched tokens stand in one of many rows of a shape, and not in rows that are the same."""
        in_row = self.file.further_rows[candidate.here]
        if not in_row.any():
            return in_row
        return in_row & ~equal_rows(self.file.tokens.first_lines, candidate.here, self.same(candidate))

    def _added(self, candidate: Candidate, region: Region) -> int:
        """Count the matched tokens on added lines, at most those that would be reported."""
        return min(int(self.file.added[candidate.here].sum()), region.matched)

    def _structure(self, candidate: Candidate) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the last tokens, and the bits, of the distinct 4-grams that lie inside segments on added lines."""
        inside = np.concatenate([np.arange(part.start + constants.CONTEXT, part.end) for part in candidate.segments])
        inside = inside[self.file.added[inside]]
        tokens = inside[firsts(self.file.kgrams.grams[inside - constants.CONTEXT])]
        return tokens, self.file.token_bits[tokens]

    def _same_once(self, candidate: Candidate) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the names and literals that are the same on both sides, each once, and their bits."""
        file, same = self.file, self.same(candidate)
        counts = same & file.added[candidate.here] & ~self.chance_rows(candidate)
        tokens = candidate.here[counts]
        tokens = tokens[firsts(file.tokens.verbatim[tokens])]
        bits, sketch = constants.SAME * file.literal_bits[tokens], file.tokens.sketch[tokens]
        numbers, equal_numbers = self._pairs(candidate, IS_NUMBER, same)
        strings, equal_strings = self._pairs(candidate, IS_STRING, same)
        # Two rows of numbers have some that look equal by chance; of strings, those beside others that differ do.
        bits[IS_NUMBER[sketch]] *= max(0.0, 1 - constants.CHANCE_NUMBERS * numbers / max(1, equal_numbers))
        bits[IS_STRING[sketch]] *= max(
            0.0, 1 - constants.CHANCE_STRINGS * (strings - equal_strings) / max(1, equal_strings)
        )
        return tokens, in_steps(bits)

    def _pairs(self, candidate: Candidate, is_of_class: NDArray[np.bool_], same: NDArray[np.bool_]) -> tuple[int, int]:
        """Count the tokens of a class on both sides, and those of them that look equal."""
        pairs = is_of_class[self.file.tokens.sketch[candidate.here]] & is_of_class[candidate.there]
        return int(pairs.sum()), int((pairs & same).sum())


def equal_rows(lines: NDArray[np.int32], here: NDArray[np.int64], same: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which matched tokens stand on one of two lines in succession that are wholly the same.

    Given are the line of each token of the change, the numbers of the matched ones, and which of these have the same
    text on both sides.
    """
    rows = np.append(0, np.cumsum(np.diff(lines) != 0))
    whole = np.bincount(rows[here[same]], minlength=rows[-1] + 1) == np.bincount(rows)
    beside = np.append(False, whole[:-1]) | np.append(whole[1:], False)
    return np.asarray((whole & beside)[rows[here]], np.bool_)


def _lines(candidate: Candidate, tokens: NDArray[np.int64], bits: NDArray[np.float64]) -> float:
    """Weigh lines that are whole on both sides, given tokens and what they say; never less than 0."""
    said = (float(bits[(start <= tokens) & (tokens < end)].sum()) for start, end in candidate.whole_lines)
    return max(0.0, sum(min(constants.WHOLE_LINE, own) for own in said) + constants.OTHER_GAP * candidate.other_gaps)


def _breaks(parts: Sequence[Segment]) -> float:
    """Weigh what lies between segments against a copy, in bits."""
    pairs = list(pairwise(parts))
    shifts = sum(after.diagonal != before.diagonal for before, after in pairs)
    jumps = sum(after.span_there[0] < before.span_there[0] for before, after in pairs)
    return constants.SEGMENT_BREAK * len(pairs) + constants.SHIFT * shifts + constants.JUMP * jumps


def with_signs(region: Region, candidate: Candidate, there: TokenMap, judge: Judge) -> Region:
    """Add evidence and signs to a region, from the candidate that it was made of and the content's tokens."""
    same = judge.same(candidate)
    texts = candidate.here[same & judge.file.added[candidate.here]]
    texts = texts[judge.file.literal_bits[texts] >= constants.RARE]
    texts = texts[firsts(judge.file.tokens.verbatim[texts])]
    names = int(IS_IDENTIFIER[judge.file.tokens.sketch[texts]].sum())
    recurring, agreeing = judge.recurrences(candidate)
    run, is_run = _longest_run(candidate, there, judge)
    evidence = Evidence(
        lines=_equal_lines(candidate, judge.file, same),
        names=names,
        literals=len(texts) - names,
        phrases=candidate.said.number,
    )
    signs = Signs(
        remarks=candidate.said.texts,
        whole=float(sum(end - start for start, end in candidate.whole_lines)),
        astray=float(recurring - agreeing),
        agreeing=float(agreeing),
        rows=float(judge.chance_rows(candidate).sum()),
        run=run,
    )
    return region._replace(evidence=evidence, signs=signs, is_run=is_run)


def _longest_run(candidate: Candidate, there: TokenMap, judge: Judge) -> tuple[int, bool]:
    """Measure the runs of equal text: the informative tokens of the longest, and whether one is guaranteed.

    A guaranteed run has t tokens with w telling k-grams in a row. The candidate may have only a part of them.
    """
    file, t, w = judge.file, judge.parameters.guarantee, judge.parameters.w
    before = np.append(0, np.cumsum(file.telling))
    guaranteed = before[w:] - before[:-w] == w
    says = (file.token_bits > 0) | (file.literal_bits > 0)
    most, is_run = 0, False
    for part in candidate.segments:
        # A run may reach t tokens beyond its segment.
        around = max(0, part.start - t), min(len(says), part.end + t)
        for start, end in equal_runs(file.tokens.sketch, there.sketch, part.diagonal, around):
            if part.start < end and start < part.end:
                most = max(most, int(says[max(start, part.start) : min(end, part.end)].sum()))
                is_run |= end - start >= t and bool(guaranteed[start : end - t + 1].any())
    return most, is_run


def _equal_lines(candidate: Candidate, file: FileHits, same: NDArray[np.bool_]) -> int:
    """Count the lines, but for the shortest, that are whole on both sides, all added, and have equal text."""
    tokens = candidate.here[same & file.added[candidate.here]]
    return sum(
        end - start >= constants.SHORTEST_LINE and int(((start <= tokens) & (tokens < end)).sum()) == end - start
        for start, end in candidate.whole_lines
    )
