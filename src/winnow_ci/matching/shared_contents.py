"""Hits of a changed file → the known contents that may have a copy of it, and what each has in common with it.

Most contents with a hit have it by chance: a content may have a copy if one of its seeds says much, or all together do,
or if a seed has the same text, or if it shares a phrase that is reason enough to search around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import distinct
from winnow_ci.matching.runs import run_starts
from winnow_ci.matching.seeds import Seeds
from winnow_ci.matching.segments import CONTEXT
from winnow_ci.matching.shared_phrases import NOTHING_SHARED, phrases_by_content
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.shared_phrases import SharedPhrases

# A content is read if one seed, or all of them, say this many bits, or if the text of a seed is the same.
LEAST_SEED = 18.0
LEAST_SEEDS = 34.0
# Tokens whose text is the same say a bit each, even if their structure says nothing, as in tables.
LEAST_OF_TEXT = 1.0


class SharedContents(NamedTuple):
    """The known contents that may have a copy of a file.

    Attributes:
        contents: int64, shape (n,), rising; their numbers.
        owners: int64, one a seed, rising; which of the contents has the seed, 0 to n − 1.
        seeds: the seeds of all of them.
        phrases: what some of them share besides, by number of the content.
    """

    contents: NDArray[np.int64]
    owners: NDArray[np.int64]
    seeds: Seeds
    phrases: Mapping[int, SharedPhrases]

    def part(self, which: NDArray[np.int64]) -> SharedContents:
        """Some of the contents, given by rising numbers from 0 to n − 1."""
        kept = np.zeros(len(self.contents), np.bool_)
        kept[which] = True
        use = np.flatnonzero(kept[self.owners])
        contents = self.contents[which]
        phrases = {content: self.phrases[content] for content in contents.tolist() if content in self.phrases}
        return SharedContents(contents, (np.cumsum(kept) - 1)[self.owners[use]], self.seeds.part(use), phrases)

    def each(self) -> Iterator[tuple[int, Seeds, SharedPhrases]]:
        """Each content with its seeds and phrases."""
        edges = np.searchsorted(self.owners, np.arange(len(self.contents) + 1))
        for number, content in enumerate(self.contents.tolist()):
            seeds = self.seeds.part(slice(edges[number], edges[number + 1]))
            yield content, seeds, self.phrases.get(content, NOTHING_SHARED)


def said_by(file: FileHits, positions: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """What the structure of k-grams says: float64, bits of each, given where they begin."""
    return file.cumulative[positions + k] - file.cumulative[positions + CONTEXT]


def shared_contents(file: FileHits, k: int) -> SharedContents:
    """The known contents that may have a copy of a file, whose k-grams have the length ``k``."""
    having, seeds = _seeds(file)
    starts = run_starts(having)
    likely = np.zeros(len(having), np.bool_)
    if len(starts):
        could_be = _could_be_copies(said_by(file, seeds.positions, k), seeds.verbatim, starts)
        likely = np.repeat(could_be, np.diff(starts, append=len(having)))
    use = np.flatnonzero(likely)
    having = having[use]
    phrases = phrases_by_content(file.kgrams.phrases, file.phrase_hits)
    opened = np.array([content for content, own in phrases.items() if own.opens.any()], np.int64)
    contents, _ = distinct(np.concatenate([having[run_starts(having)], opened]))
    owners = np.searchsorted(contents, having)
    of_these = {content: phrases[content] for content in contents.tolist() if content in phrases}
    return SharedContents(contents, owners, seeds.part(use), of_these)


def _seeds(file: FileHits) -> tuple[NDArray[np.int64], Seeds]:
    """The contents of all seeds, rising, and the seeds."""
    kgrams, hits = file.kgrams, file.hits
    informative = kgrams.informative[hits.queries]
    verbatim = hits.checks == kgrams.kgrams.checks[hits.queries]
    asked = kgrams.asked[hits.queries]
    keep = np.flatnonzero(asked & (informative | (verbatim & kgrams.informative_text[hits.queries])))
    order = keep[np.argsort(hits.contents[keep], kind="stable")]
    positions = hits.queries[order]
    diagonals = hits.positions[order] - positions
    seeds = Seeds(positions, diagonals, informative[order], file.telling[positions], verbatim[order])
    return hits.contents[order].astype(np.int64), seeds


def _could_be_copies(
    said: NDArray[np.float64], verbatim: NDArray[np.bool_], starts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which contents have seeds that could come from a copy, given their bits: most are there by chance."""
    most, total = np.maximum.reduceat(said, starts), np.add.reduceat(said, starts)
    return np.asarray(
        (most >= LEAST_SEED) | (total >= LEAST_SEEDS) | np.logical_or.reduceat(verbatim, starts), np.bool_
    )
