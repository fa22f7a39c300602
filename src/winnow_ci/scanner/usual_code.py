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

from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci.matching.overlaps import Overlaps
from winnow_ci.matching.own_shapes import SHAPE
from winnow_ci.matching.region_tokens import shared_tokens
from winnow_ci.matching.repetitions import MOST, MatchedRun, Repetitions
from winnow_ci.matching.strength import strength
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from winnow_ci.model import Source, TokenMap, Tokens
    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.values import Match

# How many tokens a text has.
TEXT = 8
# How often a file has elsewhere what it has again.
ONCE_MORE = 1
# Differently named files of one source that have most of a match make a sign.
FILES = 2
# Bits that each sign after the first takes off the weight of a renamed match.
EACH_SIGN = 30.0
# The least score of a strong verbatim match with two signs, and how much more a third asks for: its lines say nothing.
LEAST_SCORE, THIRD_SIGN = 90.0, 30.0
SIGNS = 3


class UsualCode:
    """Finds usual code among the matches of one file in one index.

    Args:
        matches: of the file.
        tokens: of the file.
        token_map: gives a content's tokens.
    """

    def __init__(self, matches: Sequence[Match], tokens: Tokens, token_map: Callable[[int], TokenMap]) -> None:
        self._matches = matches
        self._near: Overlaps[Match] = Overlaps()
        for match in matches:
            self._near.add(match.region.start, match.region.end, match)
        self._tokens = tokens
        # A cached method would hold this object, and so its file, until garbage is collected.
        self._there = cache(partial(_repetitions, token_map))

    def weakened(self) -> list[Match]:
        """The matches; those that are usual code are weaker."""
        return [
            match._replace(region=_weaker(match.region, self._signs(match))) if _may_be_weak(match.region) else match
            for match in self._matches
        ]

    def _signs(self, match: Match) -> int:
        """How many signs a match has; the dearest is asked for last, and not if it makes no difference."""
        parts, matched = match.region.stretches, match.region.matched
        here = [MatchedRun(part.start, part.tokens) for part in parts]
        signs = self._is_in_files(match) + self._here.are_most(here, matched, ONCE_MORE)
        if not signs:
            return 0
        there = [MatchedRun(part.source_start, part.tokens) for part in parts]
        return signs + self._there(match.region.content).are_most(there, matched, ONCE_MORE)

    @cached_property
    def _here(self) -> Repetitions:
        return Repetitions(kgram_hashes(self._tokens.structural, SHAPE), SHAPE)

    def _is_in_files(self, match: Match) -> bool:
        """Whether differently named files of one source have most of a match."""
        names: dict[Source, set[str]] = {}
        for other in self._near.over(match.region.start, match.region.end):
            if shared_tokens(other.region, match.region) >= MOST * match.region.matched:
                for place in other.places:
                    names.setdefault(place.file.source, set()).add(_stem(place.file.path))
                    # Hundreds of generated files may have it.
                    if len(names[place.file.source]) >= FILES:
                        return True
        return False


def _repetitions(token_map: Callable[[int], TokenMap], content: int) -> Repetitions:
    """What a content has more than once."""
    return Repetitions(kgram_hashes(token_map(content).sketch.astype(np.uint64), TEXT), TEXT)


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
