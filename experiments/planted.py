"""The promise of the bounded sketches: a shared window of W items is found with a chance of 1 − δ, within the size.

For each δ 10,000 windows, each in a document of its own with hashes of its own. A quarter of the documents each has
distinct items, items as frequent as words, stretches that repeat themselves, and stretches of W items with a period of
√W. The window begins anywhere; another document has it, asks for each of its items, and has no other item of these.

A sketch promises to miss δ of all at most, or what it tells itself (``divided``). The promise is broken if so many
misses as are counted, or more, would come up in less than one of a thousand runs with a miss as likely as promised.
Sketches that are too small promise nothing, and show how much slack there is.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import exp, isqrt, lgamma, log, log1p
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from divided import divided
from one_a_window import enough, one_a_window
from one_pass import one_pass
from results import ExperimentResult, table

from winnow_ci.winnowing.bounded import Sketch, size_for, sketch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from pages import Corpus

TRIALS = 10_000
DELTAS = (0.2, 0.05, 0.01)
LENGTH, WINDOW = 10_000, 2000
KINDS = ("distinct", "zipf", "repetitive", "period √W")
FEW, FEWER = 64, 256  # parts of the size that the proof asks for
LEAST = 8  # less than two a window
UNLIKELY = 0.001


class Trial(NamedTuple):
    """One sketch and one shared window.

    Attributes:
        name: of the sketch.
        size: how many entries it may have.
        used: how many it has.
        promised: the chance of a miss that it promises at most; 1 if it promises nothing.
        is_found: whether the window is found.
    """

    name: str
    size: int
    used: int
    promised: float
    is_found: bool


class Tally(NamedTuple):
    """All trials of a sketch.

    Attributes:
        size: how many entries it may have.
        used: how many it has at most.
        trials: how many windows there were.
        promised: how many may be missed on average.
        missed: how many were.
    """

    size: int
    used: int
    trials: int
    promised: float
    missed: int

    @property
    def upper(self) -> float:
        """The chance of a miss with which so few would be seen in one run of a thousand (Clopper and Pearson)."""
        low, high = self.missed / self.trials, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if fewer(self.missed + 1, self.trials, middle) > UNLIKELY else (low, middle)
        return high

    @property
    def is_kept(self) -> bool:
        """Whether size and promise are kept."""
        chance = self.promised / self.trials
        return self.used <= self.size and 1 - fewer(self.missed, self.trials, chance) >= UNLIKELY


def fewer(missed: int, trials: int, chance: float) -> float:
    """The chance of fewer misses."""
    if chance in {0, 1}:
        return float(missed > trials * chance)
    terms = (
        lgamma(trials + 1) - lgamma(n + 1) - lgamma(trials - n + 1) + n * log(chance) + (trials - n) * log1p(-chance)
        for n in range(missed)
    )
    return sum(map(exp, terms))


def trial(delta: float, number: int) -> list[Trial]:
    """Sketch a document in each way, and ask for one window of it."""
    random = np.random.default_rng([number, round(1000 * delta)])
    hashes = document(KINDS[number % len(KINDS)], random)
    start = int(random.integers(0, LENGTH - WINDOW + 1))
    return [
        Trial(name, size, made.size, promised, finds(made, hashes, start))
        for name, size, made, promised in _sketches(hashes, delta)
    ]


def _sketches(hashes: NDArray[np.uint64], delta: float) -> Iterator[tuple[str, int, Sketch, float]]:
    bound = size_for(LENGTH, WINDOW, delta)
    few, fewer = bound._replace(size=bound.size // FEW), bound._replace(size=bound.size // FEWER)
    yield "two passes", bound.size, sketch(hashes, bound), delta
    yield "one pass", bound.size, one_pass([hashes], bound), delta
    division = divided(hashes, WINDOW, few.size, delta)
    yield "of a size that divides itself", few.size, division.sketch, division.miss
    size = enough(LENGTH, WINDOW, delta)
    yield "one a window", size, one_a_window(hashes, WINDOW, size), delta
    yield "two passes, too small", fewer.size, sketch(hashes, fewer), 1.0
    yield "one a window, too small", LEAST, one_a_window(hashes, WINDOW, LEAST), 1.0


def document(kind: str, random: np.random.Generator) -> NDArray[np.uint64]:
    """Items with fresh hashes."""
    words, place = random.integers(0, 2**64, LENGTH, np.uint64), np.arange(LENGTH)
    if kind == "distinct":
        return words
    if kind == "zipf":
        return words[random.zipf(1.3, LENGTH) % LENGTH]
    if kind == "period √W":
        return words[place - place % WINDOW + place % WINDOW % isqrt(WINDOW)]
    periods = np.repeat(2 ** random.integers(0, 9, LENGTH // 500), 500)
    return words[place - place % 500 + place % 500 % periods]


def finds(made: Sketch, hashes: NDArray[np.uint64], start: int) -> bool:
    """Whether an item of the window that begins at ``start`` is stored so that it points to the window."""
    asked = set(hashes[start : start + WINDOW].tolist())
    return bool(
        asked & set(hashes[made.everywhere].tolist())
        or asked & set(hashes[made.in_block[made.blocks == start // WINDOW]].tolist())
        or np.any((made.sampled >= start) & (made.sampled < start + WINDOW))
    )


def tallies(trials: Sequence[Sequence[Trial]]) -> dict[str, Tally]:
    """Sum up, by sketch."""
    return {
        own[0].name: Tally(
            own[0].size,
            max(one.used for one in own),
            len(own),
            sum(one.promised for one in own),
            sum(not one.is_found for one in own),
        )
        for own in zip(*trials, strict=True)
    }


def result(_: Corpus) -> ExperimentResult:
    rows = []
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for delta in DELTAS:
            outcomes = list(pool.map(partial(trial, delta), range(TRIALS), chunksize=50))
            rows += [(delta, name, *_row(own)) for name, own in tallies(outcomes).items()]
    head = (
        "δ",
        "sketch",
        "size",
        "most used",
        "windows",
        "missed",
        "promised at most",
        "a miss at most (99.9%)",
        "kept",
    )
    return ExperimentResult(table(head, rows), {})


def _row(own: Tally) -> tuple[str, ...]:
    promised = own.promised / own.trials
    is_kept = "yes" if own.is_kept else "NO"
    told = (f"{own.promised:,.0f}", f"{own.upper:.4f}", is_kept) if promised < 1 else ("", f"{own.upper:.4f}", "")
    return f"{own.size:,}", f"{own.used:,}", f"{own.trials:,}", f"{own.missed:,}", *told
