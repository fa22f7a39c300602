"""Density on random text, as the paper measured it: 8 MB, k = 50, w = 100, and 0 mod 50 beside winnowing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pages import Corpus

SIZE, K, W, P = 8_000_000, 50, 100, 50
SEED = 2003
PAPER = {"winnowing": 0.019902, "mod-p": 0.020005}
EXPECTED = {"winnowing": 2 / (W + 1), "mod-p": 1 / P}


class Densities(NamedTuple):
    """Share of the k-grams kept; the schemes differ in nothing else."""

    winnowing: float
    robust: float
    mod_p: float


def densities(ids: NDArray[np.uint64]) -> Densities:
    """Measure a text, given as uint64, shape (n,)."""
    hashes = kgram_hashes(ids, K)
    return Densities(*(len(select(hashes, W, scheme)) / len(hashes) for scheme in ("winnowing", "robust", "mod-p")))


def result(_: Corpus) -> ExperimentResult:
    random = np.random.default_rng(SEED)
    found = densities(random.integers(0, 256, SIZE, np.uint64))
    rows = [
        ("winnowing", *_row(EXPECTED["winnowing"], PAPER["winnowing"], found.winnowing)),
        ("robust", *_row(EXPECTED["winnowing"], None, found.robust)),
        ("0 mod 50", *_row(EXPECTED["mod-p"], PAPER["mod-p"], found.mod_p)),
    ]
    return ExperimentResult(table(("", "expected", "paper", "ours", "ours to the paper's"), rows), {})


def _row(expected: float, paper: float | None, ours: float) -> tuple[str, ...]:
    difference = f"{ours / paper - 1:+.2%}" if paper else ""
    return f"{expected:.6f}", f"{paper:.6f}" if paper else "", f"{ours:.6f}", difference
