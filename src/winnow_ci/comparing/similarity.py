"""How similar two bodies are: resemblance and containment (Broder 1997), from all fingerprints or from a sketch.

From all fingerprints the shares are exact. From the s smallest hashes of each body (a sketch) they are estimates: the
s smallest of both sketches together are a random sample of the union, and which body has each is known. If x of n are
shared, the error given is the standard deviation of the share when all shares were equally likely beforehand (Laplace):
√(p(1 − p)/(n + 3)) with p = (x + 1)/(n + 2). The usual √(p(1 − p)/n) would give a sample without a match no error.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import among
from winnow_ci.model.comparison import BodySimilarity, ShareEstimate

if TYPE_CHECKING:
    from winnow_ci.model import U64


def similarity(a: U64, b: U64, sketch: int | None = None, *, is_sample: bool = False) -> BodySimilarity:
    """Compare two sets of hashes. A share of nothing is 1 if both sets are empty, else 0.

    Args:
        a: uint64, sorted, each once.
        b: the other body's, likewise.
        sketch: how many of the smallest hashes of each to look at; None for all.
        is_sample: whether they are a sample already, drawn by their values.
    """
    is_cut = sketch is not None and max(len(a), len(b)) > sketch
    a, b = a[:sketch], b[:sketch]
    union = np.union1d(a, b)[: sketch if is_cut else None]
    in_a, in_b = among(union, a), among(union, b)
    both = int(np.count_nonzero(in_a & in_b))
    wholes = len(union), int(np.count_nonzero(in_a)), int(np.count_nonzero(in_b))
    return BodySimilarity(
        *(_share(both, whole, is_empty=not len(union), is_cut=is_cut or is_sample) for whole in wholes)
    )


def _share(both: int, whole: int, *, is_empty: bool, is_cut: bool) -> ShareEstimate:
    value = both / whole if whole else float(is_empty)
    likely = (both + 1) / (whole + 2)
    return ShareEstimate(value, sqrt(likely * (1 - likely) / (whole + 3)) if is_cut else 0.0)
