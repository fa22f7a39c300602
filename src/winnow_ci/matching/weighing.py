"""What speaks for a copy: the weight of a region, and the evidence that it consists of (``strength`` says why)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.classes import IS_IDENTIFIER
from winnow_ci.matching.judge import SHORT_LINE
from winnow_ci.matching.kept_lines import kept_lines
from winnow_ci.matching.runs import firsts
from winnow_ci.matching.strength import strength
from winnow_ci.model.regions import Evidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.candidate_bits import CandidateBits
    from winnow_ci.matching.judge import Judge
    from winnow_ci.model.regions import Region

# The shares of the structure's bits and of the breaks' that count.
STRUCTURE = 0.3
BREAKS = 0.5
# And of what names and literals say on lines of equal text, two and more in a row.
TEXT_IN_ROW = 0.6
# From this share of equal text on, fewer whole lines of equal text or names than this mean that only a library's names
# are the same.
MOSTLY = 0.78
FEW_LINES = 2
NAMES_ALONE = -15.0
# A region of so many matched tokens at most, of which no rare text, no whole line and no phrase is the same.
SHORT, ONLY_STRUCTURE = 30, -10.0
# A name or literal that says fewer bits is not counted.
RARE = 3.0


def weighed(region: Region, candidate: Candidate, judge: Judge) -> Region:
    """A region with its evidence, given the candidate that it was made of."""
    same = judge.file.tokens.sketch[candidate.here] == candidate.there
    lines = kept_lines(candidate, judge.file)
    kept = int(((lines.equal | lines.named) & lines.long).sum())
    said = judge.bits(candidate)
    weight = (
        float(said.lines(SHORT_LINE)[0])
        + candidate.said.texts
        + STRUCTURE * float(said.structure.bits.sum())
        + BREAKS * judge.breaks(candidate)
        + TEXT_IN_ROW * _text_in_row(said, candidate.layout.whole[lines.in_row])
        + NAMES_ALONE * (same.mean() > MOSTLY and kept < FEW_LINES)
    )
    texts = _rare_texts(judge, candidate.here[same])
    is_name = IS_IDENTIFIER[judge.file.tokens.sketch[texts]]
    evidence = Evidence(
        lines=int((lines.equal & lines.long).sum()),
        names=int(is_name.sum()),
        literals=int((~is_name).sum()),
        phrases=candidate.said.number,
    )
    weight += ONLY_STRUCTURE * (region.matched <= SHORT and evidence == Evidence())
    return region._replace(
        weight=float(weight), evidence=evidence, strength=strength(region.kind, region.bits, weight, evidence)
    )


def _text_in_row(said: CandidateBits, lines: NDArray[np.int64]) -> float:
    """Bits of the names and literals on lines of equal text in a row."""
    starts, ends = lines.T
    if not len(starts):
        return 0.0
    _, tokens, bits = said.same
    line = np.searchsorted(starts, tokens, "right") - 1
    return float(bits[(line >= 0) & (tokens < ends[line])].sum())


def _rare_texts(judge: Judge, same: NDArray[np.int64]) -> NDArray[np.int64]:
    """The tokens that are rare names or literals, each text once."""
    file = judge.file
    rare = same[(file.literal_bits[same] >= RARE) & file.added[same]]
    return rare[firsts(file.tokens.verbatim[rare])]
