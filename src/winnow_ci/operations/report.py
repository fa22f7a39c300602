"""A stored report, and the code that its findings are about, as far as that is still to be had.

A JSON report carries no code. What it names is looked for and compared with what it says of it: the changed file by its
sha256, the source's by the key of its content. Whoever wrote the report can thereby show nobody's code but what its
reader has anyway, and nothing outside of the repository and of what the reader has named is opened.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from typing import TYPE_CHECKING

from winnow_ci.config.team_files import read_untrusted
from winnow_ci.errors import GitError
from winnow_ci.languages import Untokenizable
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.operations import reported_files
from winnow_ci.operations.known_contents import KnownContents, is_readable
from winnow_ci.operations.named_indexes import in_files
from winnow_ci.operations.scratch_folder import ScratchFolder
from winnow_ci.operations.source_texts import SourceTexts, locks_of
from winnow_ci.report.stored import MAX_REPORT_BYTES, StoredReport, parse_report
from winnow_ci.scanner.source_excerpts import CopiedFile, KnownFile, SourceExcerpts
from winnow_ci.scanner.source_texts import NeededText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from winnow_ci.git import Repository
    from winnow_ci.model import Counting
    from winnow_ci.model.findings import Finding, ScanReport, ShownCode
    from winnow_ci.operations.named_indexes import NamedIndex

_NAME_A_REPORT = "name a report that winnow-ci scan --format json:FILE has written"
_LISTED = 5


class CodePlaces(NamedTuple):
    """Where the code of a stored report may be.

    Attributes:
        repository: with the change; None if we are in none.
        indexes: those that the user names; empty for those that the report names.
        folders: names of sources, and folders with their code.
        counting: shows the progress of fetching sources that a lock pins; None to ask no server.
    """

    repository: Repository | None = None
    indexes: tuple[NamedIndex, ...] = ()
    folders: tuple[tuple[str, Path], ...] = ()
    counting: Counting | None = None


def load(path: Path) -> StoredReport:
    """Read a JSON report.

    Raises:
        ConfigError: it cannot be read, or is none of a version that can.
    """
    return parse_report(read_untrusted(path, MAX_REPORT_BYTES, _NAME_A_REPORT), str(path))


def with_code(report: ScanReport, places: CodePlaces, wanted: ShownCode) -> ScanReport:
    """Add their code to the findings that are shown; ``lacking`` says what is missing.

    Raises:
        IndexFileError: an index that was named cannot be read, or one is damaged.
        FetchError: a source that is to be fetched could not be fetched.
        GitError: git failed.
    """
    wished = {
        number for number, finding in enumerate(report.findings) if wanted.suppressed or finding.suppressed is None
    }
    if not wished:
        return report
    with ExitStack() as stack:
        scratch = stack.enter_context(ScratchFolder())
        root = places.repository.root if places.repository else None
        known = stack.enter_context(KnownContents(places.indexes, report.indexes, root))
        texts = SourceTexts(scratch, locks_of(root, in_files(places.indexes)), places.folders, places.counting)
        # A scan asks the cache only for reports that show much code, and the same is to be seen here.
        asks = wanted.marks or places.folders or places.counting
        found = texts.find([*_needed((report.findings[number] for number in sorted(wished)), known)]) if asks else {}
        shown = _Shown(known, found, SourceExcerpts(wanted))
        findings, notices = _with_changed_files(report, wished, places.repository, shown)
    return report._replace(findings=findings, lacking=(*texts.notices, *known.notices, *notices))


def _needed(findings: Iterable[Finding], known: KnownContents) -> Iterable[NeededText]:
    """The texts of sources that no index has."""
    for finding in findings:
        if finding.known is None or finding.identical or not is_readable(finding.known.reading):
            continue
        if known.text(finding.known.key) is None:
            yield NeededText(finding.known, finding.source.file)


class _Shown(NamedTuple):
    """Shows findings, given the contents of indexes, and texts that these do not keep."""

    known: KnownContents
    texts: Mapping[str, bytes]
    excerpts: SourceExcerpts

    def finding(self, finding: Finding, content: bytes) -> Finding | None:
        """A finding with its code, given the changed file; None if the report does not tell how to read it."""
        if finding.reading is None or finding.known is None or not finding.stretches:
            return None
        key, reading = finding.known
        if not is_readable(finding.reading) or not is_readable(reading):
            return None
        text = self.known.text(key)
        source = KnownFile(self.texts.get(key) if text is None else text, reading, self.known.token_map(key))
        try:
            return self.excerpts.shown(finding, CopiedFile(content, finding.reading), source)
        except Untokenizable:
            return None


def _with_changed_files(
    report: ScanReport, wished: AbstractSet[int], repository: Repository | None, shown: _Shown
) -> tuple[tuple[Finding, ...], Sequence[str]]:
    """The findings, those that are wished with their code if the changed file is what was scanned; and notices."""
    if repository is None:
        return report.findings, ["this is no repository, so no code is shown: run it in a clone that has the change"]
    by_file = defaultdict(list)
    for number in sorted(wished):
        finding = report.findings[number]
        by_file[finding.path, finding.file_sha256].append(number)
    findings, missing = list(report.findings), dict.fromkeys(path for path, _ in by_file)
    try:
        for path, sha256, content in reported_files.contents(repository, report.scope, by_file):
            for number in by_file[path, sha256]:
                if (made := shown.finding(findings[number], content)) is not None:
                    findings[number] = made
                    missing.pop(path, None)
    except GitError as error:
        return report.findings, [f"no code is shown: {error.problem}; {error.remedy}"]
    return tuple(findings), _not_there(list(missing))


def _not_there(paths: Sequence[str]) -> Sequence[str]:
    """A notice about changed files that are no longer what was scanned."""
    if not paths:
        return ()
    more = f" and {len(paths) - _LISTED:,} more" if len(paths) > _LISTED else ""
    named = ", ".join(paths[:_LISTED]) + more
    return (f"{named}: not as scanned, or the report does not tell how to read it, so its code is not shown",)
