"""Find a region's matched tokens, and those with the source's text; build parts and unions."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.arrays import covered, ranges
from winnow_ci.matching.constants import SAME_TEXT
from winnow_ci.model.regions import Evidence, Region, Signs, Stretch
from winnow_ci.named_tuples import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import Kind


# From this share of tokens on, a match covers most of another, or says something new.
MOST = 0.5
_START = attrgetter("start")
_NOTHING = -1


class RegionTokens(NamedTuple):
    """The matched tokens of a region; arrays with one element a token."""

    here: NDArray[np.int64]  # rising; numbers in the change
    there: NDArray[np.int64]  # numbers in the content
    same: NDArray[np.bool_]  # whether both have the same text

    def only(self, which: NDArray[np.bool_]) -> RegionTokens:
        """Some of the tokens."""
        return RegionTokens._make(column[which] for column in self)


def region_tokens(region: Region) -> RegionTokens:
    """The matched tokens of a region."""
    starts, starts_there, lengths = np.array(region.stretches, np.int64).T
    here, there = ranges(starts, lengths), ranges(starts_there, lengths)
    same = np.unpackbits(np.frombuffer(region.same, np.uint8), count=len(here)).astype(np.bool_)
    return RegionTokens(here, there, same)


def _longest_run(tokens: RegionTokens) -> int:
    """How many tokens the longest run of equal text has, within one stretch."""
    begins = ~tokens.same
    begins[1:] |= _breaks(tokens)
    return int(np.bincount(np.cumsum(begins)[tokens.same]).max(initial=0))


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


def part_of(region: Region, start: int, end: int) -> Region | None:
    """The part of a region in the tokens ``[start, end)`` of the change; None if nothing matches there.

    Its evidence is its share of that of the whole.
    """
    tokens = region_tokens(region)
    return _region(region, tokens.only((tokens.here >= start) & (tokens.here < end)))


def part_with(region: Region, which: NDArray[np.bool_]) -> Region | None:
    """The part of a region with some of its matched tokens, given as bool, one a token; None if there are none."""
    return _region(region, region_tokens(region).only(which))


def union(first: Region, *others: Region, verbatim_first: bool = False) -> Region:
    """Unite regions of one content, in time in proportion to their tokens.

    Where several match a token, the first counts; with ``verbatim_first`` a verbatim one before a renamed union.
    """
    regions = first, *others
    start = min(region.start for region in regions)
    there = np.full(max(region.end for region in regions) - start, _NOTHING)
    same = np.zeros(len(there), np.bool_)
    whole = first._replace(matched=0)
    for region in regions:
        tokens = region_tokens(region)
        at = tokens.here - start
        is_new, before = there[at] == _NOTHING, int(same[at].sum())
        goes_first = verbatim_first and region.kind == "verbatim" and whole.kind == "renamed"
        written = np.ones(len(at), np.bool_) if goes_first else is_new
        there[at[written]], same[at[written]] = tokens.there[written], tokens.same[written]
        if whole.matched:
            verbatim = whole.matched_verbatim + int(same[at].sum()) - before
            whole = _added(whole, region, whole.matched + int(is_new.sum()), verbatim)
        else:
            whole = first
    here = np.flatnonzero(there != _NOTHING)
    made = _region(whole, RegionTokens(here + start, there[here], same[here]))
    assert made is not None
    return made


def _added(one: Region, other: Region, matched: int, verbatim: int) -> Region:
    """The numbers of a union of two regions, given how many tokens it has: its share of those of both."""
    share = matched / (one.matched + other.matched)
    return one._replace(
        matched=matched,
        matched_verbatim=verbatim,
        fingerprints=round(share * (one.fingerprints + other.fingerprints)),
        kind=_kind(verbatim, matched),
        bits=share * (one.bits + other.bits),
        evidence=Evidence(*(round(share * (a + b)) for a, b in zip(one.evidence, other.evidence, strict=True))),
        signs=_signs(one.signs, share, other.signs),
        is_run=one.is_run or other.is_run,
    )


def _signs(one: Signs, share: float, *others: Signs) -> Signs:
    """A share of the numbers of regions; what is around them is that of the first."""
    numbers = ("remarks", "whole", "astray", "agreeing", "rows")
    return one._replace(**{name: share * sum(getattr(each, name) for each in (one, *others)) for name in numbers})


def _kind(verbatim: int, matched: int) -> Kind:
    return "verbatim" if verbatim >= SAME_TEXT * matched else "renamed"


def is_verbatim(region: Region) -> bool:
    """Whether nearly all tokens of a region have the source's text."""
    return region.kind == "verbatim" and region.matched_verbatim >= SAME_TEXT * region.tokens


