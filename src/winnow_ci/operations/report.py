"""Show a stored report with the code of its findings, if it can still be found.

A JSON report carries no code, and may be anybody's. Its files are looked for and compared: the changed file with its
sha256, the source's with the key of its content. So its author can show readers only code that they have, and nothing
outside of the repository and of the places that the reader has named is opened.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath

from winnow_ci import git
from winnow_ci.config.team_files import read_untrusted
from winnow_ci.errors import GitError, IndexFileError
from winnow_ci.index import IndexReader, WholeIndex, known_files
from winnow_ci.languages import DATA, FALLBACK, Untokenizable, front_end_named, resolve_language
from winnow_ci.model import Change, Counting, TokenMap
from winnow_ci.model.changes import ChangedFile
from winnow_ci.model.findings import FileReading, Finding, ScanReport, Scope, ShownCode, UsedIndex
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations.named_elsewhere import NamedIndex, in_files, open_place
from winnow_ci.operations.source_texts import SourceTexts, locks_of
from winnow_ci.operations.written_files import ScratchFolder
from winnow_ci.report.stored import MAX_REPORT_BYTES, StoredReport, parse_report
from winnow_ci.report.wording import first_few
from winnow_ci.scanner.read import LARGEST_SCANNED
from winnow_ci.scanner.show import CopiedFile, KnownFile, NeededText, SourceExcerpts
from winnow_ci.start_up import sha256

KEPT_CONTENTS = 256
MOST_INDEXES = 200
"""Indexes of a report that are looked for; it may name any number, and each that is open takes memory."""
_NAME_A_REPORT = "name a report that winnow-ci scan --format json:FILE has written"


class CodePlaces(NamedTuple):
    """Where the code of a stored report may be."""

    repository: git.Repository | None = None  # with the change; None if we are in none
    indexes: tuple[NamedIndex, ...] = ()  # those that the user names; empty for those that the report names
    folders: tuple[tuple[str, Path], ...] = ()  # names of sources, and folders with their code
    counting: Counting | None = None  # of fetching sources that a lock pins; None to ask no server


def load_report(path: Path) -> StoredReport:
    """Read a JSON report."""
    return parse_report(read_untrusted(path, MAX_REPORT_BYTES, _NAME_A_REPORT), path.as_posix())


def with_found_code(report: ScanReport, places: CodePlaces, wanted: ShownCode) -> ScanReport:
    """Add their code to the findings that are shown; ``lacking`` says what is missing."""
    numbered = enumerate(report.findings)
    wished = {number for number, finding in numbered if wanted.suppressed or finding.suppressed is None}
    if not wished:
        return report
    with ExitStack() as stack:
        scratch = stack.enter_context(ScratchFolder())
        root = places.repository.root if places.repository else None
        known = _KnownContents(stack, places.indexes, report.indexes, root)
        texts = SourceTexts(scratch, locks_of(root, in_files(places.indexes)), places.folders, places.counting)
        # A scan asks the cache only for reports that show much code; the same code is to be seen here.
        asks = wanted.marks or places.folders or places.counting
        found = texts.find([*_needed((report.findings[number] for number in sorted(wished)), known)]) if asks else {}
        shown = _Shown(known, found, SourceExcerpts(wanted))
        findings, notices = _with_changed_files(report, wished, places.repository, shown)
    return report._replace(findings=findings, lacking=(*texts.notices, *known.notices, *notices))


def _needed(findings: Iterable[Finding], known: _KnownContents) -> Iterable[NeededText]:
    """The texts of sources that no index has."""
    for finding in findings:
        content = None if finding.identical else finding.known
        if content and _is_readable(content.reading) and known.text(content.key) is None:
            yield NeededText(content, finding.source.file)


def _is_readable(reading: FileReading) -> bool:
    """Whether a language and a front end are ours; a stored report may name anything."""
    is_language = reading.language in {DATA, FALLBACK} or resolve_language(reading.language) == reading.language
    return is_language and front_end_named(reading.front_end).name == reading.front_end


class _Shown(NamedTuple):
    known: _KnownContents
    texts: Mapping[str, bytes]  # those that no index keeps
    excerpts: SourceExcerpts

    def finding(self, finding: Finding, content: bytes) -> Finding | None:
        """A finding with its code, given the changed file; None if the report lacks how to read it."""
        if finding.reading is None or finding.known is None or not finding.stretches:
            return None
        key, reading = finding.known
        if not _is_readable(finding.reading) or not _is_readable(reading):
            return None
        text = self.known.text(key)
        source = KnownFile(self.texts.get(key) if text is None else text, reading, self.known.token_map(key))
        try:
            return self.excerpts.shown(finding, CopiedFile(content, finding.reading), source)
        except Untokenizable:
            return None


def _with_changed_files(
    report: ScanReport, wished: AbstractSet[int], repository: git.Repository | None, shown: _Shown
) -> tuple[tuple[Finding, ...], Sequence[str]]:
    """Add their code to the wished findings whose changed file is as scanned; also return notices."""
    if repository is None:
        return report.findings, ["not in a repository, so no code is shown: run this in a clone that has the change"]
    by_file = defaultdict(list)
    for number in sorted(wished):
        finding = report.findings[number]
        by_file[finding.path, finding.file_sha256].append(number)
    findings, missing = list(report.findings), dict.fromkeys(path for path, _ in by_file)
    try:
        for path, digest, content in _unchanged_files(repository, report.scope, by_file):
            for number in by_file[path, digest]:
                if (made := shown.finding(findings[number], content)) is not None:
                    findings[number] = made
                    missing.pop(path, None)
    except GitError as error:
        return report.findings, [f"no code is shown: {error.problem}; {error.remedy}"]
    if not missing:
        return tuple(findings), ()
    named = first_few(list(missing))
    notice = f"{named}: changed since the scan, or without a language in the report, so its code is not shown"
    return tuple(findings), (notice,)


def _unchanged_files(
    repository: git.Repository, scope: Scope, wanted: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, str, bytes]]:
    """Path, sha256 and content of the wanted files that are as scanned, each once."""
    # A path that git could have given.
    left = {(path, digest) for path, digest in wanted if {"", ".", "..", ".git"}.isdisjoint(path.split("/"))}
    left = {(path, digest) for path, digest in left if "\0" not in path}
    for place in _places(repository, scope, sorted({path for path, _ in left})):
        paths = {path for path, _ in left}
        files = sorted((file for file in place if file.path in paths), key=lambda file: file.path)
        for file, change in git.read_changes(repository, files, LARGEST_SCANNED):
            if isinstance(change, Change):
                pair = file.path, sha256(change.content).hexdigest()
                if pair in left:
                    left.remove(pair)
                    yield *pair, change.content


def _places(repository: git.Repository, scope: Scope, paths: Sequence[str]) -> Iterator[Iterable[ChangedFile]]:
    """Where the files may be, the likeliest place first. Uncommitted work may have been committed since."""
    if paths and repository.root is not None and not scope.head:
        if scope.mode == "staged":
            yield git.staged(repository).files
        yield [ChangedFile(path, "file", None, None) for path in paths]
    if paths and (commit := scope.head or git.head_commit(repository)):
        yield git.between_commits(repository, None, commit, "report").files


class _KnownContents:
    """Contents of indexes, by their keys.

    Of the indexes that a report names, only files in the repository with the recorded digest are opened. Those that a
    user names are opened whatever their digest is, since keys identify contents; so an index that was built again with
    text serves older reports.
    """

    def __init__(
        self, stack: ExitStack, named: Sequence[NamedIndex], used: Sequence[UsedIndex], root: Path | None
    ) -> None:
        self.notices: list[str] = []
        self._stack = stack
        self._indexes = [stack.enter_context(open_place(index.place)) for index in named] or self._used(used, root)
        self._find = lru_cache(KEPT_CONTENTS)(self._look_for)
        others = [index.name for index in self._indexes if index.digest not in {one.digest for one in used}]
        said = "is not the index of the scan; only files that are the same in both are used"
        self.notices += [f"{other} {said}" for other in others]

    def text(self, key: str) -> bytes | None:
        """The text of a content, if an index keeps it."""
        texts = (index.text(number) for index, number in self._find(key))
        return next((text for text in texts if text is not None), None)

    def token_map(self, key: str) -> TokenMap | None:
        """The tokens of a content as an index keeps them; None if none has it."""
        return next((index.token_map(number) for index, number in self._find(key)), None)

    def _look_for(self, key: str) -> tuple[tuple[IndexReader, int], ...]:
        wanted = bytes.fromhex(key)
        found = ((index, known_files(index, [wanted]).get(wanted)) for index in self._indexes)
        return tuple((index, content) for index, content in found if content is not None)

    def _used(self, used: Sequence[UsedIndex], root: Path | None) -> list[IndexReader]:
        found: dict[str, IndexReader] = {}
        for index in list(dict.fromkeys(used))[:MOST_INDEXES]:
            if index.digest not in found and (reader := self._opened(index, root)):
                found[index.digest] = reader
        return list(found.values())

    def _opened(self, index: UsedIndex, root: Path | None) -> WholeIndex | None:
        """An index of the report, if it is in the repository; it stays open only if it has the digest."""
        place, problem = _inside(index.path, root), "is missing: name the index with --index"
        # A path that is too long for the system is an OSError.
        with ExitStack() as stack, suppress(IndexFileError, OSError):
            reader = stack.enter_context(WholeIndex(place)) if place else None
            if reader and reader.digest == index.digest:
                self._stack.push(stack.pop_all())
                return reader
            if reader:
                problem = "changed since the scan: name the index of the scan with --index"
        self.notices.append(f"{index.path} {problem}")
        return None


def _inside(path: str, root: Path | None) -> Path | None:
    """The file of a repository that a report names; None for anything else, also behind a link."""
    parts = PurePosixPath(path).parts
    if root is None or not parts or ".." in parts or "\0" in path:
        return None
    real = Path(os.path.realpath(root))
    place = real.joinpath(*parts)
    return place if place.is_relative_to(real) and os.path.realpath(place) == str(place) else None
