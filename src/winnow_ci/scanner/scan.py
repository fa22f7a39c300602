"""A scan, step by step: from a change to a report.

The scan reads and tokenises files one by one, looks them up in batches (one pass over an index serves many files), and
matches them one by one. It drops the tokens of a file as soon as its batch is matched.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from winnow_ci import git, run_log
from winnow_ci.evidence.model import evidence_model
from winnow_ci.fingerprint import all_kgrams
from winnow_ci.languages import DATA
from winnow_ci.model.findings import FIRST_LINES, ScanReport, ShownCode
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy import license_policy
from winnow_ci.scanner.attribution import attributed
from winnow_ci.scanner.boilerplate import boilerplate_tokens
from winnow_ci.scanner.index_matchers import IndexMatchers
from winnow_ci.scanner.lean_files import with_lean_tokens
from winnow_ci.scanner.lookup import IndexLookup, check_known, families_of
from winnow_ci.scanner.moved_code import MovedCode, still_there
from winnow_ci.scanner.preparation import ahead, prepare, prepare_all, prepare_as
from winnow_ci.scanner.questions import EVERYTHING
from winnow_ci.scanner.quotations import told_once, with_quoted_codes
from winnow_ci.scanner.rules_digest import rules_digest
from winnow_ci.scanner.source_texts import NeededText, no_texts
from winnow_ci.scanner.steps import Steps
from winnow_ci.scanner.suppression import NOTHING_ACCEPTED, Suppressions, settle
from winnow_ci.scanner.tally import BATCH_TOKENS, Tally
from winnow_ci.scanner.values import DataFile, PreparedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from winnow_ci.config.settings import Settings
    from winnow_ci.index import IndexReader
    from winnow_ci.model import Level, Parameters, Skipped, Tokens
    from winnow_ci.model.changes import ChangedFile, ChangeSet
    from winnow_ci.model.findings import Finding
    from winnow_ci.scanner.questions import Narrowing
    from winnow_ci.scanner.source_texts import TextSupply
    from winnow_ci.scanner.steps import FileGroups
    from winnow_ci.scanner.suppression import Settled
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
    common = [_kgrams(everybodys, index.parameters) for index in indexes]
    steps = Steps(
        [IndexLookup(index, kgrams, narrowing) for index, kgrams in zip(indexes, common, strict=True)],
        IndexMatchers(indexes, settings, shown_code),
        MovedCode(repository, changes, settings) if repository else None,
        settings.own,
        narrowing.smallest,
    )
    tally = Tally(len(changes.files), progress)
    read = read or prepare_all(contents, _still_there(repository, changes), settings)
    _look_up(read, _Reading(contents, settings, families_of(indexes)), steps, tally)
    found = _attributed(steps.groups, settings.report.min_tokens)
    unjudged = [finding for finding, _ in found]
    judged = license_policy.judge(unjudged, settings.policy, _weak_level(settings), settings.report.cut)
    sources = {name for index in indexes for name in index.names}
    settled = settle(repository, changes, judged, tally.seen, sources, suppressions)
    is_shown = shows or (lambda finding: shown_code.suppressed or finding.suppressed is None)
    with run_log.stage("excerpts"):
        findings = _with_code(steps.matchers, _reported(settled, found, settings), is_shown, texts)
    return _report(changes, findings, settled, steps, tally, rules_digest(settings, suppressions, everybodys))


class _Reading(NamedTuple):
    """What it takes to read files: what is in them, what is in scope, and the families of languages to look for."""

    contents: Contents
    settings: Settings
    families: frozenset[str]

    def parts(self, read: Iterable[ReadFile]) -> Iterator[ReadFile]:
        """Files with the code that they quote, and without their statements of no effect, too."""
        return with_lean_tokens(with_quoted_codes(read, self.families))

    def known(self, data: Sequence[DataFile]) -> Iterator[PreparedFile | Skipped]:
        """Data that an index knows, read again for its tokens; few changes have any."""
        files = prepare(self.contents, [one.file for one in data], self.settings, is_known=True) if data else ()
        return (file for file in files if not isinstance(file, DataFile))

    def texts(self, data: Sequence[DataFile]) -> Iterator[ReadFile]:
        """Data that quotes code, with that code."""
        texts = prepare_as(DATA, self.contents, [one.file for one in data if one.quotes])
        return with_quoted_codes(texts, self.families)


def _look_up(read: Iterator[ReadFile], reading: _Reading, steps: Steps, tally: Tally) -> None:
    """Look all files up, batch by batch."""
    for batch in run_log.timed("reading", tally.batches(reading.parts(read))):
        known = steps.look(steps.suspected(batch.files), batch.data)
        tally.pass_over(batch.data, known)
        steps.look([part for file in reading.known(known) for part in tally.counted(file)])
        for quoting in tally.quoting(reading.texts(batch.data)):
            steps.look(quoting)


def _report(
    changes: ChangeSet,
    findings: tuple[Finding, ...],
    settled: Settled,
    steps: Steps,
    tally: Tally,
    judged_by: str,
) -> ScanReport:
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
        model_digest=evidence_model().digest,
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


def _weak_level(settings: Settings) -> Level:
    """The highest level of a weak finding; weak findings are judged even if they are not shown."""
    return "note" if settings.report.weak == "off" else settings.report.weak


def _reported(
    settled: Settled, found: Sequence[tuple[Finding, Match]], settings: Settings
) -> list[tuple[Finding, Match]]:
    """The findings that the settings ask for, with what the index knows of each."""
    return [
        (finding._replace(known=match.known, comment=match.comment), match)
        for finding, (_, match) in zip(settled.findings, found, strict=True)
        if settings.report.weak != "off" or finding.strength == "strong"
    ]


def _with_code(
    matchers: IndexMatchers,
    found: Sequence[tuple[Finding, Match]],
    shows: Callable[[Finding], bool],
    supply: TextSupply,
) -> tuple[Finding, ...]:
    """The findings, with their code if they are shown."""
    if not found:
        return ()
    for number, matcher in enumerate(matchers.all):
        matcher.read(match for one, match in found if match.index_number == number and shows(one))
    lacking = [one for one, match in found if shows(one) and not match.has_text]
    texts = supply([NeededText(one.known, one.source.file) for one in lacking if one.known])
    shown = (
        matchers.all[match.index_number].with_excerpt(one, match, texts) if shows(one) else one for one, match in found
    )
    return tuple(shown)


def _attributed(files: Sequence[FileGroups], min_tokens: int) -> list[tuple[Finding, Match]]:
    """Findings by path and line; those of our own code that others have too are suppressed."""
    ours = [
        (finding._replace(suppressed="policy", reason="code of our own (own)"), match)
        for finding, match in attributed((group for file in files for group in file.ours), min_tokens)
    ]
    found = told_once([*attributed((group for file in files for group in file.foreign), min_tokens), *ours])
    digests = {file.path: file.sha256 for file in files}
    known = [(finding._replace(file_sha256=digests[finding.path]), match) for finding, match in found]
    return sorted(known, key=lambda pair: (pair[0].path, pair[0].lines, pair[0].id))


def _contents_in(repository: git.Repository | None) -> Contents:
    if repository is None:
        raise ValueError("what is in no repository needs contents")
    return partial(git.read_changes, repository)


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