def renumbered(region: Region, numbers: NDArray[np.int64]) -> Region:
    """The same region in a change that has more tokens, given the rising numbers that its tokens have there."""
    tokens = region_tokens(region)
    here = numbers[tokens.here]
    stretches = tuple(_stretches(tokens._replace(here=here)))
    return region._replace(start=int(here[0]), end=int(here[-1]) + 1, stretches=stretches)


def _region(whole: Region, tokens: RegionTokens) -> Region | None:
    """A region with these tokens of a whole, and the evidence that falls to them; None if there are none."""
    matched = len(tokens.here)
    if not matched:
        return None
    share, same = matched / whole.matched, int(tokens.same.sum())
    signs = _signs(whole.signs, share)._replace(run=min(whole.signs.run, _longest_run(tokens)))
    return whole._replace(
        start=int(tokens.here[0]),
        end=int(tokens.here[-1]) + 1,
        source_start=int(tokens.there.min()),
        source_end=int(tokens.there.max()) + 1,
        matched=matched,
        matched_verbatim=same,
        fingerprints=round(share * whole.fingerprints),
        kind=_kind(same, matched),
        stretches=tuple(_stretches(tokens)),
        bits=share * whole.bits,
        evidence=Evidence(*(round(share * count) for count in whole.evidence)),
        signs=signs,
        identical=False,
        same=np.packbits(tokens.same).tobytes(),
        is_run=whole.is_run and matched == whole.matched,
    )


def _stretches(tokens: RegionTokens) -> Iterable[Stretch]:
    edges = [0, *(np.flatnonzero(_breaks(tokens)) + 1).tolist(), len(tokens.here)]
    for start, end in pairwise(edges):
        yield Stretch(int(tokens.here[start]), int(tokens.there[start]), end - start)


def _breaks(tokens: RegionTokens) -> NDArray[np.bool_]:
    """Whether a stretch begins at each token but the first: bool, one element fewer than there are tokens."""
    breaks: NDArray[np.bool_] = (np.diff(tokens.here) != 1) | (np.diff(tokens.there) != 1)
    return breaks


class Repetitions:
    """The runs of ``length`` tokens that one file has more than once; ``hashes`` has one for each run."""

    def __init__(self, hashes: NDArray[np.uint64], length: int) -> None:
        _, self._numbers, self._counts = np.unique(hashes, return_inverse=True, return_counts=True)
        self._length = length

    def share(self, stretches: Sequence[Stretch]) -> float:
        """The share of a match that is in runs that the file has outside of it, too."""
        first = max(0, min(part.start for part in stretches) - self._length + 1)
        inside = self._numbers[first : max(part.start + part.tokens for part in stretches)]
        if self._counts[inside].max(initial=1) == 1:
            return 0.0
        own, numbers, counts = np.unique(inside, return_inverse=True, return_counts=True)
        again = (self._counts[own] > counts)[numbers]
        there = 0
        for start, _, tokens in stretches:
            runs = np.flatnonzero(again[start - first :][: max(0, tokens - self._length + 1)])
            there += int(covered(runs, runs + self._length, tokens).sum())
        return there / sum(part.tokens for part in stretches)
