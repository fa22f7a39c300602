"""The local schemes on random text, compared with the proven lower bounds.

1.5 / (w + 1) is the paper's bound (section 4) for what chooses by k-gram hashes that are independent of each other.
⌈(w + k) / w⌉ / (w + k) is the bound of Kille and others (2024) for any forward scheme, whose choices never go back.
A k-gram's own tokens may be used to choose, as mod-minimizers do: the first bound does not hold for these.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import zero_mod_p
from plotting import Curve, plot
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pages import Corpus

SIZE, SEED = 2_000_000, 2024
PARAMETERS = ((50, 100), (23, 17), (16, 12), (16, 9), (50, 10), (8, 32))
PLOTTED_W, PLOTTED_KS = 12, range(4, 65, 2)


class Densities(NamedTuple):
    """Share of the k-grams kept; ``zero`` is 0 mod p with the guarantee, at its best p."""

    winnowing: float
    robust: float
    mod_minimizer: float
    zero: float


def for_hashes(w: int) -> float:
    """The lower bound for schemes that choose by independent hashes."""
    return 1.5 / (w + 1)


def for_forward(k: int, w: int) -> float:
    """The lower bound for any forward scheme."""
    return ceil((w + k) / w) / (w + k)


def densities(ids: NDArray[np.uint64], k: int, w: int) -> Densities:
    """Measure a text, given as uint64, shape (n,)."""
    hashes = kgram_hashes(ids, k)
    selected = [select(hashes, w, scheme, ids) for scheme in ("winnowing", "robust", "mod-minimizer")]
    zero = zero_mod_p.guaranteed(hashes, w, zero_mod_p.best(w))
    return Densities(*(len(positions) / len(hashes) for positions in (*selected, zero)))


def result(_: Corpus) -> ExperimentResult:
    ids = np.random.default_rng(SEED).integers(0, 2**32, SIZE, np.uint64)
    rows = []
    for k, w in PARAMETERS:
        found = densities(ids, k, w)
        rows.append((f"{k}, {w}", *(f"{share:.4f}" for share in (for_forward(k, w), for_hashes(w), *found))))
    head = ("k, w", "bound, forward", "bound, hashes", "winnowing", "robust", "mod-minimizer", "0 mod p, guaranteed")
    return ExperimentResult(table(head, rows), {"lower-bounds.svg": _plot(ids)})


def _plot(ids: NDArray[np.uint64]) -> str:
    w = PLOTTED_W
    found = {k: densities(ids, k, w) for k in PLOTTED_KS}
    curves = [
        Curve("0 mod p, guaranteed", [(float(k), each.zero) for k, each in found.items()]),
        Curve("winnowing, robust winnowing", [(float(k), each.robust) for k, each in found.items()]),
        Curve("mod-minimizer", [(float(k), each.mod_minimizer) for k, each in found.items()]),
        Curve("bound by hashes, 1.5 / (w + 1)", [(float(k), for_hashes(w)) for k in found], dashed=True),
        Curve("bound of forward schemes", [(float(k), for_forward(k, w)) for k in range(4, 65)], dashed=True),
    ]
    return plot(curves, f"k  (w = {w})", "share of the k-grams kept", logarithmic="")
