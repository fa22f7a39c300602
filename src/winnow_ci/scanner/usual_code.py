"""What users of an interface write, as the code does that offers it.

A plug-in overrides the methods of its framework, declares fields and registers resources. So do the framework's own
tests, examples and parts, and all of them look alike: the same shapes, with the same names. A copy of such a passage
cannot be told from another use of the interface. There are three signs of it, which an index shows without any text:

- the changed file has the *shapes* of most of the match elsewhere, outside of it;
- the known file has the *text* of most of it elsewhere;
- files of one source that have different names have most of it. Versions, forks and embedded copies of a file keep its
  name, or are other sources.

One sign says little: much code repeats itself, and is copied. Two make a strong match weaker, and all three even more.
A shape is the structure of twelve tokens, as in ``matching.own_shapes``, and a text eight tokens by their sketches.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.strength import strength
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.model import Source, TokenMap, Tokens
    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.values import Match

# How many tokens a shape has, and a text.
SHAPE, TEXT = 12, 8
# From this share of its matched tokens on, it is most of a match.
MOST = 0.5
# Differently named files of one source that have most of a match make a sign.
FILES = 2
# Bits that each sign after the first takes off the weight of a renamed match.
EACH_SIGN = 30.0
# The least score of a strong verbatim match with two signs, and how much more a third asks for: its lines say nothing.
LEAST_SCORE, THIRD_SIGN = 90.0, 30.0
SIGNS = 3


class _Run(NamedTuple):
    """Matched tokens side by side, in one of two files."""

    start: int
    tokens: int


class _Repetitions:
    """What one file has more than once.

    Args:
        ids: uint64, one a token.
        length: of a repetition at least, in tokens.
    """

    def __init__(self, ids: NDArray[np.uint64], length: int) -> None:
        _, self._numbers, self._counts = np.unique(kgram_hashes(ids, length), return_inverse=True, return_counts=True)
        self._length = length

    def are_most(self, runs: Sequence[_Run], matched: int) -> bool:
        """Whether the file has most of some runs, with ``matched`` tokens, once more outside of them."""
        first = max(0, min(run.start for run in runs) - self._length + 1)
        numbers = self._numbers[first : max(run.start + run.tokens for run in runs)]
        own, inverse, inside = np.unique(numbers, return_inverse=True, return_counts=True)
        again = (self._counts[own] > inside)[inverse]
        return sum(self._covered(again[run.start - first :], run.tokens) for run in runs) >= MOST * matched

    def _covered(self, again: NDArray[np.bool_], tokens: int) -> int:
        """How many of the first tokens are in what is there again."""
        starts = np.flatnonzero(again[: max(0, tokens - self._length + 1)])
        ends = np.bincount(starts + self._length, minlength=tokens + 1)
        return int((np.cumsum(np.bincount(starts, minlength=tokens + 1) - ends) > 0).sum())


class UsualCode:
    """Finds usual code among the matches of one file in one index.

    Args:
        matches: of the file.
        tokens: of the file.
        token_map: gives a content's tokens.
    """

    def __init__(self, matches: Sequence[Match], tokens: Tokens, token_map: Callable[[int], TokenMap]) -> None:
        self._matches = matches
        self._tokens = tokens
        self._token_map = token_map
        self._there = cache(self._repetitions_of)

    def weakened(self) -> list[Match]:
        """The matches; those that are usual code are weaker."""
        return [
            match._replace(region=_weaker(match.region, self._signs(match))) if _may_be_weak(match.region) else match
            for match in self._matches
        ]

    def _signs(self, match: Match) -> int:
        """How many signs a match has; the dearest is asked for last, and not if it makes no difference."""
        parts, matched = match.region.stretches, match.region.matched
        here = [_Run(part.start, part.tokens) for part in parts]
        signs = self._is_in_files(match, here) + self._here.are_most(here, matched)
        if not signs:
            return 0
        there = [_Run(part.source_start, part.tokens) for part in parts]
        return signs + self._there(match.region.content).are_most(there, matched)

    @cached_property
    def _here(self) -> _Repetitions:
        return _Repetitions(self._tokens.structural, SHAPE)

    def _repetitions_of(self, content: int) -> _Repetitions:
        return _Repetitions(self._token_map(content).sketch.astype(np.uint64), TEXT)

    def _is_in_files(self, match: Match, own: Iterable[_Run]) -> bool:
        """Whether differently named files of one source have most of a match."""
        inside = np.zeros(len(self._tokens), np.int64)
        for run in own:
            inside[run.start : run.start + run.tokens] = 1
        before = np.append(0, np.cumsum(inside))
        names: dict[Source, set[str]] = {}
        for other in self._across(match):
            shared = sum(int(before[part.start + part.tokens] - before[part.start]) for part in other.region.stretches)
            if shared >= MOST * match.region.matched:
                for place in other.places:
                    names.setdefault(place.file.source, set()).add(_stem(place.file.path))
        return any(len(of_source) >= FILES for of_source in names.values())

    def _across(self, match: Match) -> Iterator[Match]:
        """The matches that reach into a match, itself among them."""
        start, end = match.region.start, match.region.end
        return (other for other in self._matches if other.region.start < end and start < other.region.end)


def _may_be_weak(region: Region) -> bool:
    return region.strength == "strong" and not region.identical and _weaker(region, SIGNS).strength == "weak"


def _weaker(region: Region, signs: int) -> Region:
    """A strong region with so many signs."""
    further = signs - 1
    if further < 1:
        return region
    if region.kind == "verbatim":
        is_enough = region.bits >= LEAST_SCORE + THIRD_SIGN * (further - 1)
        return region if is_enough else region._replace(strength="weak")
    weight = region.weight - EACH_SIGN * further
    left = strength(region.kind, region.bits, weight, region.evidence)
    # What is usual adds nothing to a copy that it is joined with.
    return region._replace(weight=weight if left == "strong" else min(weight, 0.0), strength=left)


def _stem(path: str) -> str:
    """The name of a file, without its endings."""
    return path.rpartition("/")[2].partition(".")[0].lower()
