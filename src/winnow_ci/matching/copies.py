"""Seeds → regions: the stretches of a change that are like a stretch of one known content.

For each content that may have a copy (``shared_contents``), seeds are extended to segments, and segments are chained
over small edits. Chains that are evidence enough (``judge``) become regions. There are three views:

- structural, from seeds whose structure is informative, or whose text is informative and equal: changed copies;
- verbatim, from seeds with equal text and uncommon structure: a verbatim run inside looser code must not be missed;
- verbatim, from all seeds with equal text: long tables of names and strings.

The guarantee: every informative verbatim run of t = k + w − 1 tokens is reported. Such a run holds a fingerprint of the
content whose k-gram is equal here, so it has a seed, and its segment has t tokens, which is evidence enough.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.matching.alignment import Alignment
from winnow_ci.matching.classes import CLASSES
from winnow_ci.matching.judge import Judge
from winnow_ci.matching.native_regions import TOGETHER
from winnow_ci.matching.neighbourhoods import SHORTEST
from winnow_ci.matching.overlaps import Overlaps
from winnow_ci.matching.region_tokens import region_tokens
from winnow_ci.matching.reordering import joined
from winnow_ci.matching.segments import Segment
from winnow_ci.matching.signs import counted
from winnow_ci.matching.thresholds import LEAST_SCORE
from winnow_ci.matching.trimming import MOST_STRAY
from winnow_ci.matching.ungapped import ContentSeeds, QueryBits, promising
from winnow_ci.model import TokenMap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from winnow_ci.matching.candidate import Candidate
    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.seeds import Seeds
    from winnow_ci.matching.shared_contents import SharedContents
    from winnow_ci.matching.thresholds import Thresholds
    from winnow_ci.model import Parameters
    from winnow_ci.model.regions import Region

    # What would be reported, and what it is made of.
    _Copy: TypeAlias = tuple[Region, Candidate]

# A region that is verbatim throughout ranks as if it said this many times as much.
VERBATIM_GAIN = 1.05


def regions_of(
    file: FileHits,
    shared: SharedContents,
    token_map: Callable[[int], TokenMap],
    parameters: Parameters,
    thresholds: Thresholds,
) -> list[Region]:
    """What ``regions.find_regions`` finds."""
    judge = Judge(file, parameters, thresholds)
    classes = CLASSES[file.tokens.sketch]
    copies: list[Region] = []
    contents = shared.each()
    while some := list(islice(contents, TOGETHER)):
        maps = [token_map(content) for content, _, _ in some]
        promised = _promised(file, maps, [seeds for _, seeds, _ in some], parameters.k)
        aligned = [
            Alignment(file, classes, there, content, seeds.by_diagonal(), parameters.k, phrases)
            for (content, seeds, phrases), there in zip(some, maps, strict=True)
        ]
        for alignment, scored in zip(aligned, _scored(aligned, promised, judge), strict=True):
            structural = joined(scored, judge.score, alignment.candidate)
            found = [*_renamed(structural, alignment, judge), *_verbatim(alignment, judge)]
            copies += _counted(*_without_worse(found, alignment, judge), alignment, judge)
    return copies


def whole_file_of(file: FileHits, content: int, seeds: Seeds, parameters: Parameters, thresholds: Thresholds) -> Region:
    """The verbatim region of all tokens of a file, which a content has, too: ``whole_files.whole_file``."""
    tokens, judge = file.tokens, Judge(file, parameters, thresholds)
    there = TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch)
    alignment = Alignment(file, CLASSES[tokens.sketch], there, content, seeds.by_diagonal(), parameters.k)
    candidate = alignment.candidate((Segment(0, len(tokens), 0, len(seeds.positions)),))
    return counted(alignment.region(candidate, "verbatim", judge.score(candidate)), candidate, there, judge)


def _promised(file: FileHits, theirs: Iterable[TokenMap], seeds: Iterable[Seeds], k: int) -> list[frozenset[int]]:
    """The promising diagonals of each content."""
    places = [
        ContentSeeds(there.sketch, own.positions[own.structural], own.diagonals[own.structural])
        for there, own in zip(theirs, seeds, strict=True)
    ]
    return promising(QueryBits(file.tokens.sketch, file.token_bits, file.new_literal_bits), places, k)


def _scored(
    aligned: Iterable[Alignment], promised: Iterable[frozenset[int]], judge: Judge
) -> list[list[tuple[float, Candidate]]]:
    """The structural candidates of each content with their scores."""
    if judge.thresholds.renamed is None:
        return [[] for _ in aligned]
    found = [alignment.structural(diagonals) for alignment, diagonals in zip(aligned, promised, strict=True)]
    scores = iter(judge.scores([candidate for of_content in found for candidate in of_content]))
    return [[(next(scores), candidate) for candidate in of_content] for of_content in found]


def _renamed(structural: Iterable[tuple[Candidate, float]], alignment: Alignment, judge: Judge) -> Iterator[_Copy]:
    for candidate, bits in structural:
        if bits >= LEAST_SCORE:
            region = alignment.region(candidate, "renamed", bits)
            if judge.is_enough(candidate, region):
                yield region, candidate


def _verbatim(alignment: Alignment, judge: Judge) -> list[_Copy]:
    least, candidates = judge.thresholds.verbatim, alignment.verbatim(judge.may_be_verbatim_copy)
    found = [(alignment.region(candidate, "verbatim", 0.0, least), candidate) for candidate in candidates]
    copies = [(region, candidate) for region, candidate in found if judge.is_verbatim_copy(candidate, region)]
    scores = judge.scores([candidate for _, candidate in copies])
    return [(region._replace(bits=bits), candidate) for (region, candidate), bits in zip(copies, scores, strict=True)]


def _without_worse(
    copies: Iterable[_Copy], alignment: Alignment, judge: Judge
) -> tuple[Iterable[_Copy], Iterable[_Copy]]:
    """The copies of one content to keep, best first, and those that better copies hide.

    A copy that is verbatim throughout stays if it has text that better verbatim ones do not have, more than stray
    tokens on their lines. Of any other, what overlaps better ones is no evidence: the rest has to be enough.
    """
    kept: Overlaps[Region] = Overlaps()
    left: list[_Copy] = []
    hidden: list[_Copy] = []
    tokens = alignment.file.tokens
    text, lines = np.zeros(len(tokens), np.bool_), np.zeros(int(tokens.first_lines[-1]) + 1, np.bool_)
    for region, candidate in sorted(copies, key=_rank):
        found: _Copy | None = (region, candidate)
        if _is_verbatim_throughout(region):
            same = _same(region)
            new = same[~text[same]]
            if len(new) <= MOST_STRAY and lines[tokens.first_lines[new]].all():
                hidden.append((region, candidate))
                found = None
        elif any(kept.over(region.start, region.end)):
            found = _rest(candidate, kept, alignment, judge)
        if found:
            kept.add(found[0].start, found[0].end, found[0])
            if found[0].kind == "verbatim":
                same = _same(found[0])
                text[same] = lines[tokens.first_lines[same]] = True
            left.append(found)
    return left, hidden


def _counted(left: Iterable[_Copy], hidden: Iterable[_Copy], alignment: Alignment, judge: Judge) -> Iterator[Region]:
    """The regions that are left, counted; one holds a guaranteed run if it hides one."""
    runs = [one for one in (counted(*copy, alignment.there, judge) for copy in hidden) if one.is_run]
    for region in (counted(*copy, alignment.there, judge) for copy in left):
        hides = any(run.start < region.end and region.start < run.end for run in runs)
        yield region._replace(is_run=region.is_run or hides)


def _same(region: Region) -> NDArray[np.int64]:
    """The tokens whose text is the same on both sides."""
    here, _, same = region_tokens(region)
    return here[same]


def _rest(candidate: Candidate, kept: Overlaps[Region], alignment: Alignment, judge: Judge) -> _Copy | None:
    """The part of a candidate beside better regions, if it is evidence of a copy by itself."""
    parts = [rest for part in candidate.segments for rest in _beside(part, kept.over(part.start, part.end))]
    if not parts:
        return None
    rest = alignment.candidate(tuple(parts))
    bits = judge.score(rest)
    region = alignment.region(rest, "renamed", bits)
    return (region, rest) if bits >= LEAST_SCORE and judge.is_enough(rest, region) else None


def _beside(segment: Segment, kept: Iterable[Region]) -> list[Segment]:
    """The parts of a segment outside of regions, in the change."""
    parts = [segment] if segment.end - segment.start >= SHORTEST else []
    for region in kept:
        before = [part._replace(end=min(part.end, region.start)) for part in parts]
        after = [part._replace(start=max(part.start, region.end)) for part in parts]
        parts = [part for part in (*before, *after) if part.end - part.start >= SHORTEST]
    return sorted(parts)


def _is_verbatim_throughout(region: Region) -> bool:
    return region.matched == region.matched_verbatim


def _rank(copy: _Copy) -> tuple[float, int, int]:
    """Put first what says most; a verbatim copy before a longer view of it that says hardly more."""
    region, _ = copy
    gain = VERBATIM_GAIN if _is_verbatim_throughout(region) else 1
    return -gain * region.bits, region.start, region.source_start
