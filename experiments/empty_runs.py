"""How many runs of t tokens 0 mod p leaves without a fingerprint, at the density of winnowing (section 3.1.1).

With p = (w + 1) / 2 it keeps as much as winnowing. Of w random k-grams none is 0 modulo p with a chance of
(1 − 2 / (w + 1))^w, which is about e^(−2 + 2 / (w + 1)); in the paper, about 13.5%.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

import numpy as np
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from pages import Corpus

K = 50
WS = (9, 11, 17, 99, 999)
SIZE, SEED = 8_000_000, 2003
EVERY = 10  # page, of the corpus


def chance(w: int) -> float:
    """That w random k-grams have no fingerprint."""
    return (1 - 2 / (w + 1)) ** w


def approximation(w: int) -> float:
    """The paper's."""
    return exp(-2 + 2 / (w + 1))


def empty(texts: Iterable[NDArray[np.uint64]], w: int) -> tuple[float, float]:
    """The shares of the windows of texts that 0 mod (w + 1) / 2 and robust winnowing leave empty; w is odd."""
    windows, without = 0, [0, 0]
    for ids in texts:
        hashes = kgram_hashes(ids, K)
        if len(hashes) >= w:
            windows += len(hashes) - w + 1
            without[0] += _empty(select(hashes, w, "mod-p"), len(hashes), w)
            without[1] += _empty(select(hashes, w, "robust"), len(hashes), w)
    return without[0] / windows, without[1] / windows


def _empty(chosen: NDArray[np.int64], count: int, w: int) -> int:
    runs = np.diff(chosen, prepend=-1, append=count) - 1
    return int(np.maximum(runs - w + 1, 0).sum())


def result(corpus: Corpus) -> ExperimentResult:
    random = [np.random.default_rng(SEED).integers(0, 256, SIZE, np.uint64)]
    rows = []
    for w in WS:
        own, real = empty(random, w), empty((page.ids for page in corpus.pages[::EVERY]), w)
        shares = approximation(w), chance(w), own[0], real[0], max(own[1], real[1])
        rows.append((w, (w + 1) // 2, *(f"{share:.2%}" for share in shares)))
    head = ("w", "p", "paper: e^(−2 + 2 / (w + 1))", "(1 − 2 / (w + 1))^w", "random text", "web pages", "winnowing")
    return ExperimentResult(table(head, rows), {})
