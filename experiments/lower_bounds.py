"""The density of the schemes on random text, beside the proven lower bounds.

- Theorem 1 of the paper: a local algorithm that chooses by independent hashes keeps at least 1.5 / (w + 1).
- Observation 1: at least (1.5 + 1 / (2w)) / (w + 1).
- Its conjecture: at least 2 / (w + 1), which is what winnowing keeps.
- Kille and others (2024): a forward scheme, whose choices never go back, keeps at least ⌈(w + k) / w⌉ / (w + k). A
  scheme for k-grams is one for any longer k' as well, which looks at less than it might; so the *maximum* over k' ≥ k
  holds.

A local algorithm sees w hashes and nothing inside of them: k = 1, with hashes for tokens. There the last bound is
2 / (w + 1): the conjecture is true of forward schemes. With k > 1 a scheme may look inside the k-grams, as
mod-minimizers do; then only the last bound holds.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import later_schemes
import numpy as np
import zero_mod_p
from plotting import Curve, plot
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes, select
from winnow_ci.winnowing.schemes import gram_length

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from pages import Corpus


SIZE, SEED = 2_000_000, 2024
PARAMETERS = ((50, 100), (23, 17), (16, 12), (16, 9), (50, 10), (8, 32), (1, 12))
TRIED = 500_000  # tokens, to find the best s of the open-closed mod-minimizer
PLOTTED_W, PLOTTED_KS, PLOTTED_SIZE = 12, range(4, 65, 2), 500_000
GUARANTEED: tuple[str, ...] = ("winnowing", "robust", "mod-minimizer", "anchored")
OPEN_CLOSED, SAFE, CLOSED, OPEN = "open-closed mod-minimizer", "safe 0 mod p", "closed syncmers", "open syncmers"


def theorem_1(w: int) -> float:
    """The lower bound for what chooses by independent hashes."""
    return 1.5 / (w + 1)


def observation_1(w: int) -> float:
    """The same, a little higher."""
    return (1.5 + 1 / (2 * w)) / (w + 1)


def conjecture(w: int) -> float:
    """What the paper supposes to be the bound."""
    return 2 / (w + 1)


def for_forward(k: int, w: int) -> float:
    """The lower bound for any forward scheme: the maximum over k' ≥ k."""
    # It falls from each k' ≡ 1 modulo w to the next.
    return max(ceil((w + longer) / w) / (w + longer) for longer in range(k, k + w + 1))


def densities(ids: NDArray[np.uint64], k: int, w: int) -> dict[str, float]:
    """The share of the k-grams that each scheme keeps of a text, given as uint64, shape (n,)."""
    return {name: len(chosen) / (len(ids) - k + 1) for name, chosen in _chosen(ids, k, w)}


def _chosen(ids: NDArray[np.uint64], k: int, w: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    hashes = kgram_hashes(ids, k)
    for scheme in GUARANTEED:
        yield scheme, select(hashes, w, scheme, ids)
    yield OPEN_CLOSED, later_schemes.open_closed_mod_minimizer(ids, k, w, _best_s(ids[:TRIED], k, w))
    yield SAFE, zero_mod_p.guaranteed(hashes, w, zero_mod_p.best(w))
    yield "mod-p", select(hashes, w, "mod-p")
    if k > w:
        yield CLOSED, later_schemes.closed_syncmers(ids, k, k - w)
        yield OPEN, later_schemes.open_syncmers(ids, k, k - w)


def _best_s(ids: NDArray[np.uint64], k: int, w: int) -> int:
    return min(
        range(1, gram_length(k, w) + 1),
        key=lambda s: len(later_schemes.open_closed_mod_minimizer(ids, k, w, s)),
    )


def result(_: Corpus) -> ExperimentResult:
    ids = np.random.default_rng(SEED).integers(0, 2**32, SIZE, np.uint64)
    bounds = [
        (f"{k}, {w}", *(f"{bound:.4f}" for bound in (theorem_1(w), observation_1(w), conjecture(w), for_forward(k, w))))
        for k, w in PARAMETERS
    ]
    found = {(k, w): densities(ids, k, w) for k, w in PARAMETERS}
    names = list(found[16, 12])
    rows = [
        (f"{k}, {w}", *(f"{own[name]:.4f}" if name in own else "" for name in names)) for (k, w), own in found.items()
    ]
    texts = (
        table(("k, w", "Theorem 1", "Observation 1", "conjecture", "forward schemes, k' ≥ k"), bounds),
        table(("k, w", *names), rows),
    )
    return ExperimentResult("\n\n".join(texts), {"lower-bounds.svg": _plot(ids[:PLOTTED_SIZE])})


def _plot(ids: NDArray[np.uint64]) -> str:
    w = PLOTTED_W
    found = {k: densities(ids, k, w) for k in PLOTTED_KS}

    def curve(name: str, label: str) -> Curve:
        return Curve(label, [(float(k), each[name]) for k, each in found.items() if name in each])

    ends = [float(PLOTTED_KS[0]), float(PLOTTED_KS[-1])]
    curves = [
        curve("winnowing", "winnowing, closed syncmers"),
        curve("mod-minimizer", "mod-minimizer"),
        curve(OPEN_CLOSED, "open-closed mod-minimizer"),
        curve("anchored", "anchored (asked densely)"),
        Curve("Theorem 1", [(k, theorem_1(w)) for k in ends], dashed=True),
        Curve("forward schemes, k' ≥ k", [(float(k), for_forward(k, w)) for k in range(4, 65)], dashed=True),
        Curve("1 / w", [(k, 1 / w) for k in ends], dashed=True),
    ]
    return plot(curves, f"k  (w = {w})", "share of the k-grams kept", logarithmic="")
