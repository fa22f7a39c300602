"""Matches → findings: which source a stretch of a change came from.

A group of matches becomes one finding. Its source is the place that a person would name: among places that match the
stretch about equally well, the one with the fewest changes, and among several such the likeliest ``origin``. The other
places, such as versions, forks and embedded copies, follow in that order.

How strong a finding is, the evidence model says in the end, when it is known how many other changed files match the
same stretch: what several files have in common with one place of the source is written, not copied.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import xxhash

from winnow_ci.evidence.model import SEVERAL, evidence_model
from winnow_ci.matching.overlaps import Overlaps
from winnow_ci.matching.region_tokens import MOST
from winnow_ci.matching.thresholds import SAME_TEXT
from winnow_ci.model.findings import FileReading, Finding
from winnow_ci.scanner.filters import filtered
from winnow_ci.scanner.origin import OriginRank, origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.model import Kind, LineRange, Place
    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.grouping import MatchGroup
    from winnow_ci.scanner.values import Match

# Regions whose scores differ by less than this share cover a stretch equally well.
ABOUT_EQUAL = 0.05


def attributed(groups: Iterable[MatchGroup], min_tokens: int) -> list[tuple[Finding, Match]]:
    """Make findings of the groups of all changed files, by path and line; each with the match that it is made of.

    Args:
        groups: of all changed files.
        min_tokens: the least length of a verbatim match.
    """
    groups = _with_other_files(list(groups))
    coverage = _coverage(groups)
    found = (_finding(group, coverage) for group in groups if evidence_model().is_reported(group[0].region))
    return _with_distinct_ids(sorted(filtered(found, min_tokens), key=lambda pair: _order(pair[0])))


def _with_other_files(groups: Sequence[MatchGroup]) -> list[MatchGroup]:
    """The groups; each match knows how many other changed files match the same stretch of its content."""
    near: defaultdict[tuple[int, int], Overlaps[Match]] = defaultdict(Overlaps)
    paths: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for match in (match for group in groups for match in group):
        near[_content(match)].add(match.region.source_start, match.region.source_end, match)
        paths[_content(match)].add(match.path)

    def seen(match: Match) -> Match:
        return _with_others(match, near[_content(match)]) if len(paths[_content(match)]) > 1 else match

    return [tuple(map(seen, group)) for group in groups]


def _content(match: Match) -> tuple[int, int]:
    """Names the known content of a match."""
    return match.index_number, match.region.content


def _with_others(match: Match, near: Overlaps[Match]) -> Match:
    region, others = match.region, set[str]()
    for other in near.over(region.source_start, region.source_end):
        if other.path != match.path and _shares_most(region, other.region):
            others.add(other.path)
            if len(others) == SEVERAL:
                break
    return match._replace(region=region._replace(signs=region.signs._replace(files=len(others))))


def _shares_most(region: Region, other: Region) -> bool:
    """Whether another region has most of the tokens of the source between this one's first and last."""
    shared = min(region.source_end, other.source_end) - max(region.source_start, other.source_start)
    return shared >= MOST * (region.source_end - region.source_start)


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
    kind, similarity = _kind(match.region)
    model = evidence_model()
    others = tuple(dict.fromkeys(other for _, other in pairs[1:]))
    finding = Finding(
        id=_identity(match, place),
        path=match.path,
        lines=match.lines,
        kind=kind,
        tokens=match.region.tokens,
        fingerprints=match.region.fingerprints,
        similarity=similarity,
        agreement=match.agreement,
        source=place,
        also_in=others,
        added=match.added,
        excerpt=(),
        anchor=match.copied.hex(),
        alignment=match.alignment,
        strength=model.strength(match.region),
        evidence=match.region.evidence,
        log_odds=model.log_odds(match.region),
        reasons=tuple(model.reasons(match.region)),
        identical=match.region.identical,
        in_text=match.in_text,
        stretches=match.region.stretches,
        reading=FileReading(match.language, match.front_end),
    )
    return finding, match


def _kind(region: Region) -> tuple[Kind, float]:
    """What a copy is called, and its similarity: verbatim only if nearly all of its tokens have the source's text."""
    if region.kind == "verbatim" and region.matched_verbatim >= SAME_TEXT * region.tokens:
        return "verbatim", region.matched_verbatim / region.tokens
    return "renamed", region.matched / region.tokens


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
