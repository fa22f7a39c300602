"""The experiments: what each is about, and what it takes."""

from __future__ import annotations

from typing import NamedTuple

from results import table

PAGES = "130 MB, apt"
BOTH = "130 MB, apt; 3 MB, PyPI"


class Experiment(NamedTuple):
    """What an experiment takes, about.

    Attributes:
        about: what it measures.
        minutes: time of a processor, after data was fetched; with pages, one of them to read these.
        memory: in GB, at most.
        download: how much, from where; empty if it makes its data itself.
    """

    about: str
    minutes: float
    memory: float
    download: str = ""


EXPERIMENTS = {
    "random-text": Experiment("density on 8 MB of random text", 0.1, 0.5),
    "rolling": Experiment("rolling hashes against hashes from scratch", 0.2, 0.3),
    "real-text": Experiment("Figure 3: web pages as one stream, and page by page", 4, 1.5, PAGES),
    "ranks": Experiment("Figure 4: frequency by rank, all k-grams and winnowed ones", 2, 3, PAGES),
    "empty-runs": Experiment("runs without a fingerprint at the density of winnowing", 1, 1.5, PAGES),
    "zero-mod-p": Experiment("0 mod p with the guarantee", 1, 1.5, PAGES),
    "lower-bounds": Experiment("all selections and later schemes against the lower bounds", 1, 0.5),
    "sketches": Experiment("a sketch of m / √W entries, asked for every item", 2, 1.5, BOTH),
    "sketch-pairs": Experiment(
        "two sketches against each other; real code, Broder, 0 mod p, winnowing", 2, 0.5, "3 MB, PyPI"
    ),
    "planted": Experiment("what a sketch promises, on 30,000 planted windows", 14, 0.5),
}


def listed() -> str:
    """A table of all."""
    rows = (
        (name, each.about, f"{each.minutes:g}", f"{each.memory:g}", each.download) for name, each in EXPERIMENTS.items()
    )
    return table(("experiment", "about", "minutes", "GB", "download"), rows)
