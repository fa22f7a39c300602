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

from winnow_ci.matching.strength import strength
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.model.regions import Region, Stretch

# How many tokens a shape has, and how many a gram.
SHAPE, GRAM = 12, 4
# A shape is a usual one if the file has it so often elsewhere.
OFTEN = 2
# Bits against a strong copy with fewer whole lines of equal text than this: such a share of its matched tokens have
# usual shapes.
FEW_LINES, MOST, USUAL = 2, 0.5, -10.0
# Odd, so that no bit of a gram is lost.
_SECOND, _THIRD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class _Shapes(NamedTuple):
    """The shapes of a file.

    Attributes:
        numbers: int64, one for each run of ``SHAPE`` tokens; which shape it has.
        counts: int64, one a shape; how often the file has it.
    """

    numbers: NDArray[np.int64]
    counts: NDArray[np.int64]


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


def _shapes(grams: NDArray[np.uint64]) -> _Shapes:
    runs = len(grams) - 2 * GRAM
    if runs <= 0:
        return _Shapes(np.empty(0, np.int64), np.empty(0, np.int64))
    hashes = grams[:runs] + _SECOND * grams[GRAM : GRAM + runs] + _THIRD * grams[2 * GRAM :]
    _, numbers, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return _Shapes(numbers, counts)


def _is_usual(region: Region, shapes: _Shapes) -> bool:
    """Whether a region may be weaker, and most of it has shapes that are usual outside of it."""
    if not _may_be_weaker(region):
        return False
    first = max(0, region.start - SHAPE + 1)
    own, numbers, inside = np.unique(shapes.numbers[first : region.end], return_inverse=True, return_counts=True)
    usual = (shapes.counts[own] >= inside + OFTEN)[numbers]
    covered = sum(_covered(part, usual, first) for part in region.stretches)
    return covered >= MOST * region.matched


def _covered(part: Stretch, usual: NDArray[np.bool_], first: int) -> int:
    """How many tokens of a stretch are in runs of it with usual shapes; run 0 begins at token ``first``."""
    starts = np.flatnonzero(usual[part.start - first : part.start - first + max(0, part.tokens - SHAPE + 1)])
    edges = np.zeros(part.tokens + 1, np.int64)
    edges[starts] += 1
    edges[starts + SHAPE] -= 1
    return int((edges.cumsum() > 0).sum())
