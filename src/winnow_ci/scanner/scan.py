"""The steps of a scan, from a change to a report.

The scan reads and tokenises files one by one, looks them up in batches (one pass over an index serves many files), and
drops the tokens of a file as soon as its batch is matched.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, TypeAlias

from winnow_ci import git, run_log
from winnow_ci.config import OWN_FILES
from winnow_ci.evidence.model import evidence_model
from winnow_ci.languages import DATA
from winnow_ci.matching.constants import Thresholds
from winnow_ci.model import Fallback, LineRange, Skipped, Tokens, no_progress
from winnow_ci.model.findings import FIRST_LINES, Finding, ScanReport, ShownCode
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy import license_policy
from winnow_ci.scanner.files import (
    Contents,
    DataFile,
    FileMatches,
    Match,
    MatchGroup,
    PreparedFile,
    ReadFile,
    readings_of,
    with_further_readings,
)
from winnow_ci.scanner.look_up import IndexLookup, check_known, families_of, look_up
from winnow_ci.scanner.moved_code import MovedCode, still_there
from winnow_ci.scanner.read import ahead, boilerplate_tokens, read_as, read_files, read_in_scope
from winnow_ci.scanner.settle import NOTHING_ACCEPTED, Seen, Suppressions, rules_digest, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from winnow_ci.config.settings import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.matching.hits import FileHits
    from winnow_ci.model import Progress
    from winnow_ci.model.changes import ChangedFile, ChangeSet
    from winnow_ci.model.regions import Region
    from winnow_ci.policy.allow_comments import AllowComment
    from winnow_ci.scanner.assisted import AssistedCommits
    from winnow_ci.scanner.attribute import Attributed
    from winnow_ci.scanner.match import IndexMatcher
    from winnow_ci.scanner.remarks import Remark
    from winnow_ci.scanner.show import TextSupply

    # Of several files, the hits of each reading in each index.
    _Hits: TypeAlias = Sequence[Sequence[tuple[FileHits | None, ...]]]

BATCH_TOKENS = 400_000
# Each asks for the keys of its bytes with all line ends.
BATCH_DATA = 1000


class ScanChoices(NamedTuple):
    """How to scan."""

    boilerplate: Sequence[ChangedFile] = ()  # files whose k-grams are no evidence anywhere
    suppressions: Suppressions = NOTHING_ACCEPTED  # what may suppress a finding besides the policy
    shown_code: ShownCode = FIRST_LINES  # how much of a finding is shown
    # Whether a finding is shown with its code, which takes time to find; None for what ``shown_code`` says.
    shows: Callable[[Finding], bool] | None = None
    texts: TextSupply | None = None  # finds texts of sources that an index does not keep
    progress: Progress = no_progress
    contents: Contents | None = None  # gives the contents of files; None for the repository
    read: Iterator[ReadFile] | None = None  # the files, if somebody has begun to read them (``read_ahead``)


_DEFAULTS = ScanChoices()


def scan(
    repository: git.Repository | None,
    changes: ChangeSet,
    indexes: Sequence[IndexReader],
    settings: Settings,
    choices: ScanChoices = _DEFAULTS,
) -> ScanReport:
    """Look a change up in indexes; one that is in no repository is all new.

    Raises:
        GitError: git failed.
        IndexFileError: an index is damaged or cannot be compared.
    """
    check_known(indexes)
    contents = choices.contents
    if contents is None:
        assert repository is not None
        contents = partial(git.read_changes, repository)
    boilerplate = list(boilerplate_tokens(contents, choices.boilerplate, settings))
    moved = MovedCode(repository, changes, settings) if repository else None
    steps = _Steps(indexes, boilerplate, moved, settings)
    tally = Tally(len(changes.files), choices.progress)
    files = choices.read or _read(repository, changes, contents, settings)
    _run(steps, tally, files, contents, settings)
    found = steps.attributed()
    commits = _assisted(repository, changes, settings)
    judged = _judged([finding for finding, _ in found], settings, commits)
    seen = Seen(tally.whole, tally.comments, {name for index in indexes for name in index.names})
    findings, baseline, notices = settle(repository, changes, judged, seen, choices.suppressions, settings.policy)
    reported = [
        (finding._replace(known=match.known, comment=match.comment), match)
        for finding, (_, match) in zip(findings, found, strict=True)
        if _is_reported(finding, settings)
    ]
    with run_log.stage("excerpts"):
        shown = _shown(reported, steps, choices)
    return ScanReport(
        changes.scope,
        tally.scanned,
        tally.tokens,
        shown,
        tuple(sorted(tally.skipped, key=lambda skip: skip.path)),
        tuple(notices),
        baseline,
        steps.existing,
        tuple(sorted(tally.fallback, key=lambda file: file.path)),
        tuple(sorted(tally.unread)),
        policy_digest=rules_digest(settings, choices.suppressions, boilerplate),
        model_digest=evidence_model().digest,
        uncompared=tuple(sorted((+steps.uncompared).items())),
        assisted=commits and commits.work(shown, tally.skipped),
    )


def read_ahead(repository: git.Repository, changes: ChangeSet, settings: Settings) -> Iterator[ReadFile]:
    """Return the files of a change for ``scan``; the first batch has been read."""
    return ahead(_read(repository, changes, partial(git.read_changes, repository), settings), BATCH_TOKENS)


def _read(
    repository: git.Repository | None, changes: ChangeSet, contents: Contents, settings: Settings
) -> Iterator[ReadFile]:
    return read_in_scope(contents, still_there(repository, changes) if repository else changes.files, settings)


def _run(steps: _Steps, tally: Tally, files: Iterator[ReadFile], contents: Contents, settings: Settings) -> None:
    """Read all files and look them up, batch by batch."""
    families = families_of(steps.indexes)
    for batch, data in run_log.timed("reading", tally.batches(with_further_readings(files, families))):
        known = steps.look(batch, data)
        paths = {one.file.path for one in known}
        for one in data:
            if one.file.path not in paths:
                tally.skip(one.skipped)
        # Few changes have data that an index knows.
        again = read_files(contents, [one.file for one in known], settings, is_known=True) if known else ()
        code = (file for file in again if not isinstance(file, DataFile))
        steps.look([part for file in with_further_readings(code, families) for part in tally.counted(file)])
        texts = read_as(DATA, contents, [one.file for one in data if one.quotes])
        for quoted in tally.quoting(with_further_readings(texts, families)):
            steps.look(quoted)


def _assisted(repository: git.Repository | None, changes: ChangeSet, settings: Settings) -> AssistedCommits | None:
    # A commit hook's change is no commit yet.
    if repository is None or changes.scope.base is None or changes.scope.mode == "staged":
        return None
    from winnow_ci.scanner.assisted import assisted_commits  # noqa: PLC0415 - as above

    commits = assisted_commits(repository, changes)
    return commits if commits and (commits.files or settings.assisted) else None


def _judged(findings: Sequence[Finding], settings: Settings, commits: AssistedCommits | None) -> tuple[Finding, ...]:
    """Set the levels; in assisted commits, stricter rules may make one severer."""
    weak = "note" if settings.report.weak == "off" else settings.report.weak
    judged = license_policy.judge(findings, settings.policy, weak)
    if commits is None:
        return judged
    ids, by = commits.ids_of(judged), settings.assisted
    marked = tuple(finding._replace(assisted=finding.id in ids) for finding in judged)
    if by is None:
        return marked
    stricter = license_policy.judge(marked, by.policy or settings.policy, by.weak or weak)
    return tuple(
        license_policy.severer(one, other) if one.assisted else one for one, other in zip(marked, stricter, strict=True)
    )


def _is_reported(finding: Finding, settings: Settings) -> bool:
    is_strict = finding.assisted and settings.assisted and settings.assisted.weak
    return finding.strength == "strong" or settings.report.weak != "off" or bool(is_strict)


def _shown(found: Sequence[Attributed], steps: _Steps, choices: ScanChoices) -> tuple[Finding, ...]:
    """The findings, with their code if they are shown."""
    if not found:
        return ()
    from winnow_ci.scanner.show import with_code  # noqa: PLC0415 - most commits have no copy

    wanted = choices.shown_code
    shows = choices.shows or (lambda finding: wanted.suppressed or finding.suppressed is None)
    return with_code(found, steps.matchers, shows, wanted, choices.texts)


class _Steps:
    """The steps of each batch of files: look up, match, drop what the base had, group."""

    def __init__(
        self, indexes: Sequence[IndexReader], boilerplate: Sequence[Tokens], moved: MovedCode | None, settings: Settings
    ) -> None:
        self.indexes = indexes
        self._lookups = [IndexLookup(index, boilerplate) for index in indexes]
        self._moved = moved
        self._settings = settings
        self.foreign: list[MatchGroup] = []
        self.ours: list[MatchGroup] = []
        self.existing = 0
        self.uncompared: Counter[str] = Counter()

    @cached_property
    def matchers(self) -> list[IndexMatcher]:
        """One for each index, made when the first file has hits: a hook's user would wait for the imports."""
        from winnow_ci.scanner.match import IndexMatcher  # noqa: PLC0415 - most commits have no copy

        thresholds = Thresholds(self._settings.report.min_tokens, self._settings.report.min_tokens_renamed)
        return [IndexMatcher(index, number, thresholds) for number, index in enumerate(self.indexes)]

    def look(self, files: Sequence[PreparedFile], data: Sequence[DataFile] = ()) -> list[DataFile]:
        """Look files up and keep their copies; return the data that an index knows, which is asked for with them."""
        if not (files or data):
            return []
        with run_log.stage("look-up"):
            found, known = look_up(self._lookups, [part for file in files for part in readings_of(file)], data)
            of_parts = iter(found)
            hits = [[next(of_parts) for _ in readings_of(file)] for file in files]
        if files:
            with run_log.stage("matching"):
                self._match_and_group(files, hits)
        return known

    def attributed(self) -> list[Attributed]:
        """Make findings of all copies."""
        if not (self.foreign or self.ours):
            return []
        from winnow_ci.scanner.attribute import attributed  # noqa: PLC0415 - most commits have no copy

        return attributed(self.foreign, self.ours, self._settings.report)

    def _match_and_group(self, files: Sequence[PreparedFile], hits: _Hits) -> None:
        """Match → find what the base had → match these files again → group; count what the base explains."""
        first = self._matches(files, hits)
        left, found = list(files), list(first)
        for look in self._moved.looks() if self._moved and any(one.matches for one in first) else ():
            now = look(left, [one.matches for one in found])
            again = [number for number, (file, was) in enumerate(zip(now, left, strict=True)) if file is not was]
            left = now
            rematched = self._matches([left[number] for number in again], [hits[number] for number in again])
            for number, one in zip(again, rematched, strict=True):
                found[number] = one
        explained = 0
        for was, file, before, after, (of_file, *_) in zip(files, left, first, found, hits, strict=True):
            self.uncompared[file.path] += after.uncompared
            foreign, ours = self._groups(file, after.matches, of_file)
            self.foreign += foreign
            self.ours += ours
            if file is not was:
                explained += sum(map(len, self._groups(was, before.matches, of_file))) - len(foreign) - len(ours)
        self.existing += max(0, explained)

    def _matches(self, files: Sequence[PreparedFile], hits: _Hits) -> list[FileMatches]:
        of_parts = [own for of_file in hits for own in of_file]
        if all(found is None for own in of_parts for found in own):
            return [FileMatches([], 0) for _ in files]
        parts = [part for file in files for part in readings_of(file)]
        of_each = [one.matches(parts, [own[n] for own in of_parts]) for n, one in enumerate(self.matchers)]
        found_in = (
            FileMatches([match for one in of_part for match in one.matches], sum(one.uncompared for one in of_part))
            for of_part in zip(*of_each, strict=True)
        )
        return [self._of_whole_file(file, [next(found_in) for _ in own]) for file, own in zip(files, hits, strict=True)]

    def _of_whole_file(self, file: PreparedFile, found: Sequence[FileMatches]) -> FileMatches:
        """The matches of a file, given those of its readings."""
        own, *of_lean = found
        if file.lean is None:
            return own
        from winnow_ci.matching.region_tokens import renumbered  # noqa: PLC0415 - as below

        numbers = file.lean.numbers
        theirs = (match for part in of_lean for match in part.matches)
        more = [self._match(file, match, renumbered(match.region, numbers)) for match in theirs]
        return FileMatches([*own.matches, *more], max(part.uncompared for part in found))

    def _groups(
        self, file: PreparedFile, matches: Sequence[Match], hits: Sequence[FileHits | None]
    ) -> tuple[list[MatchGroup], list[MatchGroup]]:
        if not matches:
            return [], []
        from winnow_ci.scanner.group import file_groups  # noqa: PLC0415 - most commits have no copy

        @cache
        def remarks(index: int, content: int) -> list[Remark]:
            found = hits[index]
            return self.matchers[index].remarks(found, content) if found else []

        return file_groups(file, matches, self._settings.own, partial(self._match, file), remarks)

    def _match(self, file: PreparedFile, match: Match, region: Region, lines: LineRange | None = None) -> Match:
        """A match of a file in the same index as another match, shown on these lines or on its own."""
        return self.matchers[match.index_number].match(file, region, lines)


