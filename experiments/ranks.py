"""How often each fingerprint is chosen, by rank, as in the paper's Figure 4; k = 50, w = 100."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from plotting import Curve, plot
from results import ExperimentResult, table

from winnow_ci.winnowing import kgram_hashes, select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pages import Corpus, Page

K, W = 50, 100
SCHEMES = {"winnowing": "winnowing", "robust": "robust winnowing", "mod-p": "0 mod 50"}
POINTS = 100


class Ranked(NamedTuple):
    """The fingerprints of all pages.

    Attributes:
        frequencies: int64, falling: how often each fingerprint is chosen.
        slope: of the line through log frequency against log rank.
        first: the frequency that the line gives the first rank.
        fit: r² of the line.
    """

    frequencies: NDArray[np.int64]
    slope: float
    first: float
    fit: float

    def share(self, times: int) -> float:
        """The share of the distinct fingerprints that is chosen so many times."""
        return float(np.mean(self.frequencies == times))


def ranked(pages: Sequence[Page]) -> dict[str, Ranked]:
    """Select from each page by each scheme, and count."""
    chosen: dict[str, list[NDArray[np.uint64]]] = {scheme: [] for scheme in SCHEMES}
    for page in pages:
        hashes = kgram_hashes(page.ids, K)
        for scheme, parts in chosen.items():
            parts.append(hashes[select(hashes, W, scheme)])
    return {scheme: fitted(np.concatenate(parts)) for scheme, parts in chosen.items()}


def fitted(fingerprints: NDArray[np.uint64]) -> Ranked:
    """Count, and fit a power law by least squares, at ranks that are evenly far apart on a logarithmic axis.

    Without that spacing the millions at the end would be all that is fitted. What is chosen once has no rank among its
    like, and is left out.
    """
    frequencies = np.sort(np.unique(fingerprints, return_counts=True)[1])[::-1]
    ranks = _spread(int(np.sum(frequencies > 1)))
    x, y = np.log(ranks), np.log(frequencies[ranks - 1])
    slope, start = np.polyfit(x, y, 1)
    return Ranked(frequencies, float(slope), float(np.exp(start)), float(np.corrcoef(x, y)[0, 1] ** 2))


def _spread(last: int) -> NDArray[np.int64]:
    return np.unique(np.geomspace(1, last, POINTS).astype(np.int64))


def result(corpus: Corpus) -> ExperimentResult:
    found = ranked(corpus.pages)
    rows = [
        (
            name,
            f"{len(found[scheme].frequencies):,}",
            *(f"{found[scheme].share(times):.1%}" for times in (1, 2, 3)),
            f"{found[scheme].frequencies[0]:,}",
            f"{found[scheme].slope:.2f}",
            f"{found[scheme].fit:.3f}",
        )
        for scheme, name in SCHEMES.items()
    ]
    head = ("", "distinct fingerprints", "once", "twice", "three times", "the most frequent", "slope", "r²")
    return ExperimentResult(table(head, rows), {"ranks.svg": _plot(found)})


def _plot(found: dict[str, Ranked]) -> str:
    curves = []
    for scheme in ("winnowing", "mod-p"):
        frequencies, slope, first, _ = found[scheme]
        ranks = _spread(len(frequencies)).tolist()
        line = [(1.0, first), (first ** (-1 / slope), 1.0)]
        curves.append(Curve(SCHEMES[scheme], [(float(rank), float(frequencies[rank - 1])) for rank in ranks]))
        curves.append(Curve(f"{SCHEMES[scheme]}: slope −{-slope:.2f}", line, dashed=True))
    return plot(curves, "rank of the fingerprint", "how often it is chosen")
