"""A scan, step by step: from a change to a report.

The scan reads and tokenises files one by one, looks them up in batches (one pass over an index serves many files), and
matches them one by one. It drops the tokens of a file as soon as its batch is matched.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import git, policy, run_log
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.languages import DATA
from winnow_ci.matching import Thresholds
from winnow_ci.model.findings import ScanReport
from winnow_ci.model.shown_code import FIRST_LINES, ShownCode
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.scanner import own_sources
from winnow_ci.scanner.attribution import attributed
from winnow_ci.scanner.boilerplate import boilerplate_tokens
from winnow_ci.scanner.grouping import grouped
from winnow_ci.scanner.lookup import IndexLookup, check_known, families_of, look_up, suspects
from winnow_ci.scanner.matches import IndexMatcher
from winnow_ci.scanner.moved_code import MovedCode, still_there
from winnow_ci.scanner.preparation import ahead, prepare, prepare_all, prepare_as
from winnow_ci.scanner.questions import EVERYTHING
from winnow_ci.scanner.quotations import told_once, with_quoted_codes
from winnow_ci.scanner.rules_digest import rules_digest
from winnow_ci.scanner.scan_cache import NO_CACHE
from winnow_ci.scanner.source_texts import NeededText, no_texts
from winnow_ci.scanner.suppression import NOTHING_ACCEPTED, Suppressions, settle
from winnow_ci.scanner.tally import BATCH_TOKENS, Tally
from winnow_ci.scanner.values import DataFile, FileMatches, PreparedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from winnow_ci.config import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.matching import FileHits
    from winnow_ci.model import LineRange, Parameters, Tokens
    from winnow_ci.model.changes import ChangedFile, ChangeSet
    from winnow_ci.model.findings import Finding
    from winnow_ci.model.regions import Region
    from winnow_ci.scanner.grouping import MatchGroup
    from winnow_ci.scanner.questions import Narrowing
    from winnow_ci.scanner.scan_cache import ScanCache
    from winnow_ci.scanner.source_texts import TextSupply
    from winnow_ci.scanner.values import Contents, Match, ReadFile


def scan(  # noqa: PLR0913 - what is asked for, and how to go about it
    repository: git.Repository | None,
    changes: ChangeSet,
    indexes: Sequence[IndexReader],
    settings: Settings,
    boilerplate: Sequence[ChangedFile] = (),
    *,
    suppressions: Suppressions = NOTHING_ACCEPTED,
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
    shows: Callable[[Finding], bool] | None = None,
    shown_code: ShownCode = FIRST_LINES,
    kept: Path | None = None,
    narrowing: Narrowing = EVERYTHING,
    texts: TextSupply = no_texts,
    read: Iterator[ReadFile] | None = None,
    contents: Contents | None = None,
) -> ScanReport:
    """Look a change up in indexes.

    Args:
        repository: where the change is; None if it is in none.
        changes: the changed files; all of them are new if they are in no repository.
        indexes: known code.
        settings: what is in scope, and which licences are welcome.
        boilerplate: files whose k-grams are no evidence anywhere.
        suppressions: what may suppress a finding besides the policy.
        progress: is called after each file with the files done and the number of all files.
        shows: whether a finding is shown with its code, which takes time to find; None for what ``shown_code`` says.
        shown_code: how much of a finding is shown.
        kept: git's folder for what the next scan need not read again; None keeps nothing.
        texts: finds texts of sources that an index does not keep.
        narrowing: how to look up less than the indexes ask for.
        read: the files, if somebody has begun to read them (``read_ahead``).
        contents: gives what is in files; without it, the repository does.

    Raises:
        UsageError: an index need not have what would be looked up.
        GitError: git failed.
        IndexFileError: an index is damaged or cannot be compared.
    """
    check_known(indexes)
    contents = contents or _contents_in(repository)
    everybodys = _boilerplate(contents, boilerplate, settings)
    judged_by = rules_digest(settings, suppressions, everybodys)
    common = [_kgrams(everybodys, index.parameters) for index in indexes]
    lookups = [IndexLookup(index, kgrams, narrowing) for index, kgrams in zip(indexes, common, strict=True)]
    cache = NO_CACHE
    # With a base, matches may depend on it, and most files are not read anyway. A narrowed scan sees less, so another
    # scan cannot rely on what it did not find.
    if kept is not None and not changes.bases and not narrowing.is_any:
        from winnow_ci.scanner.scan_cache import lasting  # noqa: PLC0415 - a commit hook has a base, and need not wait

        cache = lasting.scan_cache(kept, indexes, settings, common)
    steps = _Steps(
        lookups,
        [IndexMatcher(index, number, _thresholds(settings), shown_code) for number, index in enumerate(indexes)],
        MovedCode(repository, changes, settings) if repository else None,
        settings.own,
        narrowing.smallest,
        cache,
    )
    tally = Tally(len(changes.files), cache, progress)
    try:
        read = read or prepare_all(contents, _still_there(repository, changes), settings, cache)
        batches = tally.batches(with_quoted_codes(read, families := families_of(indexes)))
        for batch in run_log.timed("reading", batches):
            known = steps.look(steps.suspected(batch.files), batch.data)
            tally.pass_over(batch.data, known)
            # Few changes have any data that is known; it is read again.
            files = prepare(contents, [one.file for one in known], settings, is_known=True) if known else ()
            steps.look([part for file in files if not isinstance(file, DataFile) for part in tally.counted(file)])
            texts_read = prepare_as(DATA, contents, [one.file for one in batch.data if one.quotes])
            for quoting in tally.quoting(with_quoted_codes(texts_read, families)):
                steps.look(quoting)
            tally.remember(batch.data, {one.file.path for one in known} | {one.path for one in steps.groups})
    finally:
        # The next scan goes on where an interrupted one stopped.
        cache.save()
    found = _attributed(steps.groups)
    weak = settings.report.weak
    judged = policy.judge([finding for finding, _ in found], settings.policy, "note" if weak == "off" else weak)
    sources = {name for index in indexes for name in index.names}
    settled = settle(repository, changes, judged, tally.seen, sources, suppressions)
    reported = [
        (finding._replace(known=match.known, comment=match.comment), match)
        for finding, (_, match) in zip(settled.findings, found, strict=True)
        if weak != "off" or finding.strength == "strong"
    ]
    is_shown = shows or (lambda finding: shown_code.suppressed or finding.suppressed is None)
    with run_log.stage("excerpts"):
        findings = _with_code(steps.matchers, reported, is_shown, texts)
    return ScanReport(
        changes.scope,
        tally.scanned,
        tally.tokens,
        findings,
        tuple(sorted(tally.skipped, key=lambda skip: skip.path)),
        settled.notices,
        settled.baseline,
        steps.existing,
        tuple(sorted(tally.fallback, key=lambda file: file.path)),
        tuple(sorted(tally.unread)),
        policy_digest=judged_by,
        uncompared=tuple(sorted((+steps.uncompared).items())),
        passed_over=len(steps.passed_over),
    )


def read_ahead(repository: git.Repository, changes: ChangeSet, settings: Settings) -> Iterator[ReadFile]:
    """The files of a change for ``scan``, of which the first batch has been read when this returns.

    Raises:
        GitError: git failed.
    """
    contents = _contents_in(repository)
    return ahead(prepare_all(contents, still_there(repository, changes), settings), BATCH_TOKENS)


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


@dataclass(slots=True, eq=False, repr=False)
class _Steps:
    """The steps of each batch of files: the indexes to look up and match in, and the code that moved.

    ``groups`` are the copies of all batches so far.
    """

    lookups: Sequence[IndexLookup]
    matchers: Sequence[IndexMatcher]
    moved: MovedCode | None
    own: policy.SourcePatterns
    smallest: int | None
    cache: ScanCache
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
            hits, known = look_up(self.lookups, files, data)
        if files:
            with run_log.stage("matching"):
                new, groups = self._new_matches(files, hits)
            self.cache.keep(*_compared(files, new, self.uncompared))
            self.groups += groups
        return known

    def _new_matches(
        self, files: Sequence[PreparedFile], hits: Sequence[tuple[FileHits | None, ...]]
    ) -> tuple[list[list[Match]], list[FileGroups]]:
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
        return matches, groups

    def _match(self, files: Sequence[PreparedFile], hits: Sequence[tuple[FileHits | None, ...]]) -> list[FileMatches]:
        """The matches of each file in all indexes."""
        of_each = [one.matches(files, [own[n] for own in hits]) for n, one in enumerate(self.matchers)]
        return [
            FileMatches([match for one in of_file for match in one.matches], sum(one.uncompared for one in of_file))
            for of_file in zip(*of_each, strict=True)
        ]

    def _groups(self, files: Sequence[PreparedFile], matches: Sequence[Sequence[Match]]) -> list[FileGroups]:
        return [self._file_groups(file, of_file) for file, of_file in zip(files, matches, strict=True) if of_file]

    def _file_groups(self, file: PreparedFile, matches: Sequence[Match]) -> FileGroups:
        def remade(match: Match, region: Region, lines: LineRange) -> Match:
            made = self.matchers[match.index_number].match(file, region, lines)
            return made._replace(places=tuple(place._replace(lines=made.places[0].lines) for place in match.places))

        parts = own_sources.split(matches, self.own)
        foreign, ours = (grouped(part, file.tokens, remade) for part in parts)
        return FileGroups(foreign, ours, file.path, hashlib.sha256(file.content).hexdigest())


def _with_code(
    matchers: Sequence[IndexMatcher],
    found: Sequence[tuple[Finding, Match]],
    shows: Callable[[Finding], bool],
    supply: TextSupply,
) -> tuple[Finding, ...]:
    """The findings, with their code if they are shown."""
    for number, matcher in enumerate(matchers):
        matcher.read(match for one, match in found if match.index_number == number and shows(one))
    lacking = [one for one, match in found if shows(one) and not match.has_text]
    texts = supply([NeededText(one.known, one.source.file) for one in lacking if one.known])
    shown = (
        matchers[match.index_number].with_excerpt(one, match, texts) if shows(one) else one for one, match in found
    )
    return tuple(shown)


def _attributed(files: Sequence[FileGroups]) -> list[tuple[Finding, Match]]:
    """Findings by path and line; those of our own code that others have too are suppressed."""
    ours = [
        (finding._replace(suppressed="policy", reason="code of our own (own)"), match)
        for finding, match in attributed(group for file in files for group in file.ours)
    ]
    found = told_once([*attributed(group for file in files for group in file.foreign), *ours])
    digests = {file.path: file.sha256 for file in files}
    known = [(finding._replace(file_sha256=digests[finding.path]), match) for finding, match in found]
    return sorted(known, key=lambda pair: (pair[0].path, pair[0].lines, pair[0].id))


def _compared(
    files: Sequence[PreparedFile], matches: Sequence[Sequence[Match]], uncompared: Counter[str]
) -> tuple[list[PreparedFile], list[Sequence[Match]]]:
    """The files, and their matches, that were compared with everything that could be like them."""
    kept = [number for number, file in enumerate(files) if not uncompared[file.path]]
    return [files[number] for number in kept], [matches[number] for number in kept]


def _contents_in(repository: git.Repository | None) -> Contents:
    if repository is None:
        raise ValueError("what is in no repository needs contents")
    return partial(git.read, repository)


def _still_there(repository: git.Repository | None, changes: ChangeSet) -> Sequence[ChangedFile]:
    return still_there(repository, changes) if repository else changes.files


def _boilerplate(contents: Contents, files: Sequence[ChangedFile], settings: Settings) -> list[Tokens]:
    """The texts whose k-grams are no evidence."""
    prepared = (file for file in prepare(contents, files, settings) if isinstance(file, PreparedFile))
    return list(boilerplate_tokens(prepared, settings))


def _kgrams(texts: Iterable[Tokens], parameters: Parameters) -> NDArray[np.uint64]:
    """Hashes of all k-grams of texts, sorted."""
    hashes = [all_kgrams(tokens, parameters).hashes for tokens in texts]
    return np.sort(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64)


def _thresholds(settings: Settings) -> Thresholds:
    return Thresholds(settings.report.min_tokens, settings.report.min_tokens_renamed)
