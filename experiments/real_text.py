"""Winnowing and 0 mod 50 on web pages, k = 50, w = 100: density, and the longest run without a fingerprint.

The paper's Figure 3 hashes all pages as one stream. So it is measured twice: as one stream, and page by page, as a
program has to do that tells which document a copy comes from.
"""

from __future__ import annotations

from math import log, log1p
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import streams
from plotting import Curve, plot
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pages import Corpus, Page

K, W, P = 50, 100, 50
PAPER = {
    "bytes": 7_182_692_852,
    "characters": 1_940_576_448,
    "kgrams": 1_940_576_399,
    "winnowing": 38_530_846,
    "mod-p": 38_761_128,
    "longest": 29_983,
    "robust": 0.019829,
}
SCHEMES = {"winnowing": "winnowing", "robust": "robust winnowing", "mod-p": "0 mod 50"}


class Gap(NamedTuple):
    """A run of k-grams without a fingerprint.

    Attributes:
        length: in k-grams.
        path: of the page.
        distinct: how many different k-grams it has.
        text: how it begins.
    """

    length: int
    path: str = ""
    distinct: int = 0
    text: str = ""


class Measured(NamedTuple):
    """A scheme on all pages.

    Attributes:
        kgrams: how many there are.
        kept: how many are fingerprints.
        lengths: int64; how many runs without a fingerprint there are, by their length.
        longest: the longest of them.
        by_package: k-grams, and fingerprints, by package.
        pages: how many have a window, or less.
    """

    kgrams: int
    kept: int
    lengths: NDArray[np.int64]
    longest: Gap
    by_package: dict[str, tuple[int, int]]
    pages: int = 0


def measured(pages: Sequence[Page]) -> dict[str, Measured]:
    """Select from each page by each scheme."""
    found = {scheme: Measured(0, 0, np.zeros(1, np.int64), Gap(0), {}) for scheme in SCHEMES}
    for page in pages:
        hashes = kgram_hashes(page.ids, K)
        if len(hashes):
            for scheme in SCHEMES:
                found[scheme] = _added(found[scheme], page, hashes, select(hashes, W, scheme))
    return found


def _added(so_far: Measured, page: Page, hashes: NDArray[np.uint64], chosen: NDArray[np.int64]) -> Measured:
    gaps = np.diff(np.concatenate([[-1], chosen, [len(hashes)]])) - 1
    counts = np.bincount(gaps, minlength=len(so_far.lengths))
    counts[: len(so_far.lengths)] += so_far.lengths
    longest = so_far.longest
    if gaps.max() > longest.length:
        place = int(np.concatenate([[0], chosen + 1])[gaps.argmax()])
        inside = hashes[place : place + gaps.max()]
        longest = Gap(len(inside), page.path, len(np.unique(inside)), page.text[place : place + 60])
    package = page.path.split("/")[0]
    kgrams, kept = so_far.by_package.get(package, (0, 0))
    by_package = {**so_far.by_package, package: (kgrams + len(hashes), kept + len(chosen))}
    return Measured(
        so_far.kgrams + len(hashes), so_far.kept + len(chosen), counts, longest, by_package, so_far.pages + 1
    )


def on_random_text(of: Measured, scheme: str) -> float:
    """The density on random text of the same pages: winnowing loses up to w − 1 windows at the end of each."""
    if scheme == "mod-p":
        return 1 / P
    return (2 * of.kgrams - (W - 1) * of.pages) / (W + 1) / of.kgrams


def by_chance(kgrams: int, p: int = P) -> float:
    """The length of the longest run that 0 mod p would leave in so many random k-grams."""
    return log(kgrams / p) / -log1p(-1 / p)


def result(corpus: Corpus) -> ExperimentResult:
    found = measured(corpus.pages)
    texts = [_figure(corpus.pages, found), _whole(found), _packages(found), _longest(found)]
    return ExperimentResult("\n\n".join([f"{len(corpus.pages):,} pages", *texts]), {"gaps.svg": _plot(found)})


