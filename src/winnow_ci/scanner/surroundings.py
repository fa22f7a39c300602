"""What is around a match: signs that show what users of an interface write, as the code does that offers it.

A plug-in overrides the methods of its framework, declares fields and registers resources. So do the framework's own
tests, examples and parts, and all of them look alike: the same shapes, with the same names. Such a
passage may be a copy, or one more use of the interface. Two signs speak for a use, and an index needs no text to show
them:

- the changed file has the *shapes* of the match elsewhere, outside of it;
- known files that have different names have most of it. Versions, forks and embedded copies of a file keep its name.

A shape is the structure of twelve tokens. The signs only speak against a copy, so a match that is too little without
them is dropped before they are looked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from winnow_ci.evidence import LEARNT
from winnow_ci.evidence.model import evidence_model
from winnow_ci.matching.overlaps import Overlaps
from winnow_ci.matching.region_tokens import MOST, shared_tokens
from winnow_ci.matching.repetitions import Repetitions, Run
from winnow_ci.winnowing import kgram_hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.values import Match, PreparedFile

# How many tokens a shape has.
SHAPE = 12
# More places than these are not counted.
MOST_PLACES = 8


def likely(regions: Iterable[Region], file: PreparedFile) -> Iterator[Region]:
    """The regions of a file that may be reported, whatever is around them."""
    unlearnt = file.front_end.name not in LEARNT
    for region in regions:
        found = region._replace(signs=region.signs._replace(unlearnt=unlearnt))
        if evidence_model().is_reported(found):
            yield found


class Surroundings:
    """Looks around the matches of one file in one index.

    Args:
        matches: of the file.
        file: the file.
    """

    def __init__(self, matches: Sequence[Match], file: PreparedFile) -> None:
        self._matches = matches
        self._near: Overlaps[Match] = Overlaps()
        for match in matches:
            self._near.add(match.region.start, match.region.end, match)
        self._tokens = file.tokens

    def reported(self) -> list[Match]:
        """The matches with what is around them, those that are still enough for a report."""
        seen = (match._replace(region=self._seen(match)) for match in self._matches)
        return [match for match in seen if evidence_model().is_reported(match.region)]

    def _seen(self, match: Match) -> Region:
        region = match.region
        if region.identical:
            return region
        here = [Run(part.start, part.tokens) for part in region.stretches]
        return region._replace(signs=region.signs._replace(again=self._here.share(here), places=self._places(match)))

    @cached_property
    def _here(self) -> Repetitions:
        return Repetitions(kgram_hashes(self._tokens.structural, SHAPE), SHAPE)

    def _places(self, match: Match) -> int:
        """How many differently named known files, besides the first, have most of a match."""
        names: set[str] = set()
        most = MOST * match.region.matched
        for other in self._near.over(match.region.start, match.region.end):
            if other.region.matched >= most and shared_tokens(other.region, match.region) >= most:
                names.update(_stem(place.file.path) for place in other.places)
                # Hundreds of generated files may have it.
                if len(names) > MOST_PLACES:
                    break
        return len(names) - 1


def _stem(path: str) -> str:
    """The name of a file, without its endings."""
    return path.rpartition("/")[2].partition(".")[0].lower()
