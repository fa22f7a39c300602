"""Turn seeds into regions, the stretches of a change that resemble one known content: what the kernel does, defined.

For each content that may have a copy (``hits``), seeds are extended to segments (``extension``), and segments are
chained over small edits. Chains that are evidence enough (``judge``) become regions, without chance
tokens at their ends. There are three views:

- structural, from seeds whose structure is informative, or whose text is informative and equal: changed copies;
- verbatim, from seeds with equal text and uncommon structure: a verbatim run inside looser code must not be missed;
- verbatim, from all seeds with equal text: long tables of names and strings.

The guarantee: every informative verbatim run of t = k + w − 1 tokens is reported. Such a run holds a fingerprint of the
content whose k-gram is equal here, so it has a seed, and its segment has t tokens, which is evidence enough.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from winnow_ci.matching import constants
from winnow_ci.matching.extension import (
    CLASSES,
    Segment,
    chains,
    neighbourhoods,
    promising,
    runs_around,
    segments,
    without_loose_ends,
    without_stray_ends,
)
from winnow_ci.matching.hits import NOTHING_SHARED
from winnow_ci.matching.judge import Candidate, anchors, joined, layout, matched, phrases_said, with_signs
from winnow_ci.matching.region_tokens import region_tokens
from winnow_ci.model import TokenMap
from winnow_ci.model.regions import Region, Stretch
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.matching.extension import Chain
    from winnow_ci.matching.hits import FileHits, Seeds, SharedContents, SharedPhrases
    from winnow_ci.matching.judge import Judge
    from winnow_ci.model import Kind

    # What would be reported, and what it is made of.
    _Copy: TypeAlias = tuple[Region, Candidate]


def regions_of(judge: Judge, shared: SharedContents, token_map: Callable[[int], TokenMap]) -> list[Region]:
    """Find what ``regions.find_regions`` finds."""
    copies: list[Region] = []
    for content, seeds, phrases in shared.each():
        pair = Alignment(judge, content, token_map(content), seeds, phrases)
        left, hidden = _without_worse([*_structural(pair), *_verbatim(pair)], pair)
        copies += _counted(left, hidden, pair)
    return copies


def whole_file_of(judge: Judge, content: int, seeds: Seeds) -> Region:
    """Make the verbatim region of all tokens of a file, which a content has, too."""
    tokens = judge.file.tokens
    there = TokenMap(tokens.first_lines, tokens.last_lines, tokens.sketch)
    pair = Alignment(judge, content, there, seeds, NOTHING_SHARED)
    candidate = pair.candidate((Segment(0, len(tokens), 0, len(seeds.positions)),))
    return with_signs(pair.region(candidate, "verbatim", judge.score(candidate)), candidate, there, judge)


class Alignment(NamedTuple):
    """A changed file beside one known content."""

    judge: Judge  # of the changed file
    content: int  # number of the content
    there: TokenMap  # its tokens
    seeds: Seeds  # k-grams that both have
    shared: SharedPhrases  # phrases that both have

    @property
    def file(self) -> FileHits:
        """The changed file."""
        return self.judge.file

    @property
    def k(self) -> int:
        """Length of a seed."""
        return self.judge.parameters.k

    def structural(self, diagonals: frozenset[int]) -> list[Candidate]:
        """Chain equal structure, in neighbourhoods that hold a promising diagonal or a shared phrase."""
        opened = anchors(self.shared)
        if not diagonals and not opened:
            return []
        here, there = CLASSES[self.file.tokens.sketch], CLASSES[self.there.sketch]
        found = segments(here, there, self.seeds.part(np.flatnonzero(self.seeds.structural)), self.k)
        chained: list[Chain] = []
        for group in neighbourhoods(sorted([*found, *opened])):
            if any(part.start == part.end or part.diagonal in diagonals for part in group):
                around = runs_around(here, there, group, self.file.cumulative)
                texts = [self._text(part) for part in around]
                chained += chains(around, self.file.cumulative, constants.LEAST_WORTH, texts)
        return [self.candidate(chain) for chain in chained]

    def verbatim(self) -> list[Candidate]:
        """Chain equal text: from seeds with telling structure, and from all seeds.

        A chain has each token of the source once, and the same text may be copied twice: each run is a chain, too.
        """
        seeds = self.seeds
        return [
            *(self.candidate(chain) for chain in self._chains_of_text(seeds.verbatim & seeds.telling)),
            *(self.candidate(chain, by_text=True) for chain in self._chains_of_text(seeds.verbatim)),
        ]

    def _chains_of_text(self, which: NDArray[np.bool_]) -> Iterator[Chain]:
        seeds, count = self.seeds.part(np.flatnonzero(which)), len(self.file.tokens)
        found = segments(self.file.tokens.sketch, self.there.sketch, seeds, self.k)
        bits = np.arange(count + 1, dtype=np.float64) * constants.VERBATIM_BITS
        best = chains(found, bits, most=constants.MOST_VERBATIM, most_shared=1.0)
        longest = sorted(found, key=lambda run: -run.tokens)[: constants.MOST_VERBATIM]
        covered = np.zeros(count, np.bool_)
        for chain in (*best, *((run,) for run in longest)):
            tokens = np.concatenate([np.arange(part.start, part.end) for part in chain])
            if not covered[tokens].all():
                covered[tokens] = True
                yield chain

    def candidate(self, parts: Chain, *, by_text: bool = False) -> Candidate:
        """Make a candidate of segments, which are ordered by start."""
        here, there = matched(parts, self.there)
        said = phrases_said(self.shared, parts, here[self.file.tokens.sketch[here] == there])
        return Candidate(tuple(parts), here, there, *layout(self.file.tokens, self.there, parts), by_text, said)

    def region(self, candidate: Candidate, kind: Kind, bits: float, least: int = 0) -> Region:
        """Make the region to report for a candidate: without the chance tokens at its ends, which count as evidence.

        The ends stay if fewer than ``least`` tokens would be left. What is nearly all verbatim has that kind.
        """
        lines = self.file.tokens.first_lines
        firm = without_loose_ends(candidate.segments, lines, self.there.first_lines, self._worth)
        parts = without_stray_ends(firm, lines, self.k)
        if sum(part.tokens for part in parts) < least:
            parts = candidate.segments
        here, there = matched(parts, self.there)
        is_same = self.file.tokens.sketch[here] == there
        same = int(is_same.sum())
        return Region(
            content=self.content,
            start=parts[0].start,
            end=parts[-1].end,
            source_start=min(part.span_there[0] for part in parts),
            source_end=max(part.span_there[1] for part in parts),
            matched=len(here),
            matched_verbatim=same,
            fingerprints=sum(map(self._seeds_inside, parts)),
            kind="verbatim" if same >= constants.SAME_TEXT * len(here) else kind,
            stretches=tuple(Stretch(part.start, part.span_there[0], part.tokens) for part in parts),
            bits=bits,
            same=np.packbits(is_same).tobytes(),
        )

    def _seeds_inside(self, part: Segment) -> int:
        positions = self.seeds.positions[self.seeds.diagonals == part.diagonal]
        return int(((positions >= part.start) & (positions <= part.end - self.k)).sum())

    def _worth(self, part: Segment) -> float:
        """Weigh a segment by its structure and its text, in bits; a k-gram of equal text is no chance."""
        if part.tokens >= self.k and self._same(part).all():
            return inf
        structure = self.file.cumulative[part.end] - self.file.cumulative[min(part.start + constants.CONTEXT, part.end)]
        return float(structure) + self._text(part)

    def _text(self, part: Segment) -> float:
        """Weigh the text of a segment that is equal on both sides, in bits."""
        return float(self.file.new_literal_bits[part.start : part.end][self._same(part)].sum())

    def _same(self, part: Segment) -> NDArray[np.bool_]:
        here, there = self.file.tokens.sketch[part.start : part.end], self.there.sketch[slice(*part.span_there)]
        return np.asarray(here == there, np.bool_)


def _structural(pair: Alignment) -> Iterator[_Copy]:
    if pair.judge.thresholds.renamed is None:
        return
    diagonals = promising(pair.file, pair.there.sketch, pair.seeds, pair.k)
    for candidate, bits in joined(pair.structural(diagonals), pair.judge.score, pair.candidate):
        yield from _if_enough(candidate, bits, pair)


def _if_enough(candidate: Candidate, bits: float, pair: Alignment) -> Iterator[_Copy]:
    """Yield a structural candidate as it would be reported, if it may be a copy."""
    if bits >= constants.LEAST_SCORE:
        region = pair.region(candidate, "renamed", bits)
        if pair.judge.is_enough(candidate, region):
            yield region, candidate


def _verbatim(pair: Alignment) -> Iterator[_Copy]:
    for candidate in pair.verbatim():
        region = pair.region(candidate, "verbatim", pair.judge.score(candidate), pair.judge.thresholds.verbatim)
        if pair.judge.is_verbatim_copy(candidate, region):
            yield region, candidate


def _without_worse(copies: Iterable[_Copy], pair: Alignment) -> tuple[list[_Copy], list[_Copy]]:
    """Return the copies of one content to keep, best first, and those that better copies hide.

    A copy that is verbatim throughout stays if it has text that better verbatim ones do not have, more than stray
    tokens on their lines. Of any other, what overlaps better ones is no evidence: the rest has to be enough.
    """
    left: list[_Copy] = []
    hidden: list[_Copy] = []
    tokens = pair.file.tokens
    text, lines = np.zeros(len(tokens), np.bool_), np.zeros(int(tokens.first_lines[-1]) + 1, np.bool_)
    for region, candidate in sorted(copies, key=_rank):
        found: list[_Copy] = [(region, candidate)]
        if _is_verbatim_throughout(region):
            same = _same_tokens(region)
            new = same[~text[same]]
            if len(new) <= constants.MOST_STRAY and lines[tokens.first_lines[new]].all():
                hidden.append((region, candidate))
                found = []
        elif any(other.start < region.end and region.start < other.end for other, _ in left):
            found = list(_rest(candidate, [other for other, _ in left], pair))
        for one, _ in found:
            if one.kind == "verbatim":
                same = _same_tokens(one)
                text[same] = lines[tokens.first_lines[same]] = True
        left += found
    return left, hidden


def _counted(left: Iterable[_Copy], hidden: Iterable[_Copy], pair: Alignment) -> Iterator[Region]:
    """Count what speaks for the regions that are left; one holds a guaranteed run if it hides one."""
    runs = [one for one in (with_signs(*copy, pair.there, pair.judge) for copy in hidden) if one.is_run]
    for region in (with_signs(*copy, pair.there, pair.judge) for copy in left):
        hides = any(run.start < region.end and region.start < run.end for run in runs)
        yield region._replace(is_run=region.is_run or hides)


def _same_tokens(region: Region) -> NDArray[np.int64]:
    """Return the tokens whose text is the same on both sides."""
    here, _, same = region_tokens(region)
    return here[same]


def _rest(candidate: Candidate, kept: Sequence[Region], pair: Alignment) -> Iterator[_Copy]:
    """Yield the part of a candidate beside better regions, if it is evidence of a copy by itself."""
    if parts := tuple(rest for part in candidate.segments for rest in _beside(part, kept)):
        rest = pair.candidate(parts)
        yield from _if_enough(rest, pair.judge.score(rest), pair)


def _beside(segment: Segment, kept: Iterable[Region]) -> list[Segment]:
    """Return the parts of a segment outside of regions, in the change."""
    parts = [segment] if segment.tokens >= constants.SHORTEST else []
    for region in kept:
        before = [part._replace(end=min(part.end, region.start)) for part in parts]
        after = [part._replace(start=max(part.start, region.end)) for part in parts]
        parts = [part for part in (*before, *after) if part.tokens >= constants.SHORTEST]
    return sorted(parts)


def _is_verbatim_throughout(region: Region) -> bool:
    return region.matched == region.matched_verbatim


def _rank(copy: _Copy) -> tuple[float, int, int]:
    """Put first what says most; a verbatim copy before a longer view of it that says hardly more."""
    region, _ = copy
    gain = constants.VERBATIM_GAIN if _is_verbatim_throughout(region) else 1
    return -gain * region.bits, region.start, region.source_start
