"""How much of two bodies is the same: resemblance and containment (Broder 1997), from all fingerprints or from few.

From all fingerprints of both, these are the shares themselves. From the s smallest hashes of each (a sketch), they are
estimates: the s smallest of both sketches together are a sample of the union of which is known where each stands. A
share x/n of a sample is told with the standard deviation of what the share may be if beforehand any was as likely as
another (Laplace), √(p(1 − p)/(n + 3)) with p = (x + 1)/(n + 2); √(p(1 − p)/n) would call a sample without a single
match free of error.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.model.comparison import BodySimilarity, ShareEstimate
from winnow_ci.winnowing import among

if TYPE_CHECKING:
    from winnow_ci.model import U64


def similarity(a: U64, b: U64, sketch: int | None = None) -> BodySimilarity:
    """Compare two sets of hashes; what is a share of nothing is 1 if both are empty, else 0.

    Args:
        a: uint64, sorted, each once.
        b: the same of the other body.
        sketch: how many of the smallest hashes of each to look at; None for all.
    """
    is_cut = sketch is not None and max(len(a), len(b)) > sketch
    a, b = a[:sketch], b[:sketch]
    union = np.union1d(a, b)[: sketch if is_cut else None]
    in_a, in_b = among(union, a), among(union, b)
    both = int(np.count_nonzero(in_a & in_b))
    wholes = len(union), int(np.count_nonzero(in_a)), int(np.count_nonzero(in_b))
    return BodySimilarity(*(_share(both, whole, is_empty=not len(union), is_cut=is_cut) for whole in wholes))


def _share(both: int, whole: int, *, is_empty: bool, is_cut: bool) -> ShareEstimate:
    value = both / whole if whole else float(is_empty)
    likely = (both + 1) / (whole + 2)
    return ShareEstimate(value, sqrt(likely * (1 - likely) / (whole + 3)) if is_cut else 0.0)
