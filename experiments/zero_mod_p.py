"""0 mod p with the guarantee of winnowing: what it costs, on random text and on web pages.

The hashes that are 0 modulo p are kept, and of each window that has none the rightmost. That keeps 1/p + (1 − 1/p)^w of
random hashes, at the best p about (1 + ln w) / w (at p = w / ln w); winnowing keeps 2 / (w + 1).
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from plotting import Curve, plot
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from pages import Corpus

K, W = 50, 100
PS = (5, 8, 12, 16, 20, 25, 30, 40, 50, 70, 100)
SIZE, SEED = 8_000_000, 2003
EVERY = 10  # page, of the corpus


class Kept(NamedTuple):
    """What is kept of some text.

    Attributes:
        zero: the share that 0 mod p with the guarantee keeps, by p.
        winnowing: the share that winnowing keeps.
        robust: the share that robust winnowing keeps.
    """

    zero: dict[int, float]
    winnowing: float
    robust: float


def guaranteed(hashes: NDArray[np.uint64], w: int, p: int) -> NDArray[np.int64]:
    """Select the hashes that are 0 modulo p, and the rightmost of each window that has none; w ≤ len(hashes)."""
    is_chosen = hashes % np.uint64(p) == 0
    before = np.concatenate([[0], np.cumsum(is_chosen)])
    is_chosen[w - 1 :] |= before[w:] == before[:-w]
    return np.flatnonzero(is_chosen)


def predicted(w: int, p: int) -> float:
    """The share that is kept of random hashes."""
    return 1 / p + (1 - 1 / p) ** w


def best(w: int) -> int:
    """The p with which the least is kept of random hashes."""
    return min(range(1, w + 1), key=lambda p: predicted(w, p))


def kept(texts: Iterable[NDArray[np.uint64]], ps: Sequence[int]) -> Kept:
    """Measure texts, each given as uint64, shape (n,); those with less than one window are left out."""
    count, zero, winnowing, robust = 0, dict.fromkeys(ps, 0), 0, 0
    for ids in texts:
        hashes = kgram_hashes(ids, K)
        if len(hashes) < W:
            continue
        count += len(hashes)
        winnowing += len(select(hashes, W, "winnowing"))
        robust += len(select(hashes, W, "robust"))
        for p in ps:
            zero[p] += len(guaranteed(hashes, W, p))
    return Kept({p: n / count for p, n in zero.items()}, winnowing / count, robust / count)


def result(corpus: Corpus) -> ExperimentResult:
    ps = sorted({*PS, best(W)})
    random = kept([np.random.default_rng(SEED).integers(0, 256, SIZE, np.uint64)], ps)
    real = kept((page.ids for page in corpus.pages[::EVERY]), ps)
    rows = [(p, f"{predicted(W, p):.5f}", f"{random.zero[p]:.5f}", f"{real.zero[p]:.5f}") for p in ps]
    rows.append(("winnowing", f"{2 / (W + 1):.5f}", f"{random.winnowing:.5f}", f"{real.winnowing:.5f}"))
    rows.append(("robust winnowing", f"{2 / (W + 1):.5f}", f"{random.robust:.5f}", f"{real.robust:.5f}"))
    text = table(("p", "predicted", "random text", "web pages"), rows)
    least = f"best p of random text: {best(W)}; (1 + ln w) / w = {(1 + log(W)) / W:.5f}"
    return ExperimentResult(f"{text}\n\n{least}", {"zero-mod-p.svg": _plot(random, real)})


def _plot(random: Kept, real: Kept) -> str:
    ends = (min(PS), max(PS))
    curves = [
        Curve("0 mod p, web pages", [(float(p), share) for p, share in real.zero.items()]),
        Curve("0 mod p, random text", [(float(p), share) for p, share in random.zero.items()]),
        Curve("1/p + (1 − 1/p)^w", [(float(p), predicted(W, p)) for p in range(ends[0], ends[1] + 1)], dashed=True),
        Curve("robust winnowing, web pages", [(float(p), real.robust) for p in ends]),
        Curve("winnowing in theory: 2 / (w + 1)", [(float(p), 2 / (W + 1)) for p in ends], dashed=True),
    ]
    return plot(curves, "p  (k = 50, w = 100)", "share of the k-grams kept", logarithmic="")
