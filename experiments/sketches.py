"""Ganguly and Veda's claim: a sketch of O(m / √W) entries detects a shared window of W items with a chance of 1 − δ.

m = 200,000 items, δ = 0.1. Of each document and each size a sketch is made with five sets of hashes, and all windows of
W items are looked at: the share of them that another document with the same window would be found by. Two adversaries
know the hashes, one that of the sketch, one that of winnowing; what an adversary who does not know them achieves is
shown by the same documents under hashes that are drawn afterwards.

Winnowing *at equal space* has the w with which it would keep as many entries of random text. It is robust winnowing.

Then the sketches of the authors' future work, of the same sizes: one pass, a size that divides itself, one sampled item
a window.
"""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING, NamedTuple

import inputs
import numpy as np
from divided import divided
from one_a_window import one_a_window
from one_pass import one_pass
from plotting import Curve, plot
from results import ExperimentResult, table

from winnow_ci.winnowing import select
from winnow_ci.winnowing.bounded import Bound, Sketch, size_for, sketch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from pages import Corpus

DELTA = 0.1
WINDOWS = (1_000, 4_000, 16_000)
SHOWN_W = 4_000
UNITS = (4, 1, 1 / 4, 1 / 16, 1 / 64)  # sizes, in m / √W
KEYS = 5
KNOWN = "against the sketch, which is known"
SKETCHES: dict[str, Callable[[NDArray[np.uint64], Bound], Sketch]] = {
    "two passes": sketch,
    "one pass": lambda hashes, bound: one_pass([hashes], bound),
    "divides itself": lambda hashes, bound: divided(hashes, bound.window, bound.size, bound.delta).sketch,
    "one a window": lambda hashes, bound: one_a_window(hashes, bound.window, bound.size),
}


class Outcome(NamedTuple):
    """One document, window length and size.

    Attributes:
        size: entries that the sketch may have.
        used: that it has at most.
        detected: share of the windows that are found, on average over the keys.
        kept: entries of robust winnowing at equal space.
        winnowed: share of the windows that it finds.
    """

    size: int
    used: int
    detected: float
    kept: int
    winnowed: float


def outcome(hashes: NDArray[np.uint64], bound: Bound, keys: Sequence[int]) -> Outcome:
    """Measure the sketch of a document with each key (0: the hashes as they are), and winnowing beside it."""
    keyed = [_rehashed(hashes, key) for key in keys]
    made = [sketch(each, bound) for each in keyed]
    detected = [detecting(one, each, bound.window) for one, each in zip(made, keyed, strict=True)]
    w = max(1, ceil(2 * len(hashes) / bound.size - 1))
    selected = [select(each, w, "robust") for each in keyed]
    winnowed = [_holding(_marks(chosen, len(hashes)), bound.window) for chosen in selected]
    return Outcome(
        bound.size,
        max(one.size for one in made),
        float(np.mean(detected)),
        max(map(len, selected)),
        float(np.mean(winnowed)),
    )


def detected(hashes: NDArray[np.uint64], bound: Bound, keys: Sequence[int]) -> dict[str, float]:
    """The share of the windows that each sketch finds, on average over the keys."""
    keyed = [_rehashed(hashes, key) for key in keys]
    return {
        name: float(np.mean([detecting(make(each, bound), each, bound.window) for each in keyed]))
        for name, make in SKETCHES.items()
    }


def detecting(made: Sketch, hashes: NDArray[np.uint64], window: int) -> float:
    """The share of all windows of which the sketch holds an item that leads there."""
    everywhere = np.isin(hashes, hashes[made.everywhere]) | _marks(made.sampled, len(hashes))
    found = 0.0
    for block, start in enumerate(range(0, len(hashes) - window + 1, window)):
        part = slice(start, min(start + 2 * window - 1, len(hashes)))
        items = hashes[made.in_block[made.blocks == block]]
        marks = everywhere[part] | np.isin(hashes[part], items)
        found += _holding(marks, window) * (len(marks) - window + 1)
    return found / (len(hashes) - window + 1)


def _holding(marks: NDArray[np.bool_], window: int) -> float:
    """The share of the windows that hold a mark."""
    before = np.concatenate([[0], np.cumsum(marks)])
    return float(np.mean(before[window:] > before[:-window]))


