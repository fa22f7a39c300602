"""Hits → regions: the stretches of a change that are like a stretch of one known content.

For each content with enough hits, seeds are extended to segments and segments chained over small edits; chains that
are evidence enough (``evidence``) become regions. This is done in three views:

- structural, from seeds whose structure carries information: copies with names changed;
- verbatim, from those of them whose text is equal: a verbatim run inside looser code must not be missed;
- verbatim, from seeds that carry information at least as text: long tables of names and strings.

The guarantee: every informative verbatim run of t = k + w − 1 tokens is reported. Such a run holds a fingerprint of the
content whose k-gram is equal here, so it has a seed, and its segment has t tokens, which is evidence enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from winnow_ci.matching.chaining import LONGEST_GAP, Chain, chains
from winnow_ci.matching.edges import without_stray_ends
from winnow_ci.matching.evidence import CLASSES, Candidate, Judge
from winnow_ci.matching.idioms import is_idiom
from winnow_ci.matching.runs import runs
from winnow_ci.matching.segments import segments
from winnow_ci.model import Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.evidence import Query, Thresholds
    from winnow_ci.model import Hits, Kind, Parameters, TokenMap

MANY_SEEDS = 100
NEAR = 512
VERBATIM_GAIN = 1.1
# From this share of equal text on, equal structure is a verbatim copy with a few edits.
SAME_TEXT = 0.95
# Regions of one content may share a few chance tokens at their edges, but no more of them than this.
OVERLAP = 0.25


def find_regions(
    query: Query,
    hits: Hits,
    token_map: Callable[[int], TokenMap],
    parameters: Parameters,
    thresholds: Thresholds,
) -> list[Region]:
    """Find what a changed file has in common with known contents.

    Args:
        query: the changed file.
        hits: places of its k-grams; ``hits.queries`` number the k-grams.
        token_map: gives a content's tokens.
        parameters: of the fingerprints on both sides.
        thresholds: the least length of a region.

    Returns:
        Regions of all contents, in no particular order; those of one content hardly overlap.
    """
    judge = Judge(query, parameters, thresholds)
    shapes: list[Candidate] = []
    copies: dict[int, list[Candidate]] = {}
    for content, seeds in _by_content(query, hits):
        match = _Match(query, token_map(content), content, parameters.k)
        structural = match.structural(seeds, thresholds.renamed)
        shapes += structural
        copies[content] = [candidate for candidate in structural if judge.is_renamed_copy(candidate)]
        copies[content] += filter(judge.is_verbatim_copy, match.verbatim(seeds))
    return [region for found in copies.values() for region in _regions(found, shapes)]


def score(region: Region) -> int:
    """How good a region is: verbatim tokens count twice."""
    return region.matched + region.matched_verbatim


class _Seeds(NamedTuple):
    """K-grams of the change with an equal one in one content; arrays with one element a seed."""

    positions: NDArray[np.int64]
    diagonals: NDArray[np.int64]
    informative: NDArray[np.bool_]
    verbatim: NDArray[np.bool_]

    def part(self, start: int, end: int) -> _Seeds:
        part = slice(start, end)
        return _Seeds(self.positions[part], self.diagonals[part], self.informative[part], self.verbatim[part])


def _by_content(query: Query, hits: Hits) -> Iterator[tuple[int, _Seeds]]:
    """The seeds of each content that has more than a stray one."""
    informative = query.informative[hits.queries]
    verbatim = hits.checks == query.kgrams.checks[hits.queries]
    keep = np.flatnonzero(informative | (verbatim & query.informative_text[hits.queries]))
    order = keep[np.argsort(hits.contents[keep], kind="stable")]
    positions = hits.queries[order]
    seeds = _Seeds(positions, hits.positions[order] - positions, informative[order], verbatim[order])
    for content, start, end in runs(hits.contents[order]):
        mine = seeds.part(start, end)
        if mine.verbatim.any() or _could_chain(mine):
            yield content, mine


def _could_chain(seeds: _Seeds) -> bool:
    """Whether two seeds could be in one chain: one seed alone is too short for a renamed region.

    In a chain, neighbouring seeds stand on nearby diagonals, and near each other. Most contents have but a few seeds,
    scattered by chance, and end here.
    """
    count = len(seeds.positions)
    if count == 1 or count > MANY_SEEDS:
        return count > 1
    apart = np.abs(seeds.positions[:, None] - seeds.positions)
    shifted = np.abs(seeds.diagonals[:, None] - seeds.diagonals)
    return bool(((apart > 0) & (apart <= NEAR) & (shifted <= LONGEST_GAP)).any())


class _Match(NamedTuple):
    """A change beside one known content."""

    query: Query
    there: TokenMap
    content: int
    k: int

    def structural(self, seeds: _Seeds, least: int) -> list[Candidate]:
        """Chains of equal structure, of more than one seed; none if all together are shorter than ``least`` tokens."""
        here, there, use = CLASSES[self.query.tokens.sketch], CLASSES[self.there.sketch], seeds.informative
        found = segments(here, there, seeds.positions[use], seeds.diagonals[use], self.k)
        if sum(segment.end - segment.start for segment in found) < least:
            return []
        return [self._candidate(chain, "renamed", by_text=False) for chain in chains(found) if chain.seeds > 1]

    def verbatim(self, seeds: _Seeds) -> Iterator[Candidate]:
        """Chains of equal text: from seeds informative as they are, and from all."""
        here, there = self.query.tokens.sketch, self.there.sketch
        for use, by_text in ((seeds.verbatim & seeds.informative, False), (seeds.verbatim, True)):
            found = segments(here, there, seeds.positions[use], seeds.diagonals[use], self.k)
            yield from (self._candidate(chain, "verbatim", by_text=by_text) for chain in chains(found))

    def _candidate(self, chain: Chain, kind: Kind, *, by_text: bool) -> Candidate:
        here, there = self._pairs(chain)
        longest = max(part.end - part.start for part in chain.segments)
        same = int((self.query.tokens.sketch[here] == there).sum())
        kind = "verbatim" if same >= SAME_TEXT * len(here) else kind
        return Candidate(self._region(chain, kind), here, there, longest, by_text)

    def _pairs(self, chain: Chain) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Numbers of the matched tokens, and what stands there in the content."""
        here = np.concatenate([np.arange(part.start, part.end) for part in chain.segments])
        there = np.concatenate([self.there.sketch[slice(*part.span_there)] for part in chain.segments])
        return here, there

    def _region(self, chain: Chain, kind: Kind) -> Region:
        """What is told of a chain: without the chance tokens at its ends, which count as evidence nevertheless."""
        chain = without_stray_ends(chain, self.query.tokens.first_lines, self.k)
        here, there = self._pairs(chain)
        return Region(
            content=self.content,
            start=chain.start,
            end=chain.end,
            source_start=chain.segments[0].span_there[0],
            source_end=chain.segments[-1].span_there[1],
            matched=len(here),
            matched_verbatim=int((self.query.tokens.sketch[here] == there).sum()),
            fingerprints=chain.seeds,
            kind=kind,
        )


def _regions(copies: Sequence[Candidate], shapes: Sequence[Candidate]) -> list[Region]:
    """The best of copies that overlap in the change, without idioms."""
    kept: list[Region] = []
    for copy in sorted(copies, key=_rank):
        if any(shared(copy.region, other) > OVERLAP for other in kept):
            continue
        if copy.region.kind == "verbatim" or not is_idiom(copy, shapes):
            kept.append(copy.region)
    return kept


def shared(region: Region, other: Region) -> float:
    """The share of a region that lies in another."""
    return (min(region.end, other.end) - max(region.start, other.start)) / region.tokens


def _rank(copy: Candidate) -> tuple[float, int, int]:
    """Best first; of a copy seen in two views, the verbatim one has the truer edges though it may be a bit shorter."""
    region = copy.region
    gain = VERBATIM_GAIN if region.matched == region.matched_verbatim else 1
    return -gain * score(region), region.start, region.source_start
