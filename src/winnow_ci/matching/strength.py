"""How strong the evidence of a copy is, and what it consists of.

A copy that is reported says more than chance does, but not always more than two people say who use the same library or
write the same idiom. What these have in common are structures and names; people who copy take whole lines and comments
with them. So a *renamed* region is weighed by these: bits of lines that are whole on both sides, phrases of comments
and strings, a part of its structure, and of what the text says on two equal lines in a row, less a part of its breaks.
If most of its text is the same, but no two whole lines are, nor all names on two, it has kept the names of a library
and little else, which speaks against it. So does a short region of which nothing is the same but the structure. A
*verbatim* region is strong by its score. If neither a whole line nor a comment is the same on both sides, it needs a
better one: half a macro of one project looks like half a macro of another, and one line names what a library exports.
The more whole lines are the same, the less is enough.

The figures were chosen on copies with known truth and on pairs of unrelated projects (docs/matching.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.matching.thresholds import LEAST_SCORE

if TYPE_CHECKING:
    from winnow_ci.model import Kind, Strength
    from winnow_ci.model.regions import Evidence

# The least weight of a strong renamed region, in bits (``weighing``).
LEAST_WEIGHT = 34.0
# The least score of a strong verbatim region: without a whole line or a phrase, with one, and how much less is enough
# for each further line, down to a least one.
LEAST_BARE_SCORE, LEAST_LINE_SCORE = 90.0, 75.0
EACH_LINE = 12.0
LEAST_LINES_SCORE = 50.0


def strength(kind: Kind, bits: float, weight: float, evidence: Evidence) -> Strength:
    """How strong the evidence of a region is."""
    if kind == "renamed":
        return "strong" if bits >= LEAST_SCORE and weight >= LEAST_WEIGHT else "weak"
    return "strong" if bits >= _least_verbatim_score(evidence) else "weak"


def _least_verbatim_score(evidence: Evidence) -> float:
    if not evidence.lines and not evidence.phrases:
        return LEAST_BARE_SCORE
    return max(LEAST_LINES_SCORE, LEAST_LINE_SCORE - EACH_LINE * max(0, evidence.lines - 1))
