"""The steps of each batch of files: look up, match, drop what the base had, group.

What a step found of the batches so far stays here; the tokens of a file go with its batch.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci import run_log
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner import own_sources
from winnow_ci.scanner.lean_files import of_whole_file, parts_of
from winnow_ci.scanner.lookup import look_up, suspects
from winnow_ci.scanner.values import FileMatches
from winnow_ci.start_up import field, record, sha256

if TYPE_CHECKING:
    from collections.abc import Sequence

    from winnow_ci.matching import FileHits
    from winnow_ci.model import LineRange
    from winnow_ci.model.regions import Region
    from winnow_ci.policy.patterns import SourcePatterns
    from winnow_ci.scanner.grouping import MatchGroup
    from winnow_ci.scanner.index_matchers import IndexMatchers
    from winnow_ci.scanner.lookup import IndexLookup
    from winnow_ci.scanner.moved_code import MovedCode
    from winnow_ci.scanner.values import DataFile, Match, PreparedFile

    # Of each part of a file (``parts_of``), its hits in each index.
    _PartHits: TypeAlias = Sequence[tuple[FileHits | None, ...]]


class FileGroups(NamedTuple):
    """The copies of a file: from others' code, and from ours that others have too; and the file's path and sha256."""

    foreign: list[MatchGroup]
    ours: list[MatchGroup]
    path: str
    sha256: str

    @property
    def copies(self) -> int:
        """Number of copies."""
        return len(self.foreign) + len(self.ours)


@record(slots=True, eq=False, repr=False)
class Steps:
    """The indexes to look up and match in, and what was found in the batches so far.

    Attributes:
        lookups: of each index.
        matchers: of each index.
        moved: finds code that the base had; None without a repository.
        own: sources of our own.
        smallest: how many fingerprints of a file are looked up first; None for all at once.
        groups: the copies.
        existing: number of copies that the base had.
        passed_over: files of whose smallest fingerprints no index has any.
        uncompared: contents that a file was not compared with, by its path.
    """

    lookups: Sequence[IndexLookup]
    matchers: IndexMatchers
    moved: MovedCode | None
    own: SourcePatterns
    smallest: int | None
    groups: list[FileGroups] = field(default_factory=list)
    existing: int = 0
    passed_over: set[str] = field(default_factory=set)
    uncompared: Counter[str] = field(default_factory=Counter)

    def suspected(self, files: Sequence[PreparedFile]) -> Sequence[PreparedFile]:
        """The files to look up in full; the others are counted."""
        if self.smallest is None or not files:
            return files
        left = suspects(self.lookups, files, self.smallest)
        self.passed_over |= {file.path for file in files if all(file is not one for one in left)}
        return left

    def look(self, files: Sequence[PreparedFile], data: Sequence[DataFile] = ()) -> list[DataFile]:
        """Look files up and keep their copies; the data that an index knows, which was asked for with them."""
        if not (files or data):
            return []
        with run_log.stage("look-up"):
            found, known = look_up(self.lookups, [part for file in files for part in parts_of(file)], data)
            of_parts = iter(found)
            hits = [[next(of_parts) for _ in parts_of(file)] for file in files]
        if files:
            with run_log.stage("matching"):
                self.groups += self._new_groups(files, hits)
        return known

    def _new_groups(self, files: Sequence[PreparedFile], hits: Sequence[_PartHits]) -> list[FileGroups]:
        """Match → find what the base had → match what is left → group; count what the base explains."""
        found = self._match(files, hits)
        first = matches = [one.matches for one in found]
        known = left = files
        for look in self.moved.looks() if self.moved and any(first) else ():
            known, left = left, look(left, matches)
            again = [number for number, (file, was) in enumerate(zip(left, known, strict=True)) if file is not was]
            rematched = self._match([left[number] for number in again], [hits[number] for number in again])
            for number, one in zip(again, rematched, strict=True):
                found[number] = one
            matches = [one.matches for one in found] if again else matches
        for file, one in zip(files, found, strict=True):
            self.uncompared[file.path] += one.uncompared
        groups = self._groups(left, matches)
        if matches is not first:
            counts = [sum(file.copies for file in of_files) for of_files in (self._groups(files, first), groups)]
            self.existing += max(0, counts[0] - counts[1])
        return groups

    def _match(self, files: Sequence[PreparedFile], hits: Sequence[_PartHits]) -> list[FileMatches]:
        """The matches of each file in all indexes."""
        parts = [part for file in files for part in parts_of(file)]
        of_parts = [own for of_file in hits for own in of_file]
        if all(hits is None for own in of_parts for hits in own):
            return [FileMatches([], 0) for _ in files]
        of_each = [one.matches(parts, [own[n] for own in of_parts]) for n, one in enumerate(self.matchers.all)]
        found = (
            FileMatches([match for one in of_part for match in one.matches], sum(one.uncompared for one in of_part))
            for of_part in zip(*of_each, strict=True)
        )
        return [
            of_whole_file(file, [next(found) for _ in own], self._like) for file, own in zip(files, hits, strict=True)
        ]

    def _like(self, file: PreparedFile, match: Match, region: Region) -> Match:
        """A match of a file in the same index as another match."""
        return self.matchers.all[match.index_number].match(file, region)

    def _groups(self, files: Sequence[PreparedFile], matches: Sequence[Sequence[Match]]) -> list[FileGroups]:
        return [self._file_groups(file, of_file) for file, of_file in zip(files, matches, strict=True) if of_file]

    def _file_groups(self, file: PreparedFile, matches: Sequence[Match]) -> FileGroups:
        from winnow_ci.scanner.grouping import grouped  # noqa: PLC0415 - most commits have no copy

        def remade(match: Match, region: Region, lines: LineRange) -> Match:
            made = self.matchers.all[match.index_number].match(file, region, lines)
            return made._replace(places=tuple(place._replace(lines=made.places[0].lines) for place in match.places))

        parts = own_sources.split(matches, self.own)
        foreign, ours = (grouped(part, file.tokens, remade) for part in parts)
        return FileGroups(foreign, ours, file.path, sha256(file.content).hexdigest())
