"""How often each k-gram occurs, by rank, as the paper's Figure 4 has it: all k-grams beside those that winnowing keeps.

20,000 pages as one stream; k = 50, w = 100. Of each *plateau*, the ranks that occur equally often, only the left and
the right end are drawn, and a plateau of one rank twice. A line is fitted by least squares to the logarithms of these
ends, without the one plateau that is most aberrant: here the one of which the width and the height above the line, both
on logarithmic axes, have the largest product. (We do not know how the paper chose its plateau.)
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import streams
from plotting import Curve, plot
from results import ExperimentResult, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray
    from pages import Corpus, Page

K, W, PAGES = 50, 100, 20_000
ALL, SELECTED = "all k-grams", "winnowing"
SCHEMES = {"winnowing": SELECTED, "robust": "robust winnowing", "mod-p": "0 mod 50"}


class Line(NamedTuple):
    """log10 frequency = slope · log10 rank + start; ``fit`` is r²."""

    slope: float
    start: float
    fit: float


class Plateaus(NamedTuple):
    """Ranks that occur equally often, by falling frequency: int64 each, shape (n,).

    Attributes:
        frequencies: of a plateau.
        left: its first rank, from 1.
        right: its last.
    """

    frequencies: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    @classmethod
    def of(cls, hashes: NDArray[np.uint64]) -> Plateaus:
        """Count hashes, which are sorted in place."""
        hashes.sort()
        starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
        sizes = np.bincount(np.diff(starts, append=len(hashes)))
        frequencies = np.flatnonzero(sizes)[::-1]
        right = np.cumsum(sizes[frequencies])
        return cls(frequencies, np.concatenate([[1], right[:-1] + 1]), right)

    def share(self, times: int) -> float:
        """The share of the distinct hashes that occurs so many times."""
        sizes = self.right - self.left + 1
        return int(sizes[self.frequencies == times].sum()) / int(self.right[-1])

    def ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Logarithms of rank and frequency of both ends of each plateau: float64, shape (n, 2)."""
        ranks = np.log10(np.column_stack([self.left, self.right]))
        return ranks, np.log10(np.column_stack([self.frequencies, self.frequencies]))

    def without(self, number: int) -> Plateaus:
        return Plateaus(*(np.delete(each, number) for each in self))

    def line(self) -> Line:
        """The line through the ends."""
        x, y = (each.ravel() for each in self.ends())
        slope, start = np.polyfit(x, y, 1)
        return Line(float(slope), float(start), float(np.corrcoef(x, y)[0, 1] ** 2))

    def line_of_all(self) -> Line:
        """The line through all ranks, which the paper found to be poor: those that occur once are most of them."""
        x = np.log10(np.arange(1, int(self.right[-1]) + 1))
        y = np.repeat(np.log10(self.frequencies), self.right - self.left + 1)
        x_mean, y_mean = x.mean(), y.mean()
        x -= x_mean
        y -= y_mean
        together = float(x @ y)
        slope = together / float(x @ x)
        return Line(slope, float(y_mean - slope * x_mean), together * slope / float(y @ y))

    def aberrant(self) -> int:
        """The number of the plateau that stands out most: widest times farthest above the line, in logarithms."""
        (ranks, frequencies), line = self.ends(), self.line()
        above = frequencies[:, 0] - line.slope * ranks.mean(axis=1) - line.start
        return int(np.argmax((ranks[:, 1] - ranks[:, 0]) * above))


def picked(pages: Sequence[Page], count: int = PAGES) -> list[Page]:
    """So many of the pages, in their order: those whose paths have the smallest SHA-256."""
    digests = [hashlib.sha256(page.path.encode("utf-8", "surrogateescape")).digest() for page in pages]
    last = sorted(digests)[:count][-1]
    return [page for page, digest in zip(pages, digests, strict=True) if digest <= last]


