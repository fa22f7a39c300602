"""Two sketches against each other, which is what Ganguly and Veda want theirs for and did not measure.

*Planted*: two documents of 10,000 items with one shared window of 2,000, at the size of the proof and at a tenth of the
document. A window is found if both sketches have an item of it. What each says of its misses beforehand, or from the
rates that came out, stands beside them.

*Real code*, the comparison with Broder, 0 mod p and winnowing that the authors left open: two documents of 20,000
k-grams (k = 16) of different files of NetworkX, with a stretch of 2,000 from a third place in both. For each size the
share of the pairs whose sketches do not show the stretch; and how far the resemblance that follows from two sketches is
from that of all k-grams. 0 mod p and winnowing have the p and the w with which they would keep as many entries of
random text.
"""

from __future__ import annotations

from itertools import product
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import inputs
import numpy as np
import planted
from plotting import Curve, plot
from results import ExperimentResult, table
from sketch_variants import SAMPLING, VARIANTS, chance_of_miss, varied

from winnow_ci.comparing.comparison import similarity
from winnow_ci.model.comparison import DocumentSketch
from winnow_ci.winnowing import select
from winnow_ci.winnowing.bounded import Reduction
from winnow_ci.winnowing.schemes import bottom_s

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pages import Corpus
    from sketch_variants import Variant

    from winnow_ci.winnowing.bounded import Sketch

PLANTED, TENTH, DELTA = 200, planted.LENGTH // 10, 0.05
SEED, PAIRS = 2008, 50
LENGTH, WINDOW = 20_000, 2_000
SIZES = (2_000, 1_000, 500, 250, 125, 60, 30, 15)
BRODER, MANBER, WINNOWING = "bottom-s", "0 mod p", "winnowing"
NAMES = (*VARIANTS, WINNOWING, MANBER, BRODER)


class Planted(NamedTuple):
    """A pair of documents and a sketch.

    Attributes:
        used: entries, at most.
        said: the chance of a miss that follows from the rates.
        is_found: whether both sketches have an item of the shared window.
    """

    used: int
    said: float
    is_found: bool


class Compared(NamedTuple):
    """A pair of documents of real code, by what two sketches say of it.

    Attributes:
        is_found: whether both sketches have a k-gram of the shared stretch.
        error: the resemblance that they say less that of all k-grams.
        entries: of the larger sketch.
    """

    is_found: bool
    error: float
    entries: int


def planted_pair(kind: str, number: int) -> tuple[list[NDArray[np.uint64]], NDArray[np.uint64]]:
    """Two documents, and the window that both have."""
    random = np.random.default_rng([SEED, number])
    both = [planted.document(kind, random) for _ in range(2)]
    starts = random.integers(0, planted.LENGTH - planted.WINDOW + 1, 2)
    window = both[0][starts[0] : starts[0] + planted.WINDOW].copy()
    both[1][starts[1] : starts[1] + planted.WINDOW] = window
    return both, window


def tried(variant: Variant, size: int | None, number: int) -> Planted:
    """Sketch both documents of a pair, and compare."""
    both, window = planted_pair(planted.KINDS[number % len(planted.KINDS)], number)
    made = [varied(own, variant, DocumentSketch(planted.WINDOW, size, DELTA)) for own in both]
    said = chance_of_miss(Reduction().and_that_of(made[0]).and_that_of(made[1]), variant, planted.WINDOW)
    kept = [own[one.places] for own, one in zip(both, made, strict=True)]
    return Planted(max(one.size for one in made), said, shows(kept, window))


def shows(kept: list[NDArray[np.uint64]], window: NDArray[np.uint64]) -> bool:
    """Whether both have an item of a window."""
    one, other = kept
    return bool(np.isin(np.intersect1d(one, other), window).any())


