"""Idioms: shapes that known code has in several wordings.

``__eq__`` with its ``isinstance`` check, the comparison for ``qsort``, the getter: everybody writes them in the same
shape. The index itself shows that a shape is common: the stretch of the change matches several known stretches that
disagree with one another. Stretches that agree (versions, forks and vendored copies of one file) are one wording,
however many there are, so a popular library does not become an idiom by being popular.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.matching.candidate import Candidate

# A shape with this many wordings is an idiom.
WORDINGS = 3
# Wordings are compared where both cover this share of the shape.
COVER = 0.5
# Two stretches are one wording if this share of their tokens agrees.
AGREEMENT = 0.9


def is_idiom(candidate: Candidate, shapes: Iterable[Candidate]) -> bool:
    """Tell whether a structural candidate is an idiom.

    Args:
        candidate: the candidate.
        shapes: all structural candidates that overlap it, also short ones.
    """
    wordings: list[Candidate] = []
    for shape in shapes:
        if _covers(shape, candidate) and not any(_agree(shape, known) for known in wordings):
            wordings.append(shape)
            if len(wordings) == WORDINGS:
                return True
    return False


def _covers(shape: Candidate, candidate: Candidate) -> bool:
    low, high = np.searchsorted(shape.here, (candidate.here[0], candidate.here[-1] + 1))
    return bool(high - low >= COVER * len(candidate.here))


def _agree(one: Candidate, other: Candidate) -> bool:
    """Whether two known stretches have the same text where both match the change."""
    at = np.minimum(np.searchsorted(other.here, one.here), len(other.here) - 1)
    both = other.here[at] == one.here
    return bool(both.any() and (one.there == other.there[at])[both].mean() >= AGREEMENT)
