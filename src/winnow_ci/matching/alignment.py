"""A changed file aligned with one known content: seeds → candidates."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import ranges, sums
from winnow_ci.matching.candidate import NOTHING_SAID, Candidate
from winnow_ci.matching.chaining import chains
from winnow_ci.matching.classes import CLASSES
from winnow_ci.matching.layout import layouts
from winnow_ci.matching.neighbourhoods import neighbourhoods, runs_around
from winnow_ci.matching.segments import CONTEXT, columns, segments
from winnow_ci.matching.shared_phrases import NOTHING_SHARED
from winnow_ci.matching.thresholds import SAME_TEXT
from winnow_ci.matching.trimming import without_loose_ends, without_stray_ends
from winnow_ci.model.regions import Region, Stretch
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from winnow_ci.matching.chaining import Chain
    from winnow_ci.matching.file_hits import FileHits
    from winnow_ci.matching.seeds import Seeds
    from winnow_ci.matching.segments import Segment
    from winnow_ci.matching.shared_phrases import PhraseBits, SharedPhrases
    from winnow_ci.model import Kind, TokenMap

    # Is asked of segments, and of whether only their text is evidence.
    MayBeCopy: TypeAlias = Callable[[Sequence[Segment], bool], bool]

# The least worth of a chain that is judged, in bits.
LEAST_WORTH = 20.0
# The worth of a token of a verbatim chain, in bits.
VERBATIM_BITS = 1.7
# Verbatim chains of one content at most; ordinary changes have a few.
MOST_VERBATIM = 128


class Alignment(NamedTuple):
    """A changed file beside one known content.

    Attributes:
        file: the change.
        classes: uint8; the structural class of each of its tokens.
        there: tokens of the content.
        content: its number.
        seeds: what both have, ordered by diagonal.
        k: length of a seed.
        shared: phrases that both have.
    """

    file: FileHits
    classes: NDArray[np.uint8]
    there: TokenMap
    content: int
    seeds: Seeds
    k: int
    shared: SharedPhrases = NOTHING_SHARED

    def structural(self, promising: frozenset[int]) -> list[Candidate]:
        """Chains of equal structure, in neighbourhoods that hold a promising diagonal or a shared phrase."""
        anchors = self.shared.anchors()
        if not promising and not anchors:
            return []
        found: list[Chain] = []
        here, there, use = self.classes, CLASSES[self.there.sketch], self.seeds.structural
        cumulative = self.file.cumulative
        seeds = segments(here, there, self.seeds.positions[use], self.seeds.diagonals[use], self.k)
        for group in neighbourhoods(sorted([*seeds, *anchors]) if anchors else seeds):
            if any(segment.start == segment.end or segment.diagonal in promising for segment in group):
                around = runs_around(here, there, group, cumulative)
                found += chains(around, cumulative, LEAST_WORTH, self._texts(around))
        return self.candidates(found)

    def _texts(self, parts: Sequence[Segment]) -> NDArray[np.float64]:
        """What the text that is equal on both sides says: float64, bits of each segment."""
        if not parts:
            return np.zeros(0)
        here, there = self._pairs(parts)
        same = self.file.tokens.sketch[here] == there
        edges = list(accumulate((part.end - part.start for part in parts), initial=0))
        return sums(self.file.new_literal_bits[here[same]], np.diff(np.append(0, np.cumsum(same))[edges]))

    def verbatim(self, may_be_copy: MayBeCopy) -> list[Candidate]:
        """Chains of equal text: from seeds with telling structure, and from all seeds.

        A chain has each token of the source once. So a run of which the chains have only a part, since the same text of
        the source was copied twice, is a chain of its own, too.

        Args:
            may_be_copy: whether some of these segments may be a copy; of others, no candidate is made.
        """
        here, there, seeds = self.file.tokens.sketch, self.there.sketch, self.seeds
        copies: list[tuple[Chain, bool]] = []
        if not seeds.verbatim.any():
            return []
        for use, by_text in ((seeds.verbatim & seeds.telling, False), (seeds.verbatim, True)):
            found = segments(here, there, seeds.positions[use], seeds.diagonals[use], self.k)
            if may_be_copy(found, by_text):
                chained = self._chains_of_text(found)
                copies += ((chain, by_text) for chain in chained if may_be_copy(chain, by_text))
        made = self.candidates([chain for chain, _ in copies])
        return [one._replace(by_text=by_text) for one, (_, by_text) in zip(made, copies, strict=True)]

    def _chains_of_text(self, found: Sequence[Segment]) -> Iterator[Chain]:
        """Chains of segments of equal text, and the segments of which these have only a part."""
        count = len(self.file.tokens)
        cumulative = np.linspace(0, VERBATIM_BITS * count, count + 1)
        covered = np.zeros(count, np.bool_)
        best = chains(found, cumulative, most=MOST_VERBATIM, most_shared=1.0)
        longest = sorted(found, key=lambda run: run.start - run.end)[:MOST_VERBATIM]
        for chain in (*best, *((run,) for run in longest)):
            tokens = np.concatenate([np.arange(part.start, part.end) for part in chain])
            if not covered[tokens].all():
                covered[tokens] = True
                yield chain

    def candidate(self, parts: Chain) -> Candidate:
        """Make a candidate of segments, which are ordered by start."""
        return self.candidates([parts])[0]

    def candidates(self, chains: Sequence[Chain]) -> list[Candidate]:
        """Make a candidate of each of several chains."""
        if not chains:
            return []
        here, there = self._pairs([part for parts in chains for part in parts])
        ends = list(accumulate((sum(part.end - part.start for part in parts) for parts in chains), initial=0))
        tokens = [(here[start:end], there[start:end]) for start, end in pairwise(ends)]
        lines = layouts(self.file.tokens, self.there, chains)
        said = [self._said(parts, *own) for parts, own in zip(chains, tokens, strict=True)]
        columns = zip(chains, tokens, lines, said, strict=True)
        return [Candidate(parts, *own, lines, said=said) for parts, own, lines, said in columns]

    def region(self, candidate: Candidate, kind: Kind, bits: float, least: int = 0) -> Region:
        """The region to report for a candidate: without the chance tokens at its ends, though these count as evidence.

        Args:
            candidate: made by this alignment.
            kind: of the view that found it; a region that is nearly all verbatim is verbatim in any case.
            bits: its worth as evidence.
            least: its ends stay if fewer tokens than these would be left.
        """
        parts = self._without_ends(candidate.segments)
        if sum(part.end - part.start for part in parts) < least:
            parts = candidate.segments
        here, there = self._pairs(parts)
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
            fingerprints=sum(self.seeds.inside(part, self.k) for part in parts),
            kind="verbatim" if same >= SAME_TEXT * len(here) else kind,
            stretches=tuple(Stretch(part.start, part.span_there[0], part.end - part.start) for part in parts),
            bits=bits,
            same=np.packbits(is_same).tobytes(),
        )

    def _without_ends(self, parts: tuple[Segment, ...]) -> tuple[Segment, ...]:
        lines = self.file.tokens.first_lines
        firm = without_loose_ends(parts, lines, self.there.first_lines, self._worth)
        return without_stray_ends(firm, lines, self.k)

    def _worth(self, part: Segment) -> float:
        """What a segment says by its structure and its text, in bits; a k-gram of equal text is no chance."""
        same = self.file.tokens.sketch[part.start : part.end] == self.there.sketch[slice(*part.span_there)]
        if len(same) >= self.k and same.all():
            return inf
        structure = self.file.cumulative[part.end] - self.file.cumulative[min(part.start + CONTEXT, part.end)]
        return float(structure + self.file.new_literal_bits[part.start : part.end][same].sum())

    def _said(self, parts: Sequence[Segment], here: NDArray[np.int64], there: NDArray[np.uint8]) -> PhraseBits:
        """What the phrases of segments say, given the matched tokens."""
        if not len(self.shared.positions):
            return NOTHING_SAID
        return self.shared.said(parts, here[self.file.tokens.sketch[here] == there])

    def _pairs(self, parts: Sequence[Segment]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Numbers of the matched tokens, and the sketches of the content's tokens that they match."""
        starts, ends, diagonals, _ = columns(parts)
        here = ranges(starts, ends - starts)
        return here, self.there.sketch[here + np.repeat(diagonals, ends - starts)]