def code_pair(code: NDArray[np.uint64], number: int) -> tuple[list[NDArray[np.uint64]], NDArray[np.uint64]]:
    """Two documents of real code with a stretch of a third place in both, and that stretch."""
    random = np.random.default_rng([SEED, number])
    parts = [code[place * LENGTH :][:LENGTH].copy() for place in random.permutation(len(code) // LENGTH)[:3]]
    start = int(random.integers(0, LENGTH - WINDOW + 1))
    stretch = parts[2][start : start + WINDOW]
    for own in parts[:2]:
        at = int(random.integers(0, LENGTH - WINDOW + 1))
        own[at : at + WINDOW] = stretch
    return parts[:2], stretch


def kept_by(name: str, hashes: NDArray[np.uint64], size: int) -> tuple[NDArray[np.uint64], Sketch | None]:
    """The items that a document is reduced to; with its sketch, if it is one of ours."""
    if name == BRODER:
        return hashes[bottom_s(hashes, s=size)], None
    if name == MANBER:
        return hashes[hashes % np.uint64(len(hashes) // size) == 0], None
    if name == WINNOWING:
        return hashes[select(hashes, 2 * len(hashes) // size - 1, "robust")], None
    made = varied(hashes, name, DocumentSketch(WINDOW, size, DELTA))  # type: ignore[arg-type]
    return hashes[made.places], made


def compared(
    name: str, both: list[NDArray[np.uint64]], stretch: NDArray[np.uint64], size: int, true: float
) -> Compared:
    """Reduce both documents, of which all k-grams have the resemblance ``true``, and compare."""
    kept, made = zip(*(kept_by(name, own, size) for own in both), strict=True)
    sets, reduction = [np.unique(own) for own in kept], Reduction()
    if name in SAMPLING:
        for one in made:
            reduction = reduction.and_that_of(one)
        sets = [own[reduction.sampled(own)] for own in sets]
    # A sample of nothing says nothing; that of two empty sets is 1.
    said = similarity(*sets, size if name == BRODER else None).resemblance.value if any(map(len, sets)) else 0.0
    return Compared(shows(list(kept), stretch), said - true, max(map(len, kept)))


def result(corpus: Corpus) -> ExperimentResult:
    code = inputs.all_code(corpus.work)
    measured: dict[str, dict[int, list[Compared]]] = {name: {size: [] for size in SIZES} for name in NAMES}
    for number in range(PAIRS):
        both, stretch = code_pair(code, number)
        true = similarity(*map(np.unique, both)).resemblance.value
        for name, size in product(NAMES, SIZES):
            measured[name][size].append(compared(name, both, stretch, size, true))
    texts = (_planted(), _missed(measured), _errors(measured))
    return ExperimentResult("\n\n".join(texts), {"sketch-pairs.svg": _plot(measured)})


def _planted() -> str:
    rows = []
    for size in (None, TENTH):
        for scheme in VARIANTS:
            trials = [tried(scheme, size, number) for number in range(PLANTED)]
            missed, said = sum(not one.is_found for one in trials), sum(one.said for one in trials)
            promised = f"{PLANTED * DELTA:.0f}" if size is None and scheme != "next-of-level" else ""
            what = "that of the proof" if size is None else f"{size:,}"
            rows.append((scheme, what, f"{max(one.used for one in trials):,}", missed, promised, f"{said:.1f}"))
    head = ("sketch", "size", "most used", f"missed of {PLANTED}", "promised to miss at most", "by the rates at most")
    return table(head, rows)


def _missed(measured: dict[str, dict[int, list[Compared]]]) -> str:
    rows = [
        (
            name,
            *(
                f"{np.mean([not one.is_found for one in trials]):.0%}{_more(size, trials)}"
                for size, trials in own.items()
            ),
        )
        for name, own in measured.items()
    ]
    return f"real code: missed of {PAIRS} (mean entries, if more)\n\n" + table(
        ("entries", *(f"{size:,}" for size in SIZES)), rows
    )


def _more(size: int, trials: list[Compared]) -> str:
    entries = float(np.mean([one.entries for one in trials]))
    return f" ({entries:,.0f})" if entries > 1.25 * size else ""


def _errors(measured: dict[str, dict[int, list[Compared]]]) -> str:
    rows = [
        (name, *(f"{np.mean([one.error for one in trials]):+.3f} {_rms(trials):.3f}" for trials in own.values()))
        for name, own in measured.items()
    ]
    return "real code: mean and root mean square of the error of the resemblance\n\n" + table(
        ("entries", *(f"{size:,}" for size in SIZES)), rows
    )


def _rms(trials: list[Compared]) -> float:
    return sqrt(np.mean([one.error**2 for one in trials]))


def _plot(measured: dict[str, dict[int, list[Compared]]]) -> str:
    names = ("bounded", "one-a-window", "next-of-level", WINNOWING, MANBER, BRODER)
    curves = [
        Curve(
            name,
            [
                (float(size), float(np.mean([not one.is_found for one in measured[name][size]])))
                for size in reversed(SIZES)
            ],
        )
        for name in names
    ]
    across = f"entries of each sketch  (m = {LENGTH:,}, W = {WINDOW:,})"
    return plot(curves, across, "share of the shared stretches that is missed", logarithmic="x")
