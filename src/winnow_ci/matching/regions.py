"""Hits → regions: the stretches of a change that are like a stretch of one known content.

For each content with enough hits, seeds are extended to segments and segments chained over small edits; chains that
are evidence enough (``evidence``) become regions. This is done in three views:

- structural, from seeds whose structure carries information: copies with names changed;
- verbatim, from those of them whose text is equal, and whose structure not everybody has: a verbatim run inside looser
  code must not be missed;
- verbatim, from seeds that carry information at least as text: long tables of names and strings.

The guarantee: every informative verbatim run of t = k + w − 1 tokens is reported. Such a run holds a fingerprint of the
content whose k-gram is equal here, so it has a seed, and its segment has t tokens, which is evidence enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.chaining import CONTEXT
from winnow_ci.matching.comparison import Comparison, Seeds
from winnow_ci.matching.evidence import Judge
from winnow_ci.matching.idioms import is_idiom
from winnow_ci.matching.joining import joined
from winnow_ci.matching.runs import runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.evidence import Candidate, Query, Thresholds
    from winnow_ci.model import Hits, Parameters, Region, TokenMap

AROUND = 400
# What one seed, or all of them, must say for a content to be read, in bits, unless its text is the same.
LEAST_SEED = 22.0
LEAST_SEEDS = 40.0
VERBATIM_GAIN = 1.15
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
    for content, seeds in _by_content(query, hits, parameters.k):
        comparison = Comparison(query, token_map(content), content, seeds, parameters.k)
        structural = joined(comparison.structural(), judge.score, comparison.candidate)
        shapes += structural
        copies[content] = [candidate for candidate in structural if judge.is_renamed_copy(candidate)]
        copies[content] += filter(judge.is_verbatim_copy, comparison.verbatim())
    return [region for found in copies.values() for region in _regions(found, shapes, judge)]


def score(region: Region) -> int:
    """How good a region is: tokens that are the very same count for four, since others go on by chance."""
    return region.matched + 3 * region.matched_verbatim


def _by_content(query: Query, hits: Hits, k: int) -> Iterator[tuple[int, Seeds]]:
    """The seeds of each content, as far as they are near added lines."""
    informative = query.informative[hits.queries]
    verbatim = hits.checks == query.kgrams.checks[hits.queries]
    near = _near_added(query)[hits.queries]
    keep = np.flatnonzero(near & (informative | (verbatim & query.informative_text[hits.queries])))
    order = keep[np.argsort(hits.contents[keep], kind="stable")]
    positions = hits.queries[order]
    telling = query.telling[positions]
    seeds = Seeds(positions, hits.positions[order] - positions, informative[order], telling, verbatim[order])
    said = query.cumulative[positions + k] - query.cumulative[positions + CONTEXT]
    for content, start, end in runs(hits.contents[order]):
        if seeds.verbatim[start:end].any() or _says_enough(said[start:end]):
            yield content, seeds.part(start, end)


def _says_enough(said: NDArray[np.float64]) -> bool:
    """Whether the seeds of a content, given what each says in bits, could be of a copy: most are there by chance."""
    return bool(said.max() >= LEAST_SEED or said.sum() >= LEAST_SEEDS)


def _near_added(query: Query) -> NDArray[np.bool_]:
    """Which tokens are so near an added line that a copy on added lines may have a seed there."""
    edges = np.diff(query.added, prepend=False, append=False)
    starts, ends = np.flatnonzero(edges).reshape(-1, 2).T
    change = np.zeros(len(query.added) + 1, np.int64)
    np.add.at(change, np.maximum(starts - AROUND, 0), 1)
    np.add.at(change, np.minimum(ends + AROUND, len(query.added)), -1)
    return np.asarray(change.cumsum()[:-1] > 0, np.bool_)


def _regions(copies: Sequence[Candidate], shapes: Sequence[Candidate], judge: Judge) -> list[Region]:
    """The best of copies that overlap in the change, without idioms."""
    kept: list[Region] = []
    for copy in sorted(copies, key=_rank):
        if any(shared(copy.region, other) > OVERLAP for other in kept):
            continue
        if not judge.could_be_idiom(copy) or not is_idiom(copy, shapes):
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