def _figure(pages: Sequence[Page], found: dict[str, Measured]) -> str:
    """The rows of Figure 3."""
    stream = {scheme: streams.counted(streams.hashes_of(pages, K), W, scheme) for scheme in SCHEMES}
    size, characters = f"{sum(page.size for page in pages):,}", f"{sum(len(page.text) for page in pages):,}"
    rows: list[tuple[str, ...]] = [
        ("bytes", f"{PAPER['bytes']:,}", size, size),
        ("text: bytes, characters", f"{PAPER['characters']:,}", characters, characters),
        ("hashes", f"{PAPER['kgrams']:,}", *(f"{each['robust'].kgrams:,}" for each in (stream, found))),
    ]
    for scheme, expected in (("winnowing", 2 / (W + 1)), ("mod-p", 1 / P)):
        densities = [own[scheme].kept / own[scheme].kgrams for own in (stream, found)]
        kept = f"{PAPER[scheme]:,}", *(f"{own[scheme].kept:,}" for own in (stream, found))
        shares = [PAPER[scheme] / PAPER["kgrams"], *densities]
        rows.append((f"{SCHEMES[scheme]}: fingerprints", *kept))
        rows.append(("density", *(f"{share:.6f}" for share in shares)))
        rows.append((f"expected {expected:.6f}", *(f"{share / expected - 1:+.2%}" for share in shares)))
    runs = (stream["mod-p"].longest, found["mod-p"].longest.length)
    rows.append(("longest run without a fingerprint", f"{PAPER['longest']:,}", *(f"{run:,}" for run in runs)))
    robust = [own["robust"].kept / own["robust"].kgrams for own in (stream, found)]
    rows.append(("robust winnowing: density", f"{PAPER['robust']:.6f}", *(f"{share:.6f}" for share in robust)))
    less = [own["robust"].kept / own["winnowing"].kept - 1 for own in (stream, found)]
    against = PAPER["robust"] / (PAPER["winnowing"] / PAPER["kgrams"]) - 1
    rows.append(("against winnowing", f"{against:+.2%}", *(f"{each:+.2%}" for each in less)))
    return table(("", "paper", "ours, one stream", "ours, page by page"), rows)


def _whole(found: dict[str, Measured]) -> str:
    rows = [
        (
            name,
            f"{found[scheme].kgrams:,}",
            f"{found[scheme].kept:,}",
            f"{found[scheme].kept / found[scheme].kgrams:.6f}",
            f"{1 / P if scheme == 'mod-p' else 2 / (W + 1):.6f}",
            f"{on_random_text(found[scheme], scheme):.6f}",
            f"{found[scheme].longest.length:,}",
        )
        for scheme, name in SCHEMES.items()
    ]
    return table(
        ("", "k-grams", "fingerprints", "density", "expected", "expected of such pages", "longest run without"), rows
    )


def _packages(found: dict[str, Measured]) -> str:
    rows = [
        (name, f"{kgrams:,}", *(f"{found[scheme].by_package[name][1] / kgrams:.5f}" for scheme in SCHEMES))
        for name, (kgrams, _) in found["robust"].by_package.items()
    ]
    return table(("package", "k-grams", *SCHEMES.values()), rows)


def _longest(found: dict[str, Measured]) -> str:
    gap, kgrams = found["mod-p"].longest, found["mod-p"].kgrams
    expected = kgrams * (1 - 1 / P) ** W
    windows = sum(max(0, length - W + 1) * count for length, count in enumerate(found["mod-p"].lengths.tolist()))
    chance = (log(kgrams) + gap.length * log1p(-1 / P)) / log(10)
    gain = 1 - found["robust"].kept / found["winnowing"].kept
    return (
        f"0 mod {P}: longest run {gap.length:,} k-grams, of which {gap.distinct:,} are distinct, in {gap.path}, "
        f"from {gap.text!r}; by chance {by_chance(kgrams):,.0f}, and a run like this 10^{chance:.0f} times; "
        f"{windows:,} windows without a fingerprint, by chance {expected:,.0f}. "
        f"Robust winnowing keeps {gain:.2%} less than winnowing."
    )


def _plot(found: dict[str, Measured]) -> str:
    curves = [Curve(name, _at_least(found[scheme].lengths)) for scheme, name in SCHEMES.items() if scheme != "robust"]
    kgrams = found["mod-p"].kgrams
    lengths = np.unique(np.geomspace(1, by_chance(kgrams), 60).astype(int)).tolist()
    chance = [(float(length), kgrams / P * (1 - 1 / P) ** length) for length in lengths]
    curves.append(Curve("0 mod 50 on random text", chance, dashed=True))
    return plot(curves, "length of a run of k-grams without a fingerprint", "runs of at least this length")


def _at_least(lengths: NDArray[np.int64]) -> list[tuple[float, float]]:
    at_least = np.cumsum(lengths[::-1])[::-1]
    places = np.unique(np.geomspace(1, len(lengths) - 1, 120).astype(int))
    return [(float(place), float(at_least[place])) for place in places]