def ranked(pages: Sequence[Page]) -> dict[str, Plateaus]:
    """The plateaus of all k-grams, and of those that each scheme keeps."""
    found = {ALL: Plateaus.of(np.concatenate(list(streams.hashes_of(pages, K))))}
    for scheme, name in SCHEMES.items():
        blocks = streams.hashes_of(pages, K)
        found[name] = Plateaus.of(np.concatenate(list(_kept(streams.selected(blocks, W, scheme)))))
    return found


def _kept(parts: Iterable[tuple[NDArray[np.uint64], NDArray[np.int64]]]) -> Iterable[NDArray[np.uint64]]:
    """The hashes that are kept. A choice behind the end of a part is found in the next one."""
    behind = np.empty(0, np.int64)
    for part, chosen in parts:
        both = np.concatenate([behind, chosen])
        yield part[both[both < len(part)]]
        behind = both[both >= len(part)] - len(part)


def result(corpus: Corpus) -> ExperimentResult:
    pages = picked(corpus.pages)
    found = ranked(pages)
    cleaned = {name: each.without(each.aberrant()) for name, each in found.items()}
    lines = {name: each.line() for name, each in cleaned.items()}
    head = (
        "",
        "k-grams",
        "distinct",
        "once",
        "twice",
        "three times",
        "the most frequent",
        "slope, cleaned",
        "r²",
        "slope, not cleaned",
        "slope, all ranks",
        "r²",
        "taken out",
    )
    rows = [
        ("paper: all k-grams", "", "", "82%", "14%", "2%", "3,270", "−0.68 or −0.70", "", "", "", "", "one plateau"),
        ("paper: winnowing", "", "", "82%", "14%", "2%", "", "−0.70 or −0.68", "", "", "", "", "one plateau"),
        *((name, *_row(each, lines[name])) for name, each in found.items()),
    ]
    apart = lines[ALL].start - lines[SELECTED].start
    told = (
        f"{len(pages):,} pages. All k-grams above winnowed ones at rank 1: {apart:.2f} in log10, a factor of "
        f"{10**apart:.2f}; paper: 1.07, a factor of 11.74"
    )
    return ExperimentResult(f"{table(head, rows)}\n\n{told}", {"ranks.svg": _plot(found, cleaned, lines)})


def _row(own: Plateaus, line: Line) -> tuple[str, ...]:
    of_all, out = own.line_of_all(), own.aberrant()
    kgrams = int((own.frequencies * (own.right - own.left + 1)).sum())
    return (
        f"{kgrams:,}",
        f"{own.right[-1]:,}",
        *(f"{own.share(times):.1%}" for times in (1, 2, 3)),
        f"{own.frequencies[0]:,}",
        f"{line.slope:.2f}".replace("-", "−"),
        f"{line.fit:.3f}",
        f"{own.line().slope:.2f}".replace("-", "−"),
        f"{of_all.slope:.2f}".replace("-", "−"),
        f"{of_all.fit:.3f}",
        f"{own.frequencies[out]:,} times, ranks {own.left[out]:,} to {own.right[out]:,}",
    )


def _plot(found: dict[str, Plateaus], cleaned: dict[str, Plateaus], lines: dict[str, Line]) -> str:
    curves = []
    for name in (ALL, SELECTED):
        slope, start, _ = lines[name]
        curves.append(Curve(f"{name}: all", _points(found[name])))
        curves.append(Curve(f"{name}: cleaned", _points(cleaned[name])))
        across = [(1.0, 10**start), (10 ** (-start / slope), 1.0)]
        curves.append(Curve(f"{name}: slope −{-slope:.2f}", across, dashed=True))
    return plot(curves, "rank of the k-gram", "how often it occurs")


def _points(own: Plateaus) -> list[tuple[float, float]]:
    ends = ((rank, frequency) for frequency, *both in zip(*own, strict=True) for rank in both)
    return [(float(rank), float(frequency)) for rank, frequency in ends]
