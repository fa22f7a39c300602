"""How strong the evidence of a copy is, and what it consists of.

A copy that is reported says more than chance does, but not always more than two people say who use the same library or
write the same idiom. What these have in common are structures and names; people who copy take whole lines and comments
with them. So a *renamed* region is weighed by these: bits of lines that are whole on both sides, phrases of comments
and strings, a part of its structure, less a part of its breaks. If most of its text is the same, but no two whole lines
are, it has kept the names of a library and little else, which speaks against it. A *verbatim* region is strong by its
score alone; short rows of numbers and calls are not.

The figures were chosen on copies with known truth and on pairs of unrelated projects (docs/matching.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.classes import IS_IDENTIFIER
from winnow_ci.matching.judge import LEAST_SCORE, LEAST_VERBATIM_SCORE
from winnow_ci.matching.runs import firsts
from winnow_ci.model.regions import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.judge import Candidate, Judge
    from winnow_ci.model import Kind, Strength
    from winnow_ci.model.regions import Region

# The least weight of a strong renamed region, in bits.
LEAST_WEIGHT = 36.0
# The shares of the structure's bits and of the breaks' that count.
STRUCTURE = 0.3
BREAKS = 0.5
# From this share of equal text on, fewer whole lines of equal text than this mean that only names are the same.
MOSTLY = 0.78
FEW_LINES = 2
NAMES_ALONE = -15.0
# A shorter line is not counted, nor is a name or literal that says fewer bits.
SHORTEST_LINE = 4
RARE = 3.0


def weighed(region: Region, candidate: Candidate, judge: Judge) -> Region:
    """A region with its evidence, given the candidate that it was made of."""
    same = judge.file.tokens.sketch[candidate.here] == candidate.there
    lines = _same_lines(candidate, candidate.here[same], judge.file.added)
    weight = (
        judge.lines(candidate)
        + candidate.said.texts
        + STRUCTURE * float(judge.structure(candidate)[1].sum())
        + BREAKS * judge.breaks(candidate)
        + NAMES_ALONE * (same.mean() > MOSTLY and lines < FEW_LINES)
    )
    texts = _rare_texts(judge, candidate.here[same])
    is_name = IS_IDENTIFIER[judge.file.tokens.sketch[texts]]
    return region._replace(
        weight=float(weight),
        evidence=Evidence(
            lines=lines,
            names=int(is_name.sum()),
            literals=int((~is_name).sum()),
            phrases=candidate.said.number,
        ),
        strength=strength(region.kind, region.bits, weight),
    )


def strength(kind: Kind, bits: float, weight: float) -> Strength:
    """How strong the evidence of a region is."""
    is_strong = bits >= LEAST_VERBATIM_SCORE if kind == "verbatim" else bits >= LEAST_SCORE and weight >= LEAST_WEIGHT
    return "strong" if is_strong else "weak"


def _same_lines(candidate: Candidate, same: NDArray[np.int64], added: NDArray[np.bool_]) -> int:
    """Number of whole lines on both sides, all of whose tokens are the same and added."""
    starts, ends = candidate.layout.whole.T
    counted = same[added[same]]
    inside = np.searchsorted(counted, ends) - np.searchsorted(counted, starts)
    return int(((inside == ends - starts) & (inside >= SHORTEST_LINE)).sum())


def _rare_texts(judge: Judge, same: NDArray[np.int64]) -> NDArray[np.int64]:
    """The tokens that are rare names or literals, each text once."""
    file = judge.file
    rare = same[(file.literal_bits[same] >= RARE) & file.added[same]]
    return rare[firsts(file.tokens.verbatim[rare])]
