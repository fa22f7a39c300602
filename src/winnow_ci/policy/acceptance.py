"""Apply a baseline: suppress accepted copies, and find entries that are over (docs/configuration.md).

An entry belongs to a path. Only if nothing is at that path any more does it follow the copy to the file that has it
now, and to one file only: a second copy is a new finding.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

from winnow_ci.model.findings import BaselineEntry, BaselineUse, Decision, Finding
from winnow_ci.named_tuples import NamedTuple

_NAMED = 10

# Anchor, source and licence: two copies with equal ones are the same, wherever they are.
_Copied: TypeAlias = tuple[str, str, str]
# A path, and what is copied there.
_Place: TypeAlias = tuple[str, _Copied]


class ScanCoverage(NamedTuple):
    """What a scan saw, which decides how it judges an entry without a match."""

    whole: Collection[str] = ()  # paths of files that were looked up as a whole, not only the lines that a change adds
    sources: Collection[str] = ()  # names of the sources in the indexes
    gone: Collection[str] = ()  # paths at which nothing is any more
    all_files: bool = False  # whether the scan listed every file, and so would have found a copy that moved


def accept(
    findings: Sequence[Finding], entries: Sequence[BaselineEntry], coverage: ScanCoverage, today: dt.date
) -> tuple[list[Finding], BaselineUse]:
    """Suppress the findings, sorted by path, that a baseline has, and return how its entries were used."""
    matched = _matched(findings, entries, coverage)
    places = {entry: path for (path, _), entry in matched.items()}
    use = BaselineUse(
        stale=tuple(entry for entry in entries if entry not in places and _is_stale(entry, coverage)),
        expired=tuple(entry for entry in entries if entry in places and _has_expired(entry, today)),
        moved=tuple((entry, path) for entry, path in places.items() if path != entry.path),
    )
    return [_accepted(finding, matched.get(_place_in(finding)), today) for finding in findings], use


def updated(
    entries: Sequence[BaselineEntry], findings: Iterable[Finding], use: BaselineUse, decision: Decision
) -> tuple[BaselineEntry, ...]:
    """Return a baseline's entries and those of a scan's findings; entries that still match keep their decision."""
    new = [_entry(finding, decision) for finding in findings if finding.suppressed is None]
    # Old entries come last and so stay as they are.
    distinct = {_place(entry): entry for entry in (*new, *kept(entries, use))}
    return _sorted(distinct.values())


def approved(
    entries: Sequence[BaselineEntry], findings: Iterable[Finding], use: BaselineUse, decision: Decision
) -> tuple[BaselineEntry, ...]:
    """Return a baseline's entries and those of findings that a person approves, which replace older ones."""
    places = dict(use.moved)
    new = {_place(each): each for each in (_entry(one, decision) for one in findings)}
    others = [entry for entry in entries if (places.get(entry, entry.path), _place(entry)[1]) not in new]
    return _sorted((*others, *new.values()))


def _sorted(entries: Iterable[BaselineEntry]) -> tuple[BaselineEntry, ...]:
    return tuple(sorted(entries, key=lambda entry: (entry.path, entry.source_path, _place(entry)[1])))


def kept(entries: Sequence[BaselineEntry], use: BaselineUse) -> list[BaselineEntry]:
    """Return the entries that are not stale, with the paths where their copies are now."""
    places, stale = dict(use.moved), set(use.stale)
    return [entry._replace(path=places.get(entry, entry.path)) for entry in entries if entry not in stale]


def notices(use: BaselineUse) -> Iterator[str]:
    """Yield what a person should know about the entries: the first of each kind, then how many more."""
    for entries, one, more in (
        (use.expired, "ended on {expires}", "have ended"),
        (use.stale, "matches nothing any more; --update-baseline removes it", "match nothing any more"),
        (use.waiting, "waits: no version of the file has the copy yet", "wait"),
    ):
        for entry in entries[:_NAMED]:
            named = f"{entry.path}, from {entry.source} {entry.source_path}"
            yield f"baseline: the entry for {named} {one.format(expires=entry.expires)}"
        if rest := len(entries[_NAMED:]):
            yield f"baseline: {rest:,} more entries {more}"


def _matched(
    findings: Iterable[Finding], entries: Sequence[BaselineEntry], coverage: ScanCoverage
) -> dict[_Place, BaselineEntry]:
    """The entries of places that findings are at."""
    exact = {_place(entry): entry for entry in entries}
    orphans = defaultdict[_Copied, list[BaselineEntry]](list)
    for entry in sorted(entries, key=lambda entry: entry.path, reverse=True):
        if entry.path in coverage.gone:
            orphans[_place(entry)[1]].append(entry)
    matched = {}
    for place in dict.fromkeys(map(_place_in, findings)):
        if place in exact:
            matched[place] = exact[place]
        elif orphans[place[1]]:
            matched[place] = orphans[place[1]].pop()
    return matched


def _accepted(finding: Finding, entry: BaselineEntry | None, today: dt.date) -> Finding:
    if entry is None or finding.suppressed is not None or _has_expired(entry, today):
        return finding
    decision = {key: getattr(entry, key) for key in Decision._fields}
    return finding._replace(suppressed="baseline", **decision)


def is_of(entry: BaselineEntry, finding: Finding) -> bool:
    """Return whether an entry is about a finding."""
    return _place(entry) == _place_in(finding)


def _has_expired(entry: BaselineEntry, today: dt.date) -> bool:
    return entry.expires is not None and entry.expires < today


def _is_stale(entry: BaselineEntry, coverage: ScanCoverage) -> bool:
    is_gone = entry.path in coverage.whole or (coverage.all_files and entry.path in coverage.gone)
    return is_gone and entry.source in coverage.sources


def _entry(finding: Finding, decision: Decision) -> BaselineEntry:
    source, path = finding.source.file.source, finding.source.file.path
    return BaselineEntry(finding.anchor, finding.path, source.name, path, source.license, finding.kind, *decision)


def _place(entry: BaselineEntry) -> _Place:
    return entry.path, (entry.anchor, entry.source, entry.license)


def _place_in(finding: Finding) -> _Place:
    source = finding.source.file.source
    return finding.path, (finding.anchor, source.name, source.license)
