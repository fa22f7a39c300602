"""How often the bounded sketch finds a shared window of W k-grams.

    python benchmarks/bounded.py [--trials N] [FOLDER]

First the promise: N documents (10,000) for each of three δ, a third each of distinct items, items as frequent as words,
and stretches that repeat themselves. Each has fresh hashes, a sketch of the size that the promise asks for, and one
window at a random place that another document shares. Smaller sizes show how much slack the
proof has. Then the rule of ``--selection bounded``, on windows of all files below FOLDER, beside robust winnowing: how
many k-grams are kept, and how many windows hold none that is.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import exp, lgamma, log, log1p
from pathlib import Path

import numpy as np

from winnow_ci.languages import Untokenizable, language_of, tokenize
from winnow_ci.winnowing import kgram_hashes, select
from winnow_ci.winnowing.bounded import Bound, Sketch, size_for, sketch

LENGTH, WINDOW = 20_000, 4000
KINDS = ("distinct", "zipf", "periodic")
K, W = 16, 12
WINDOWS = (50, 100, 200, 416, 1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("folder", nargs="?", type=Path)
    arguments = parser.parse_args()
    print(f"documents of {LENGTH:,} items, windows of {WINDOW:,}; bounds are Clopper and Pearson's, at 99.9%")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for delta in (0.2, 0.05, 0.01):
            bound = size_for(LENGTH, WINDOW, delta)
            for part, trials in ((1, arguments.trials), (256, arguments.trials // 10)):
                smaller = bound._replace(size=bound.size // part)
                outcomes = list(pool.map(partial(trial, smaller), range(trials), chunksize=50))
                print(f"δ = {delta}, {described(smaller, outcomes)}", flush=True)
    if arguments.folder:
        real(arguments.folder)


def described(bound: Bound, outcomes: list[tuple[bool, int]]) -> str:
    missed, trials = sum(not found for found, _ in outcomes), len(outcomes)
    used = f"size {bound.size:,} (most used: {max(size for _, size in outcomes):,})"
    return f"{used}: missed {missed} of {trials:,}, so a miss has a chance of at most {upper(missed, trials):.4f}"


def upper(missed: int, trials: int) -> float:
    """The chance of a miss with which so few would be seen in one run of a thousand."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(missed, trials, middle) > 0.001 else (low, middle)
    return high


def at_most(missed: int, trials: int, chance: float) -> float:
    """The chance of so few misses."""
    terms = (
        lgamma(trials + 1) - lgamma(n + 1) - lgamma(trials - n + 1) + n * log(chance) + (trials - n) * log1p(-chance)
        for n in range(missed + 1)
    )
    return sum(map(exp, terms))


def trial(bound: Bound, number: int) -> tuple[bool, int]:
    """Whether the shared window is found, and how many entries the sketch has."""
    random = np.random.default_rng([number, round(1000 * bound.delta)])
    hashes = document(KINDS[number % len(KINDS)], random)
    made = sketch(hashes, bound)
    return finds(made, hashes, int(random.integers(0, LENGTH - WINDOW + 1))), made.size


def document(kind: str, random: np.random.Generator) -> np.ndarray:
    words = random.integers(0, 2**64, LENGTH, np.uint64)
    if kind == "distinct":
        return words
    if kind == "zipf":
        return words[random.zipf(1.3, LENGTH) % LENGTH]
    periods = 2 ** random.integers(0, 9, LENGTH // 500)
    return words[np.concatenate([500 * n + np.arange(500) % period for n, period in enumerate(periods)])]


def finds(made: Sketch, hashes: np.ndarray, start: int) -> bool:
    """Whether an item of the window that begins at ``start`` is stored so that it points to the window."""
    asked = set(hashes[start : start + WINDOW].tolist())
    return bool(
        asked & set(hashes[made.everywhere].tolist())
        or asked & set(hashes[made.in_block[made.blocks == start // WINDOW]].tolist())
        or np.any((made.sampled >= start) & (made.sampled < start + WINDOW))
    )


def real(folder: Path) -> None:
    """All windows of all files: those in which no place is kept cannot be found in place."""
    kept, kgrams, windows = dict.fromkeys(("robust", "bounded"), 0), 0, dict.fromkeys(WINDOWS, 0)
    empty = {scheme: dict.fromkeys(WINDOWS, 0) for scheme in kept}
    for path in sorted(folder.rglob("*")):
        content = path.read_bytes() if path.is_file() else b""
        language = language_of(path.name, content)
        if language is None:
            continue
        try:
            ids = tokenize(language, content).structural
        except Untokenizable:
            continue
        hashes = kgram_hashes(ids, K)
        kgrams += len(hashes)
        for length in WINDOWS:
            windows[length] += max(0, len(hashes) - length + 1)
        for scheme in kept:
            chosen = select(hashes, W, scheme, ids)
            kept[scheme] += len(chosen)
            gaps = np.diff(np.concatenate([[-1], chosen, [len(hashes)]])) - 1
            for length in WINDOWS:
                empty[scheme][length] += int(np.maximum(0, gaps - length + 1).sum())
    for scheme, count in kept.items():
        misses = ", ".join(f"{n}: {empty[scheme][n] / max(1, windows[n]):.4%}" for n in WINDOWS)
        print(f"{scheme}: {count / kgrams:.4f} of {kgrams:,} k-grams; windows without a place: {misses}")


if __name__ == "__main__":
    main()
