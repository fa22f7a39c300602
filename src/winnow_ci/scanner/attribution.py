"""Matches → findings: which source a stretch of a change came from.

A group of matches becomes one finding. Its source is the place that a person would name: among places that match the
stretch about equally well, the one with the fewest changes, and among several such the likeliest ``origin``. The other
places, such as versions, forks and embedded copies, follow in that order.

What two files have in common that one program writes, but for names, is weak evidence, whatever it says in bits: both
sides have the program's name for its files (``model.generators``), and so have all other places.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import xxhash

from winnow_ci.model.findings import FileReading, Finding
from winnow_ci.model.generators import generator_of_all
from winnow_ci.scanner.origin import OriginRank, origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from winnow_ci.model import LineRange, Place
    from winnow_ci.scanner.grouping import MatchGroup
    from winnow_ci.scanner.values import Match

# Regions whose scores differ by less than this share cover a stretch equally well.
ABOUT_EQUAL = 0.05


def attributed(groups: Iterable[MatchGroup]) -> list[tuple[Finding, Match]]:
    """Make findings of the groups of all changed files, by path and line; each with the match that it is made of."""
    groups = list(groups)
    coverage = _coverage(groups)
    found = sorted((_finding(group, coverage) for group in groups), key=lambda pair: _order(pair[0]))
    return _with_distinct_ids(found)


def _order(finding: Finding) -> tuple[str, LineRange, str]:
    return finding.path, finding.lines, finding.id


def _coverage(groups: Iterable[MatchGroup]) -> Counter[str]:
    """How many tokens of the change each source may be the origin of."""
    coverage: Counter[str] = Counter()
    for group in groups:
        best: dict[str, int] = {}
        for match in group:
            for place in match.places:
                name = place.file.source.name
                best[name] = max(best.get(name, 0), match.region.matched)
        coverage.update(best)
    return coverage


def _finding(group: MatchGroup, coverage: Counter[str]) -> tuple[Finding, Match]:
    best = max(match.region.bits for match in group)
    sources = {place.file.source.name for match in group for place in match.places}

    def rank(pair: tuple[Match, Place]) -> tuple[bool, bool, bool, float, int, OriginRank]:
        match, place = pair
        region = match.region
        worse = region.bits < (1 - ABOUT_EQUAL) * best
        changed = region.tokens - region.matched_verbatim
        place_rank = origin(place, match, coverage, sources)
        return not region.identical, worse, region.kind == "renamed", -region.bits, changed, place_rank

    pairs = sorted(((match, place) for match in group for place in match.places), key=rank)
    match, place = pairs[0]
    others = tuple(dict.fromkeys(other for _, other in pairs[1:]))
    finding = Finding(
        id=_identity(match, place),
        path=match.path,
        lines=match.lines,
        kind=match.region.kind,
        tokens=match.region.tokens,
        fingerprints=match.region.fingerprints,
        similarity=match.region.similarity,
        agreement=match.agreement,
        source=place,
        also_in=others,
        added=match.added,
        excerpt=(),
        anchor=match.copied.hex(),
        alignment=match.alignment,
        strength="weak" if _is_generated(match, (place, *others)) else match.region.strength,
        evidence=match.region.evidence,
        identical=match.region.identical,
        in_text=match.in_text,
        stretches=match.region.stretches,
        reading=FileReading(match.language, match.front_end),
    )
    return finding, match


def _is_generated(match: Match, places: Iterable[Place]) -> bool:
    """Whether the same program wrote the changed file and all known ones, and names or more differ."""
    if match.region.kind == "verbatim" or match.region.strength == "weak":
        return False
    return generator_of_all((match.path, *(place.file.path for place in places))) is not None


def _identity(match: Match, place: Place) -> str:
    """Name a finding by what was copied, from where and to where; lines would move with every edit above."""
    names = f"{match.path}\0{place.file.source.name}\0{place.file.path}\0"
    return xxhash.xxh3_64(names.encode("utf-8", "surrogateescape") + match.copied).hexdigest()


def _with_distinct_ids(found: Iterable[tuple[Finding, Match]]) -> list[tuple[Finding, Match]]:
    """Number the findings of a copy that stands more than once in one file."""
    seen: Counter[str] = Counter()
    distinct = []
    for finding, match in found:
        seen[finding.id] += 1
        number = seen[finding.id]
        distinct.append((finding if number == 1 else finding._replace(id=f"{finding.id}-{number}"), match))
    return distinct
