"""Shapes that a changed file has more than once.

Who uses a framework writes one shape again and again: one class with its ``Meta`` after the other, one case of a test,
one call of the system. Whoever uses the same framework writes it, too, the framework's own tests first of all. So a
renamed region says less if most of it has a shape that the changed file has elsewhere, outside of the region, as well.
A copy that repeats itself loses nothing by that, nor does the copy of a whole file, nor one with whole lines of the
same text.

A shape is the structure of twelve tokens: three 4-grams side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.repetitions import MatchedRun, Repetitions
from winnow_ci.matching.strength import strength

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.model.regions import Region

# How many tokens a shape has, and how many a gram.
SHAPE, GRAM = 12, 4
# A shape is a usual one if the file has it so often elsewhere.
OFTEN = 2
# Bits against a strong copy with fewer whole lines of equal text than this, most of which has usual shapes.
FEW_LINES, USUAL = 2, -10.0
# Odd, so that no bit of a gram is lost.
_SECOND, _THIRD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def less_own_shapes(regions: Sequence[Region], file: FileHits) -> list[Region]:
    """The regions of a file, with less weight for strong renamed ones whose shapes it has elsewhere."""
    if not any(_may_be_weaker(region) for region in regions):
        return list(regions)
    shapes = _shapes(file.kgrams.grams)
    return [_weaker(region) if _is_usual(region, shapes) else region for region in regions]


def _may_be_weaker(region: Region) -> bool:
    return region.kind == "renamed" and region.strength == "strong" and region.evidence.lines < FEW_LINES


def _weaker(region: Region) -> Region:
    weight = region.weight + USUAL
    return region._replace(weight=weight, strength=strength(region.kind, region.bits, weight, region.evidence))


def _shapes(grams: NDArray[np.uint64]) -> Repetitions:
    runs = max(0, len(grams) - 2 * GRAM)
    hashes = grams[:runs] + _SECOND * grams[GRAM : GRAM + runs] + _THIRD * grams[2 * GRAM : 2 * GRAM + runs]
    return Repetitions(hashes, SHAPE)


def _is_usual(region: Region, shapes: Repetitions) -> bool:
    """Whether a region may be weaker, and most of it has shapes that are usual outside of it."""
    runs = [MatchedRun(part.start, part.tokens) for part in region.stretches]
    return _may_be_weaker(region) and shapes.are_most(runs, region.matched, OFTEN)
