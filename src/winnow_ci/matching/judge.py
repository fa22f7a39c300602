"""Describe a possible copy, and judge how much its likeness is evidence of a copy.

docs/matching.md has what a verbatim copy needs, and what the score of any other adds up and subtracts (*The score*), as
the log-odds scores of sequence alignment do (Altschul 1991). Beyond that:

- in tables of one shape, some names look equal by chance, and now and then a whole row; only two equal rows in
  succession are no chance;
- people copy whole lines, and code that is alike by chance matches from the middle of one line on. Differing gaps take
  away what whole lines add, but no more, because a copy may have a new layout;
- people who rename a copy rename consistently (a parameterised match; Baker 1993). An index knows a name of the source
  by one byte, so two names may look like one: names are counted from the change to the source.

A copy with reordered blocks is several chains. Chains that stand near each other in the change and in the content are
one copy if together they are better evidence than the best of them alone: then the names of one block correspond in the
other block, too. A short run of chance gives way where a long run of another chain belongs, as the longest runs come
first in greedy string tiling (Wise 1993).

A candidate of a score below ``LEAST_SCORE`` is hardly a copy. Which of the others are reported is up to the evidence
model (``evidence.model``), for which the score is one feature of several.
"""

from __future__ import annotations

from collections import Counter, deque
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import firsts, in_steps
from winnow_ci.matching import constants
from winnow_ci.matching.extension import IS_IDENTIFIER, IS_NUMBER, IS_STRING, Segment, equal_runs
from winnow_ci.model.regions import Evidence, Signs
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.constants import Thresholds
    from winnow_ci.matching.extension import Chain
    from winnow_ci.matching.hits import FileHits, SharedPhrases
    from winnow_ci.model import Parameters, TokenMap, Tokens
    from winnow_ci.model.regions import Region


class PhraseBits(NamedTuple):
    """The phrases that both sides of a candidate have."""

    bits: float = 0.0  # worth of all
    texts: float = 0.0  # worth of all but names
    number: int = 0  # how many there are, without names


class Candidate(NamedTuple):
    """Segments that may be a copy."""

    segments: tuple[Segment, ...]  # what matches, ordered by start
    here: NDArray[np.int64]  # rising; numbers of the matched tokens in the change
    there: NDArray[np.uint8]  # sketches of the tokens of the source that they match
    # First token, and the token after the last, of each line that is whole on both sides and lies in a segment.
    whole_lines: tuple[tuple[int, int], ...]
    other_gaps: int  # number of pairs of lines with more blank lines and comments between them on one side
    by_text: bool = False  # whether its seeds carry information only as text
    said: PhraseBits = PhraseBits()  # the worth of the phrases that both sides have there

    @property
    def span(self) -> tuple[int, int]:
        """The tokens of the change, from the first to the last."""
        return self.segments[0].start, self.segments[-1].end

    @property
    def span_there(self) -> tuple[int, int]:
        """The tokens of the content, from the first to the last."""
        spans = [part.span_there for part in self.segments]
        return min(start for start, _ in spans), max(end for _, end in spans)


def matched(parts: Sequence[Segment], there: TokenMap) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the numbers of the matched tokens, and the sketches of the content's tokens that they match."""
    here = np.concatenate([np.arange(part.start, part.end) for part in parts])
    return here, np.concatenate([there.sketch[slice(*part.span_there)] for part in parts])


def layout(here: Tokens, there: TokenMap, parts: Sequence[Segment]) -> tuple[tuple[tuple[int, int], ...], int]:
    """Find the whole lines and the other gaps of a candidate."""
    whole: list[tuple[int, int]] = []
    other_gaps = 0
    for part in parts:
        # All tokens of the segment, and the one after its last.
        at = np.arange(part.start, part.end + 1)
        one, other = _steps(here, at), _steps(there, at + part.diagonal)
        edges = np.flatnonzero((one > 0) | (other > 0))
        begins = ((one > 0) & (other > 0))[edges]
        lines = np.flatnonzero(begins[:-1] & begins[1:])
        whole += zip(at[edges[lines]].tolist(), at[edges[lines + 1]].tolist(), strict=True)
        inner, inner_there = one[1:-1], other[1:-1]
        other_gaps += int(((inner != inner_there) & (np.maximum(inner, inner_there) > 1)).sum())
    return tuple(whole), other_gaps


