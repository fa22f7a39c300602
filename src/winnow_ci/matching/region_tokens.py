"""The tokens of a region: which of the change match, and which of these have the source's text; parts and unions."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.strength import strength
from winnow_ci.matching.thresholds import SAME_TEXT
from winnow_ci.model.regions import Evidence, Region, Stretch
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from winnow_ci.model import Kind


# How many tokens a matched token counts for beside itself if its text is the same.
SAME_GAIN = 3
# From this share of tokens on, a match covers most of another, or says something new.
MOST = 0.5
_START = attrgetter("start")


class RegionTokens(NamedTuple):
    """The matched tokens of a region; arrays with one element a token.

    Attributes:
        here: int64, rising; numbers in the change.
        there: int64; numbers in the content.
        same: bool; whether both have the same text.
    """

    here: NDArray[np.int64]
    there: NDArray[np.int64]
    same: NDArray[np.bool_]

    def only(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> RegionTokens:
        """Some of the tokens."""
        return RegionTokens(self.here[which], self.there[which], self.same[which])


def region_tokens(region: Region) -> RegionTokens:
    """The matched tokens of a region."""
    parts = region.stretches
    here = np.concatenate([np.arange(part.start, part.start + part.tokens) for part in parts])
    there = np.concatenate([np.arange(part.source_start, part.source_start + part.tokens) for part in parts])
    same = np.unpackbits(np.frombuffer(region.same, np.uint8), count=len(here)).astype(np.bool_)
    return RegionTokens(here, there, same)


def covers_most(region: Region, other: Region) -> bool:
    """Whether a region has most tokens of another one."""
    return region.matched > MOST * other.matched and shared_tokens(region, other) > MOST * other.matched


def shared_tokens(one: Region, other: Region) -> int:
    """How many tokens of the change match in both regions."""
    few, many = sorted((one.stretches, other.stretches), key=len)
    shared = 0
    for start, _, tokens in few:
        at = max(0, bisect_right(many, start, key=_START) - 1)
        while at < len(many) and many[at].start < start + tokens:
            end = min(start + tokens, many[at].start + many[at].tokens)
            shared += max(0, end - max(start, many[at].start))
            at += 1
    return shared


def score(region: Region) -> int:
    """How good a region is: a verbatim token counts for four, because other tokens also continue by chance."""
    return region.matched + SAME_GAIN * region.matched_verbatim


def part_of(region: Region, start: int, end: int) -> Region | None:
    """The part of a region in the tokens ``[start, end)`` of the change; None if nothing matches there.

    Its evidence is its share of that of the whole.
    """
    tokens = region_tokens(region)
    return _region(region, tokens.only((tokens.here >= start) & (tokens.here < end)), region.bits)


def union(first: Region, *others: Region) -> Region:
    """Regions of one content as one; where several match a token, the first of them counts."""
    regions = first, *others
    tokens = RegionTokens(*map(np.concatenate, zip(*map(region_tokens, regions), strict=True)))
    order = np.argsort(tokens.here, kind="stable")
    is_first = np.diff(tokens.here[order], prepend=-1) > 0
    whole = first._replace(
        matched=len(order),
        fingerprints=sum(region.fingerprints for region in regions),
        weight=sum(region.weight for region in regions),
        strength="strong",
        evidence=Evidence(*map(sum, zip(*(region.evidence for region in regions), strict=True))),
    )
    made = _region(whole, tokens.only(order[is_first]), sum(region.bits for region in regions))
    assert made is not None
    return made


def renumbered(region: Region, numbers: NDArray[np.int64]) -> Region:
    """The same region in a change that has more tokens, given the rising numbers that its tokens have there."""
    tokens = region_tokens(region)
    here = numbers[tokens.here]
    stretches = tuple(_stretches(tokens._replace(here=here)))
    return region._replace(start=int(here[0]), end=int(here[-1]) + 1, stretches=stretches)


def _region(whole: Region, tokens: RegionTokens, bits: float) -> Region | None:
    """A region with these tokens, and the evidence that falls to them, if the whole has ``bits``."""
    matched = len(tokens.here)
    if not matched:
        return None
    share, same = matched / whole.matched, int(tokens.same.sum())
    kind: Kind = "verbatim" if same >= SAME_TEXT * matched else "renamed"
    evidence = Evidence(*(round(share * count) for count in whole.evidence))
    # What makes all of a copy weak is no less true of a part.
    is_weak = (kind, whole.strength) == (whole.kind, "weak")
    return whole._replace(
        start=int(tokens.here[0]),
        end=int(tokens.here[-1]) + 1,
        source_start=int(tokens.there.min()),
        source_end=int(tokens.there.max()) + 1,
        matched=matched,
        matched_verbatim=same,
        fingerprints=round(share * whole.fingerprints),
        kind=kind,
        stretches=tuple(_stretches(tokens)),
        bits=share * bits,
        weight=share * whole.weight,
        strength="weak" if is_weak else strength(kind, share * bits, share * whole.weight, evidence),
        evidence=evidence,
        identical=False,
        same=np.packbits(tokens.same).tobytes(),
    )


def _stretches(tokens: RegionTokens) -> Iterable[Stretch]:
    breaks = np.flatnonzero((np.diff(tokens.here) != 1) | (np.diff(tokens.there) != 1)) + 1
    edges = [0, *breaks.tolist(), len(tokens.here)]
    for start, end in pairwise(edges):
        yield Stretch(int(tokens.here[start]), int(tokens.there[start]), end - start)