class Tally:
    """Counts the files of a change as they are read, and puts them into batches."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._total = total
        self._progress = progress
        self.scanned = 0
        self.tokens = 0
        self.skipped: list[Skipped] = []
        self.fallback: list[Fallback] = []
        self.unread: list[tuple[str, int]] = []
        self.whole: set[str] = set()
        self.comments: dict[str, tuple[AllowComment, ...]] = {}

    def batches(self, files: Iterable[ReadFile]) -> Iterator[tuple[list[PreparedFile], list[DataFile]]]:
        """Count files, and put those that are looked up into batches, data apart from code."""
        batch: list[PreparedFile] = []
        data: list[DataFile] = []
        tokens = 0
        for done, file in enumerate(files, 1):
            if isinstance(file, DataFile):
                data.append(file)
            else:
                of_file = self.counted(file)
                batch += of_file
                tokens += sum(len(part.tokens) for part in of_file)
            self._progress(min(done, self._total), self._total)
            if tokens >= BATCH_TOKENS or len(data) >= BATCH_DATA:
                yield batch, data
                batch, data, tokens = [], [], 0
        if batch or data:
            yield batch, data

    def counted(self, file: ReadFile) -> list[PreparedFile]:
        """Count a file; what of it is looked up: itself and its quoted code, if the change adds any of that."""
        if isinstance(file, Skipped):
            self.skip(file)
        if not isinstance(file, PreparedFile):
            return []
        self.scanned += file.path not in OWN_FILES
        self.tokens += len(file.tokens)
        if file.failure is not None:
            self.fallback.append(Fallback(file.path, file.failure))
        return [*([file] if file.added.any() else []), *self._quoted(file)]

    def skip(self, file: Skipped) -> None:
        """Count a file that is not looked up."""
        if file.path not in OWN_FILES or file.state == "not-scanned":
            self.skipped.append(file)

    def quoting(self, files: Iterable[ReadFile]) -> Iterator[list[PreparedFile]]:
        """The quoted code of files that are no code themselves, in batches; the files are counted elsewhere."""
        batch: list[PreparedFile] = []
        for file in files:
            if isinstance(file, PreparedFile):
                batch += self._quoted(file)
                if sum(len(part.tokens) for part in batch) >= BATCH_TOKENS:
                    yield batch
                    batch = []
        yield batch

    def _quoted(self, file: PreparedFile) -> list[PreparedFile]:
        """Keep what a file says itself; return its quoted code that the change adds."""
        if file.added.all():
            self.whole.add(file.path)
        if file.allows:
            self.comments[file.path] = file.allows
        if file.unread:
            self.unread.append((file.path, file.unread))
        return [part for part in file.quoted if part.added.any()]