def _steps(tokens: Tokens | TokenMap, at: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return how many lines below its predecessor each of these tokens begins; 1 at the edges of the document."""
    last = len(tokens.first_lines) - 1
    steps = tokens.first_lines[np.minimum(at, last)] - tokens.last_lines[at - 1]
    return np.where((at > 0) & (at <= last), steps, np.int32(1))


def anchors(shared: SharedPhrases) -> list[Segment]:
    """Make empty segments at phrases that justify a search."""
    opening = shared.part(np.flatnonzero(shared.opens))
    pairs = zip(opening.positions.tolist(), opening.diagonals.tolist(), strict=True)
    return [Segment(position, position, diagonal, 0) for position, diagonal in pairs]


def phrases_said(shared: SharedPhrases, parts: Sequence[Segment], same: NDArray[np.int64]) -> PhraseBits:
    """Weigh the phrases in or beside segments, or in tokens of the ``same`` text, each once.

    An index lacks some places of a name.
    """
    if not len(shared.positions):
        return PhraseBits()
    low, high = min(part.start for part in parts) - constants.BESIDE, max(part.end for part in parts) + constants.BESIDE
    diagonals = {part.diagonal for part in parts}
    tokens = set(same.tolist())
    known: dict[int, tuple[bool, float]] = {}
    for phrase, is_name, position, diagonal, bits, _ in zip(*(column.tolist() for column in shared), strict=True):
        is_near = low <= position < high and any(abs(diagonal - one) <= constants.PHRASE_BAND for one in diagonals)
        if is_near or position in tokens:
            known.setdefault(phrase, (is_name, bits))
    texts = [bits for is_name, bits in known.values() if not is_name]
    of_all = sum((bits for _, bits in known.values()), 0.0)
    return PhraseBits(min(constants.MOST_OF_ALL, of_all), min(constants.MOST_OF_ALL, sum(texts, 0.0)), len(texts))


def joined(
    candidates: Iterable[Candidate], score: Callable[[Candidate], float], candidate: Callable[[Chain], Candidate]
) -> list[tuple[Candidate, float]]:
    """Join candidates of one content that are blocks of one copy; return them with their scores, best first."""
    left = deque(sorted(((score(one), one) for one in candidates), key=lambda pair: -pair[0]))
    done = []
    while left:
        (most, best), place = left.popleft(), 0
        for _ in range(constants.MOST_CANDIDATES):
            if place == len(left) or most + left[place][0] < constants.LEAST_TOGETHER:
                break
            together = _together(best, left[place][1])
            if together and (more := score(better := candidate(together))) > most:
                most, best = more, better
                del left[place]
            else:
                place += 1
        done.append((best, most))
    return done


def _together(best: Candidate, other: Candidate) -> Chain | None:
    """Take the segments of both, cut where they overlap; None if the candidates are not near each other."""
    there = _apart(best.span_there, other.span_there)
    if _apart(best.span, other.span) > constants.APART or there > constants.APART_THERE:
        return None
    chance = [part for part in best.segments if any(_gives_way(part, one) for one in other.segments)]
    kept = [part for part in best.segments if part not in chance]
    added = [rest for part in other.segments if (rest := _beside(part, kept))]
    if sum(part.tokens for part in added) < constants.LEAST_BLOCK:
        return None
    left = [rest for part in chance if (rest := _beside(part, added))]
    return tuple(sorted((*kept, *added, *left)))


def _gives_way(part: Segment, other: Segment) -> bool:
    """Whether a segment overlaps, in the change, a much longer one."""
    return part.start < other.end and other.start < part.end and constants.LONGER * part.tokens <= other.tokens


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    return max(one[0] - other[1], other[0] - one[1])


def _beside(segment: Segment, taken: Iterable[Segment]) -> Segment | None:
    """Leave what a segment has beside others, on both sides; None if that is too little."""
    start, end, diagonal, _ = segment
    for other in taken:
        for low, high in ((other.start, other.end), tuple(n - diagonal for n in other.span_there)):
            if low <= start < high:
                start = high
            elif start < low < end:
                end = low
    return segment._replace(start=start, end=end) if end - start >= constants.SHORTEST else None


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
        others = strings - equal_strings
        # Two rows of numbers have some that look equal by chance; of strings, those beside others that differ do.
        bits[IS_NUMBER[sketch]] *= max(0.0, 1 - constants.CHANCE_NUMBERS * numbers / max(1, equal_numbers))
        bits[IS_STRING[sketch]] *= max(0.0, 1 - constants.CHANCE_STRINGS * others / max(1, equal_strings))
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
    lines = _equal_lines(candidate, judge.file, same)
    evidence = Evidence(lines, names, literals=len(texts) - names, phrases=candidate.said.number)
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