def _marks(places: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    marks = np.zeros(count, np.bool_)
    marks[places] = True
    return marks


def _rehashed(hashes: NDArray[np.uint64], key: int) -> NDArray[np.uint64]:
    """Other hashes of the same items, drawn by ``key``; 0 leaves them as they are."""
    if not key:
        return hashes
    _, numbers = np.unique(hashes, return_inverse=True)
    random = np.random.default_rng([inputs.SEED, key])
    return random.integers(0, 2**64, int(numbers.max()) + 1, np.uint64)[numbers]


def result(corpus: Corpus) -> ExperimentResult:
    promised = {window: _promised(corpus, window) for window in WINDOWS}
    smaller, others = _smaller(corpus), _others(corpus)
    texts = [_promises(promised), _sizes(smaller), _sketches(others)]
    return ExperimentResult("\n\n".join(texts), {"sketches.svg": _plot(smaller), "space.svg": _space(promised)})


def _cases(corpus: Corpus, window: int) -> dict[str, tuple[NDArray[np.uint64], Sequence[int]]]:
    drawn = range(1, KEYS + 1)
    cases: dict[str, tuple[NDArray[np.uint64], Sequence[int]]] = {
        kind: (hashes, drawn) for kind, hashes in inputs.documents(corpus, window).items()
    }
    cases[KNOWN] = inputs.unsampled(), [0]
    cases["against the sketch, hashes drawn"] = inputs.unsampled(), drawn
    cases["against winnowing, which is known"] = inputs.rising(), [0]
    return cases


def _promised(corpus: Corpus, window: int) -> dict[str, Outcome]:
    """With the size that the proof asks for."""
    bound = size_for(inputs.LENGTH, window, DELTA)
    return {kind: outcome(hashes, bound, keys) for kind, (hashes, keys) in _cases(corpus, window).items()}


def _smaller(corpus: Corpus) -> dict[str, list[Outcome]]:
    """With sizes that are parts of m / √W."""
    cases = _cases(corpus, SHOWN_W).items()
    return {kind: [outcome(hashes, bound, keys) for bound in _bounds()] for kind, (hashes, keys) in cases}


def _others(corpus: Corpus) -> dict[str, dict[int, dict[str, float]]]:
    """What the other sketches of these sizes detect: by document and size."""
    cases = _cases(corpus, SHOWN_W).items()
    return {kind: {bound.size: detected(hashes, bound, keys) for bound in _bounds()} for kind, (hashes, keys) in cases}


def _bounds() -> list[Bound]:
    unit = inputs.LENGTH / sqrt(SHOWN_W)
    return [Bound(SHOWN_W, round(part * unit), DELTA) for part in UNITS]


def _promises(promised: Mapping[int, Mapping[str, Outcome]]) -> str:
    rows = [
        (
            kind,
            f"{window:,}",
            f"{inputs.LENGTH / sqrt(window):,.0f}",
            f"{each.size:,}",
            f"{each.size / (inputs.LENGTH / sqrt(window)):.1f}",
            f"{each.used:,}",
            f"{each.detected:.2%}",
            f"{each.kept:,}",
            f"{each.winnowed:.2%}",
        )
        for window, outcomes in promised.items()
        for kind, each in outcomes.items()
    ]
    head = ("document", "W", "m / √W", "size", "size / (m / √W)", "used", "detected", "winnowing keeps", "detects")
    return table(head, rows)


def _sizes(smaller: Mapping[str, Sequence[Outcome]]) -> str:
    head = ("document", *(f"{each.size:,}" for each in smaller["random"]))
    rows = [(kind, *map(_cell, outcomes)) for kind, outcomes in smaller.items()]
    return f"detected by a sketch of so many entries / by winnowing (entries, if more), W = {SHOWN_W:,}\n\n" + table(
        head, rows
    )


def _sketches(others: Mapping[str, Mapping[int, Mapping[str, float]]]) -> str:
    head = ("document", *(f"{size:,}" for size in others["random"]))
    rows = [
        (kind, *(" / ".join(f"{share:.1%}" for share in shares.values()) for shares in by_size.values()))
        for kind, by_size in others.items()
    ]
    return f"detected by {' / '.join(SKETCHES)}, W = {SHOWN_W:,}\n\n{table(head, rows)}"


def _cell(each: Outcome) -> str:
    more = f" ({each.kept:,})" if each.kept > 1.25 * each.size else ""
    return f"{each.detected:.1%} / {each.winnowed:.1%}{more}"


def _plot(smaller: Mapping[str, Sequence[Outcome]]) -> str:
    curves = [Curve(kind, _points(outcomes)) for kind, outcomes in smaller.items() if "against" not in kind]
    curves.append(Curve("written against the sketch", _points(smaller[KNOWN])))
    random = [(float(each.size), each.winnowed) for each in reversed(smaller["random"])]
    return plot(
        [*curves, Curve("winnowing, random", random, dashed=True)],
        f"entries  (m = {inputs.LENGTH:,}, W = {SHOWN_W:,})",
        "share of the windows that is detected",
        logarithmic="x",
    )


def _points(outcomes: Sequence[Outcome]) -> list[tuple[float, float]]:
    return [(float(each.size), each.detected) for each in reversed(outcomes)]


def _space(promised: Mapping[int, Mapping[str, Outcome]]) -> str:
    kinds = [kind for kind in promised[SHOWN_W] if "against" not in kind]
    curves = [
        Curve(f"used, {kind}", [(float(w), float(each[kind].used)) for w, each in promised.items()]) for kind in kinds
    ]
    curves.append(
        Curve("size that the proof asks for", [(float(w), float(e["random"].size)) for w, e in promised.items()])
    )
    unit = [(float(window), inputs.LENGTH / sqrt(window)) for window in WINDOWS]
    least = [(float(window), 2 * inputs.LENGTH / (window + 1)) for window in WINDOWS]
    curves += [Curve("m / √W", unit, dashed=True), Curve("winnowing with w = W, random", least, dashed=True)]
    return plot(curves, f"W, in items  (m = {inputs.LENGTH:,})", "entries")
