"""Regions → findings: which source a stretch of a change is said to come from.

Overlapping regions become one finding. First stands the source that a person would name: of those that cover the
stretch about equally well, one whose file has the same name, then the source that covers most of the whole change.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import xxhash

from winnow_ci.matching import score, shared
from winnow_ci.model import Finding, LineRange, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from winnow_ci.model import Region, SourceFile, Tokens

# Regions whose scores differ by less than this share cover a stretch equally well.
ABOUT_EQUAL = 0.05
OVERLAP = 0.5
EXCERPT_LINES = 6


@dataclass(frozen=True)
class Match:
    """A region with the known files that have it."""

    region: Region
    files: tuple[SourceFile, ...]
    lines: LineRange

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where the region stands in known code."""
        return tuple(Place(file, self.lines) for file in self.files)


@dataclass(frozen=True, slots=True)
class Document:
    """One changed file with all its matches."""

    path: str
    text: bytes
    tokens: Tokens
    matches: tuple[Match, ...]


def findings(documents: Sequence[Document]) -> list[Finding]:
    """Make findings of the matches of a whole change, by path and line."""
    grouped = [(document, _groups(document.matches)) for document in documents]
    coverage = _coverage(group for _, groups in grouped for group in groups)
    found = [_finding(document, group, coverage) for document, groups in grouped for group in groups]
    return sorted(_with_distinct_ids(found), key=lambda f: (f.path, f.lines))


def _groups(matches: Sequence[Match]) -> list[list[Match]]:
    """Matches that lie over the best one of their group, best group first."""
    left = sorted(matches, key=lambda match: (-score(match.region), match.region.start))
    groups = []
    while left:
        best = left[0].region
        groups.append([match for match in left if shared(match.region, best) >= OVERLAP])
        left = [match for match in left if shared(match.region, best) < OVERLAP]
    return groups


def _coverage(groups: Iterable[list[Match]]) -> Counter[str]:
    """Tokens of the change that each source may be the origin of."""
    coverage: Counter[str] = Counter()
    for group in groups:
        best: dict[str, int] = {}
        for match in group:
            for file in match.files:
                best[file.source.name] = max(best.get(file.source.name, 0), match.region.matched)
        coverage.update(best)
    return coverage


def _finding(document: Document, group: list[Match], coverage: Counter[str]) -> Finding:
    best = score(group[0].region)
    name = document.path.rpartition("/")[2]

    def rank(pair: tuple[Match, Place]) -> tuple[bool, bool, int, str, str]:
        match, place = pair
        worse = score(match.region) < (1 - ABOUT_EQUAL) * best
        other_name = place.file.path.rpartition("/")[2] != name
        source = place.file.source
        return worse, other_name, -coverage[source.name], source.name, place.file.path

    pairs = sorted(((match, place) for match in group for place in match.places), key=rank)
    match, place = pairs[0]
    others = tuple(dict.fromkeys(other for _, other in pairs[1:]))
    return _described(document, match.region, place, others)


def _described(document: Document, region: Region, place: Place, others: tuple[Place, ...]) -> Finding:
    tokens = document.tokens
    lines = LineRange(int(tokens.first_lines[region.start]), int(tokens.last_lines[region.end - 1]))
    excerpt = document.text.split(b"\n")[lines.first - 1 : lines.last][:EXCERPT_LINES]
    return Finding(
        id=_identity(document, region, place),
        path=document.path,
        lines=lines,
        kind=region.kind,
        tokens=region.tokens,
        fingerprints=region.fingerprints,
        similarity=region.similarity,
        source=place,
        also_in=others,
        excerpt=tuple(line.decode("utf-8", "replace") for line in excerpt),
    )


def _identity(document: Document, region: Region, place: Place) -> str:
    """Names a finding by what was copied, whence and whither; not by lines, which move with every edit above."""
    copied = document.tokens.verbatim[region.start : region.end].tobytes()
    names = f"{document.path}\0{place.file.source.name}\0{place.file.path}\0"
    return xxhash.xxh3_64(names.encode("utf-8", "surrogateescape") + copied).hexdigest()


def _with_distinct_ids(found: Iterable[Finding]) -> list[Finding]:
    """Number the findings of one and the same copy, made more than once in one file."""
    seen: Counter[str] = Counter()
    distinct = []
    for finding in found:
        seen[finding.id] += 1
        number = seen[finding.id]
        distinct.append(finding if number == 1 else replace(finding, id=f"{finding.id}-{number}"))
    return distinct
