"""Rolling hashes against hashes from scratch (section 5.1): ratios of processor time, the best of several runs.

The paper loses more than a factor of 4 of its throughput at k = 50 if each hash is made from scratch. A loop in Python
is its algorithm at the speed of an interpreter; it shows the count of operations, not what a compiler makes of them.
The product has no loop: prefix sums of whole arrays take the place of rolling, and k passes over whole arrays that of
hashing from scratch.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes
from winnow_ci.winnowing.schemes import BASE

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from pages import Corpus

KS = (16, 50, 100)
SIZE, LOOPED, SEED, RUNS = 2_000_000, 20_000, 2003, 5
WORD = (1 << 64) - 1


def rolled(ids: list[int], k: int) -> list[int]:
    """Karp and Rabin's hash c1·b^(k−1) + … + ck modulo 2^64, each from the one before (section 2.2)."""
    highest = pow(BASE, k - 1, 1 << 64)
    value = 0
    for one in ids[:k]:
        value = (value * BASE + one) & WORD
    hashes = [value]
    for leaving, entering in zip(ids, ids[k:], strict=False):
        value = ((value - leaving * highest) * BASE + entering) & WORD
        hashes.append(value)
    return hashes


def from_scratch(ids: list[int], k: int) -> list[int]:
    """The same hashes, each from its k tokens (Horner's rule)."""
    hashes = []
    for start in range(len(ids) - k + 1):
        value = 0
        for one in ids[start : start + k]:
            value = (value * BASE + one) & WORD
        hashes.append(value)
    return hashes


def arrays_from_scratch(ids: NDArray[np.uint64], k: int) -> NDArray[np.uint64]:
    """The same hashes, from k passes over whole arrays."""
    count = len(ids) - k + 1
    hashes = ids[:count].copy()
    for place in range(1, k):
        hashes *= np.uint64(BASE)
        hashes += ids[place : place + count]
    return hashes


def seconds(work: Callable[[], object]) -> float:
    """Processor time of the fastest run."""
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def result(_: Corpus) -> ExperimentResult:
    ids = np.random.default_rng(SEED).integers(0, 2**64, SIZE, np.uint64)
    few = ids[:LOOPED].tolist()
    rows = []
    for k in KS:
        sums, scratch = (seconds(partial(make, ids, k)) for make in (kgram_hashes, arrays_from_scratch))
        loop, slow = (seconds(partial(make, few, k)) for make in (rolled, from_scratch))
        paper = "more than 4" if k == 50 else ""
        rows.append(
            (k, paper, f"{slow / loop:.1f}", f"{scratch / sums:.1f}", f"{loop / len(few) * len(ids) / sums:.0f}")
        )
    head = (
        "k",
        "paper",
        "plain loop: from scratch to rolling",
        "arrays: from scratch to prefix sums",
        "rolling loop to prefix sums",
    )
    return ExperimentResult(table(head, rows), {})
