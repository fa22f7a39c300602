"""What speaks for a copy, counted: the evidence of a region and the signs that the evidence model weighs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.classes import IS_IDENTIFIER
from winnow_ci.matching.layout import SHORTEST_LINE
from winnow_ci.matching.runs import firsts
from winnow_ci.matching.thresholds import RARE
from winnow_ci.model.regions import Evidence, Signs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.judge import Judge
    from winnow_ci.matching.segments import Segment
    from winnow_ci.model import TokenMap
    from winnow_ci.model.regions import Region


def counted(region: Region, candidate: Candidate, there: TokenMap, judge: Judge) -> Region:
    """A region with its evidence and signs, given the candidate that it was made of, and the content's tokens."""
    same = judge.file.tokens.sketch[candidate.here] == candidate.there
    texts = _rare_texts(judge, candidate.here[same])
    is_name = IS_IDENTIFIER[judge.file.tokens.sketch[texts]]
    starts, ends = candidate.layout.whole.T
    bits = judge.bits(candidate)
    (recurring,), (agreeing,) = bits.recurrences()
    run, is_run = _runs(candidate, there, judge)
    evidence = Evidence(
        lines=_equal_lines(candidate, judge, same),
        names=int(is_name.sum()),
        literals=int((~is_name).sum()),
        phrases=candidate.said.number,
    )
    signs = Signs(
        remarks=candidate.said.texts,
        whole=float((ends - starts).sum()),
        astray=float(recurring - agreeing),
        agreeing=float(agreeing),
        rows=float(bits.in_rows()),
        run=run,
    )
    return region._replace(evidence=evidence, signs=signs, is_run=is_run)


def _runs(candidate: Candidate, there: TokenMap, judge: Judge) -> tuple[int, bool]:
    """Measure the runs of equal text: the informative tokens of the longest, and whether one is guaranteed.

    A guaranteed run has t tokens with w telling k-grams in a row. The candidate may have only a part of them.
    """
    file, t, w = judge.file, judge.parameters.guarantee, judge.parameters.w
    before = np.append(0, np.cumsum(file.telling))
    guaranteed = before[w:] - before[:-w] == w
    says = (file.token_bits > 0) | (file.literal_bits > 0)
    most, is_run = 0, False
    for part in candidate.segments:
        for start, end in _equal_runs(part, file.tokens.sketch, there.sketch, t):
            most = max(most, int(says[max(start, part.start) : min(end, part.end)].sum()))
            is_run |= end - start >= t and bool(guaranteed[start : end - t + 1].any())
    return most, is_run


def _equal_runs(part: Segment, here: NDArray[np.uint8], there: NDArray[np.uint8], around: int) -> list[list[int]]:
    """Start and end of each run of equal text that meets a segment; a run may reach ``around`` tokens beyond it."""
    low = part.start - min(around, part.start, part.span_there[0])
    high = min(part.end + around, len(here), len(there) - part.diagonal)
    same = here[low:high] == there[low + part.diagonal : high + part.diagonal]
    runs = low + np.flatnonzero(np.diff(same, prepend=False, append=False)).reshape(-1, 2)
    meeting: list[list[int]] = runs[(runs[:, 1] > part.start) & (runs[:, 0] < part.end)].tolist()
    return meeting


def _equal_lines(candidate: Candidate, judge: Judge, same: NDArray[np.bool_]) -> int:
    """How many lines, but for the shortest, are whole on both sides, all added, and have equal text."""
    starts, ends = candidate.layout.whole.T
    counts = np.append(0, np.cumsum(same & judge.file.added[candidate.here]))
    first, last = np.searchsorted(candidate.here, starts), np.searchsorted(candidate.here, ends)
    return int(((counts[last] - counts[first] == ends - starts) & (ends - starts >= SHORTEST_LINE)).sum())


def _rare_texts(judge: Judge, same: NDArray[np.int64]) -> NDArray[np.int64]:
    """The tokens that are rare names or literals, each text once."""
    file = judge.file
    rare = same[(file.literal_bits[same] >= RARE) & file.added[same]]
    return rare[firsts(file.tokens.verbatim[rare])]
